package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/api"
	"garoupa/api/openapi"
	"garoupa/views/docs"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// index handles GET /docs/api.
func (d *documentation) index(c *fiber.Ctx) error {
	ctx := c.UserContext()
	frame, err := d.frame(c, i18n.T(ctx, "docs.reference"), "/docs/api")
	if err != nil {
		return err
	}
	groups := d.outline(ctx)
	for i := range groups {
		groups[i] = d.filled(ctx, groups[i])
	}
	return render(c, pages.DocsIndex(pages.DocsIndexProps{
		Frame: frame, Code: chosenCode(c), Addresses: d.addresses, Version: d.api.Info.Version,
		Overview: strings.Split(say(ctx, d.api.Info.Description), "\n\n"), Groups: groups,
	}))
}

// reference handles GET /docs/api/{group}.
func (d *documentation) reference(c *fiber.Ctx) error {
	ctx := c.UserContext()
	for _, group := range d.outline(ctx) {
		if group.Path != "/docs/api/"+c.Params("group") {
			continue
		}
		frame, err := d.frame(c, group.Name, group.Path)
		if err != nil {
			return err
		}
		return render(c, pages.DocsReference(pages.DocsReferenceProps{Frame: frame, Addresses: d.addresses, Group: d.filled(ctx, group), Code: chosenCode(c)}))
	}
	return fiber.ErrNotFound
}

// say is a text of the description in the visitor's language.
func say(ctx context.Context, english string) string {
	return docs.Translate(i18n.Of(ctx), english)
}

// outline is all groups without their operations, the events last.
func (d *documentation) outline(ctx context.Context) (groups []pages.DocsGroup) {
	for _, tag := range d.api.Tags {
		groups = append(groups, pages.DocsGroup{
			Tag: tag.Name, Name: say(ctx, tag.Name), Description: say(ctx, tag.Description),
			Path: "/docs/api/" + strings.ReplaceAll(strings.ToLower(tag.Name), " ", "-"),
		})
	}
	return append(groups, pages.DocsGroup{Name: i18n.T(ctx, "docs.events"), Description: i18n.T(ctx, "docs.events_body"), Path: "/docs/api/events"})
}

// filled is a group with its operations; without a tag it is the events.
func (d *documentation) filled(ctx context.Context, group pages.DocsGroup) pages.DocsGroup {
	if group.Tag == "" {
		for _, item := range d.api.Webhooks {
			group.Operations = append(group.Operations, d.operation(ctx, "", item.Name, item.Value.Post))
		}
		return group
	}
	d.each(func(method, path string, o *openapi.Operation) {
		if slices.Contains(o.Tags, group.Tag) {
			group.Operations = append(group.Operations, d.operation(ctx, method, path, o))
		}
	})
	return group
}

func (d *documentation) operation(ctx context.Context, method, path string, o *openapi.Operation) pages.DocsOperation {
	out := pages.DocsOperation{
		ID: o.OperationID, Method: method, Path: path, Summary: say(ctx, o.Summary), Description: say(ctx, o.Description), Permission: permissionOf(o),
	}
	for _, p := range o.Parameters {
		out.Parameters = append(out.Parameters, d.parameter(ctx, p))
	}
	if o.RequestBody != nil {
		media := o.RequestBody.Content[0].Value
		out.Body, out.BodyExample = d.members(ctx, media.Schema, "", len(o.Tags) > 0), exampleOf(media)
	}
	if len(o.Tags) > 0 {
		out.Samples = d.request(method, path, o).Samples()
	}
	for _, response := range o.Responses {
		answer := d.answer(ctx, response.Name, response.Value)
		if n := len(out.Answers); n > 0 && out.Answers[n-1].Example == answer.Example {
			answer.Example = "" // it stands there already
		}
		out.Answers = append(out.Answers, answer)
	}
	return out
}

// request is the operation with its examples filled in.
func (d *documentation) request(method, path string, o *openapi.Operation) docs.Request {
	r := docs.Request{Method: method, Public: permissionOf(o) == ""}
	var query []string
	for _, p := range o.Parameters {
		switch {
		case p.Example == nil:
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", fmt.Sprint(p.Example))
		case p.In == "query":
			query = append(query, p.Name+"="+fmt.Sprint(p.Example))
		case p.Name == "Idempotency-Key":
			r.Idempotency = fmt.Sprint(p.Example)
		}
	}
	if o.RequestBody != nil {
		r.Body = o.RequestBody.Content[0].Value.Examples[0].Value.Value
	}
	if answer := o.Responses[0].Value.Content; len(answer) > 0 {
		r.Stream = answer[0].Name == "text/event-stream"
	}
	r.URL = d.api.Servers[0].URL + path
	if len(query) > 0 {
		r.URL += "?" + strings.Join(query, "&")
	}
	return r
}

// samples are those of an operation by its id.
func (d *documentation) samples(operationID string) (samples []docs.Sample) {
	d.each(func(method, path string, o *openapi.Operation) {
		if o.OperationID == operationID {
			samples = d.request(method, path, o).Samples()
		}
	})
	return samples
}

func (d *documentation) answer(ctx context.Context, status string, r openapi.Response) pages.DocsAnswer {
	out := pages.DocsAnswer{Status: status}
	for _, h := range r.Headers {
		header := d.api.Header(h.Value)
		out.Headers = append(out.Headers, d.field(ctx, h.Name, header.Schema, header.Description))
	}
	if len(r.Content) == 0 {
		out.Description = say(ctx, r.Description)
		return out
	}
	media := r.Content[0].Value
	if len(media.Schema.AllOf) == 0 {
		out.Description, out.Fields, out.Example = say(ctx, r.Description), d.members(ctx, media.Schema, "", false), exampleOf(media)
		return out
	}
	var codes []string
	for _, example := range media.Examples {
		codes = append(codes, example.Name)
	}
	out.Codes = d.codes(ctx, codes)
	return out
}

// codes are those of the registry with the names, all of them for none.
func (d *documentation) codes(ctx context.Context, names []string) (codes []pages.DocsCode) {
	for _, c := range api.ErrorCodes() {
		if names == nil || slices.Contains(names, c.Code) {
			codes = append(codes, pages.DocsCode{Code: c.Code, Status: strconv.Itoa(c.Status), Type: c.Type, Meaning: say(ctx, c.Meaning)})
		}
	}
	return codes
}

func (d *documentation) parameter(ctx context.Context, p openapi.Parameter) pages.DocsField {
	f := d.field(ctx, p.Name, p.Schema, p.Description)
	f.In, f.Required = p.In, p.Required
	return f
}

// members are the members of an object and of what is in it; a shape that has a name
// of its own is told where it is an answer. Of a request it is told which members
// are required; answers and events have them all.
func (d *documentation) members(ctx context.Context, s *openapi.Schema, prefix string, request bool) (fields []pages.DocsField) {
	s = d.api.Resolve(s)
	if len(s.AllOf) > 0 {
		s = d.api.Resolve(s.AllOf[0])
	}
	for _, m := range s.Properties {
		member := d.api.Resolve(m.Value)
		f := d.field(ctx, prefix+m.Name, member, member.Description)
		f.Required = request && slices.Contains(s.Required, m.Name)
		if request {
			f.Type = strings.TrimSuffix(f.Type, " | null")
		}
		fields = append(fields, f)
		if member.Items != nil {
			fields = append(fields, d.members(ctx, member.Items, prefix+m.Name+"[].", request)...)
		}
		if m.Value.Ref == "" {
			fields = append(fields, d.members(ctx, member, prefix+m.Name+".", request)...)
		}
	}
	return fields
}

func (d *documentation) field(ctx context.Context, name string, s *openapi.Schema, description string) pages.DocsField {
	f := pages.DocsField{Name: name, Type: cmp.Or(strings.Join(s.Type, " | "), "string"), Description: say(ctx, description), Rules: rules(ctx, s)}
	for _, value := range s.Enum {
		if value != nil {
			f.Values = append(f.Values, fmt.Sprint(value))
		}
	}
	if len(f.Values) == 1 {
		f.Values = nil // its description says so
	}
	return f
}

// rules are a schema's bounds in words.
func rules(ctx context.Context, s *openapi.Schema) (all []string) {
	switch {
	case s.MinLength != nil && s.MaxLength != nil && *s.MinLength > 0:
		all = append(all, i18n.T(ctx, "docs.characters", *s.MinLength, *s.MaxLength))
	case s.MaxLength != nil:
		all = append(all, i18n.T(ctx, "docs.characters_at_most", *s.MaxLength))
	}
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		all = append(all, i18n.T(ctx, "docs.range", bound(ctx, *s.Minimum), bound(ctx, *s.Maximum)))
	case s.Minimum != nil:
		all = append(all, i18n.T(ctx, "docs.at_least", bound(ctx, *s.Minimum)))
	}
	if s.MaxProperties != nil {
		all = append(all, i18n.T(ctx, "docs.members_at_most", *s.MaxProperties))
	}
	if names, values := s.PropertyNames, s.AdditionalProperties; names != nil {
		if value, ok := values.(*openapi.Schema); ok {
			all = append(all, i18n.T(ctx, "docs.member_bounds", *names.MaxLength, *value.MaxLength))
		}
	}
	if s.Default != nil {
		all = append(all, i18n.T(ctx, "docs.default", fmt.Sprint(s.Default)))
	}
	return all
}

// exampleOf is the first example of a body, over several lines.
func exampleOf(m openapi.Media) string {
	if len(m.Examples) == 0 {
		return ""
	}
	var text string
	if json.Unmarshal(m.Examples[0].Value.Value, &text) == nil { // a body that is not JSON
		return strings.TrimSpace(text)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, m.Examples[0].Value.Value, "", "  "); err != nil {
		return ""
	}
	return b.String()
}

// bound writes a number for developers, in groups where nobody would count the digits.
func bound(ctx context.Context, n int64) string {
	if n < 1_000_000 {
		return strconv.FormatInt(n, 10)
	}
	return i18n.Number(ctx, int(n))
}
