package docs

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
	pages "garoupa/views/pages/docs"
	"garoupa/web/page"
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
	return page.Render(c, pages.Index(pages.IndexProps{
		Frame: frame, Code: chosenCode(c), Addresses: d.addresses, Version: d.api().Info.Version,
		Overview: strings.Split(say(ctx, d.api().Info.Description), "\n\n"), Groups: groups,
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
		return page.Render(c, pages.Reference(pages.ReferenceProps{Frame: frame, Addresses: d.addresses,
			Group: d.filled(ctx, group), Code: chosenCode(c)}))
	}
	return fiber.ErrNotFound
}

// filled returns a group with its operations. The group without a tag has the events.
func (d *documentation) filled(ctx context.Context, group pages.Group) pages.Group {
	if group.Tag == "" {
		for _, item := range d.api().Webhooks {
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

func (d *documentation) operation(ctx context.Context, method, path string, o *openapi.Operation) pages.Operation {
	out := pages.Operation{
		ID: o.OperationID, Method: method, Path: path, Summary: say(ctx, o.Summary),
		Description: say(ctx, o.Description), Permission: permissionOf(o),
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
			answer.Example = "" // the page shows it already
		}
		out.Answers = append(out.Answers, answer)
	}
	return out
}

// request returns the operation with its examples filled in.
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
	r.URL = d.api().Servers[0].URL + path
	if len(query) > 0 {
		r.URL += "?" + strings.Join(query, "&")
	}
	return r
}

// samples returns the code samples of an operation.
func (d *documentation) samples(operationID string) (samples []docs.Sample) {
	d.each(func(method, path string, o *openapi.Operation) {
		if o.OperationID == operationID {
			samples = d.request(method, path, o).Samples()
		}
	})
	return samples
}

func (d *documentation) answer(ctx context.Context, status string, r openapi.Response) pages.Answer {
	r = d.api().Response(r)
	out := pages.Answer{Status: status}
	for _, h := range r.Headers {
		header := d.api().Header(h.Value)
		out.Headers = append(out.Headers, d.field(ctx, h.Name, header.Schema, header.Description))
	}
	if len(r.Content) == 0 {
		out.Description = say(ctx, r.Description)
		return out
	}
	media := r.Content[0].Value
	if media.Schema.RefName() != "Error" {
		out.Description, out.Fields, out.Example = say(ctx, r.Description), d.members(ctx, media.Schema, "",
			false), exampleOf(media)
		return out
	}
	var codes []string
	for _, example := range media.Examples {
		codes = append(codes, example.Name)
	}
	out.Codes = d.codes(ctx, status, codes)
	return out
}

// codes returns the error codes with the status and the names, or all codes if status is "".
func (d *documentation) codes(ctx context.Context, status string, names []string) (codes []pages.Code) {
	for _, c := range api.ErrorCodes() {
		if status == "" || status == strconv.Itoa(c.Status) && slices.Contains(names, c.Code) {
			codes = append(codes, pages.Code{Code: c.Code, Status: strconv.Itoa(c.Status), Type: c.Type,
				Meaning: say(ctx, c.Meaning)})
		}
	}
	return codes
}

func (d *documentation) parameter(ctx context.Context, p openapi.Parameter) pages.Field {
	f := d.field(ctx, p.Name, p.Schema, p.Description)
	f.In, f.Required = p.In, p.Required
	return f
}

// members returns the members of an object and of the objects in it, except those of a schema
// with a name of its own, which are listed where that schema is the answer. Required is set
// only for requests; answers and events always have all members.
func (d *documentation) members(ctx context.Context, s *openapi.Schema, prefix string,
	request bool) (fields []pages.Field) {
	s = d.api().Resolve(s)
	for _, m := range s.Properties {
		member := d.api().Resolve(m.Value)
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

func (d *documentation) field(ctx context.Context, name string, s *openapi.Schema, description string) pages.Field {
	f := pages.Field{Name: name, Type: cmp.Or(strings.Join(s.Type, " | "), "string"),
		Description: say(ctx, description), Rules: rules(ctx, s)}
	for _, value := range s.Enum {
		if value != nil {
			f.Values = append(f.Values, fmt.Sprint(value))
		}
	}
	if len(f.Values) == 1 {
		f.Values = nil // the description lists them
	}
	return f
}

// rules returns a schema's bounds in words.
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

// exampleOf returns the first example of a body, indented.
func exampleOf(m openapi.Media) string {
	if len(m.Examples) == 0 {
		return ""
	}
	var text string
	if json.Unmarshal(m.Examples[0].Value.Value, &text) == nil { // the example is a text and not a JSON object
		return strings.TrimSpace(text)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, m.Examples[0].Value.Value, "", "  "); err != nil {
		return ""
	}
	return b.String()
}

// bound formats a number for developers, with separators from a million on.
func bound(ctx context.Context, n int64) string {
	if n < 1_000_000 {
		return strconv.FormatInt(n, 10)
	}
	return i18n.Number(ctx, int(n))
}
