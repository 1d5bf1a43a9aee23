package pages

import (
	"context"
	"fmt"
	"html"
	"reflect"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"garoupa/views/docs"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// DocsGuideProps is one guide with what its directives show.
type DocsGuideProps struct {
	Frame          layouts.DocsProps
	Guide          *docs.Guide
	Addresses      docs.Addresses
	Code           string                   // the chosen language of samples
	Requests       map[string][]docs.Sample // by operation
	Errors         []DocsCode
	Permissions    []DocsPermission
	Previous, Next *layouts.DocsLink
}

// DocsCode is one code of the API's errors.
type DocsCode struct {
	Code, Status, Type, Meaning string
}

// DocsPermission is one permission of keys, and the calls that need it.
type DocsPermission struct {
	Name  string
	Calls []string
}

// DocsIndexProps is the first page of the reference.
type DocsIndexProps struct {
	Frame     layouts.DocsProps
	Code      string
	Addresses docs.Addresses
	Version   string
	Overview  []string // paragraphs
	Groups    []DocsGroup
}

// DocsReferenceProps are the operations of one group.
type DocsReferenceProps struct {
	Frame     layouts.DocsProps
	Addresses docs.Addresses
	Group     DocsGroup
	Code      string // the chosen language of samples
}

// DocsGroup is operations that belong together. Tag is "" for the events, which are
// sent to merchants, not by them.
type DocsGroup struct {
	Tag                     string
	Name, Description, Path string
	Operations              []DocsOperation
}

// DocsOperation is one call of the API, or one event.
type DocsOperation struct {
	ID, Method, Path     string // an event has no method, and its type as path
	Summary, Description string
	Permission           string // "" for none
	Parameters           []DocsField
	Body                 []DocsField
	BodyExample          string
	Samples              []docs.Sample
	Answers              []DocsAnswer
}

// DocsField is a parameter, a header or a member of a body.
type DocsField struct {
	Name        string // of a member within members, all of them: "customer.name"
	Type        string
	In          string // where a parameter stands
	Required    bool
	Description string
	Rules       []string // bounds, in words
	Values      []string // the only ones, if any
}

// DocsAnswer is one answer of an operation.
type DocsAnswer struct {
	Status, Description string
	Fields, Headers     []DocsField
	Example             string
	Codes               []DocsCode
}

// DocsAddress adds the chosen language of samples to an address of the
// documentation, so that following a link keeps it.
func DocsAddress(href, code string) string {
	if code == "" || code == docs.Languages[0].ID {
		return href
	}
	path, fragment, found := strings.Cut(href, "#")
	if found {
		fragment = "#" + fragment
	}
	return path + "?code=" + code + fragment
}

// prose is a block's HTML with its addresses filled in.
func (p DocsGuideProps) prose(html string) string {
	html = p.Addresses.Filled(html)
	parts := strings.Split(html, `href="/docs`)
	for i := 1; i < len(parts); i++ {
		path, rest, _ := strings.Cut(parts[i], `"`)
		parts[i] = strings.TrimPrefix(DocsAddress("/docs"+path, p.Code), "/docs") + `"` + rest
	}
	return strings.Join(parts, `href="/docs`)
}

// below is where the samples stand beside what is read of an operation, under the header
// of wide windows. What is longer than the window scrolls by itself.
func (p DocsReferenceProps) below() string {
	if p.Frame.Demo {
		return "xl:top-23 xl:max-h-[calc(100dvh-5.75rem)]"
	}
	return "xl:top-15 xl:max-h-[calc(100dvh-3.75rem)]"
}

// samples are those that a directive names.
func (p DocsGuideProps) samples(b docs.Block) []docs.Sample {
	if b.Directive == "request" {
		return p.Requests[b.Argument]
	}
	return docs.Programs(b.Argument)
}

// codeTitle is what a block of fenced code is.
func codeTitle(language string) string {
	switch language {
	case "sh":
		return "Terminal"
	case "http":
		return "HTTP"
	}
	return "JSON"
}

// in says where a parameter stands.
func (f DocsField) in(ctx context.Context) string {
	switch f.In {
	case "path":
		return i18n.T(ctx, "docs.in_path")
	case "query":
		return i18n.T(ctx, "docs.in_query")
	case "header":
		return i18n.T(ctx, "docs.in_header")
	}
	return ""
}

// status is the answer's, in words for the one that stands for all others.
func (a DocsAnswer) status(ctx context.Context) string {
	if a.Status == "default" {
		return i18n.T(ctx, "docs.any_other")
	}
	return a.Status
}

// summary is what the answer is, or the codes that it may have, for docsText.
func (a DocsAnswer) summary() string {
	if len(a.Codes) == 0 {
		return a.Description
	}
	var codes []string
	for _, code := range a.Codes {
		codes = append(codes, "`"+code.Code+"`")
	}
	return strings.Join(codes, ", ")
}

// succeeded reports whether an answer is no error.
func (a DocsAnswer) succeeded() bool { return a.Status < "400" }

// call is the operation as code: "POST /v1/checkouts". An event is its type alone.
func (o DocsOperation) call() string { return strings.TrimSpace(o.Method + " " + o.Path) }

// alike is the first operation whose body has the members that the i-th one's has.
func (g DocsGroup) alike(i int) DocsOperation {
	return g.Operations[slices.IndexFunc(g.Operations, func(o DocsOperation) bool {
		return reflect.DeepEqual(o.Body, g.Operations[i].Body)
	})]
}

// id names the group on the page that lists them.
func (g DocsGroup) id() string { return g.Path[strings.LastIndexByte(g.Path, '/')+1:] }

// docsText shows a text of the API's description: what stands between ` is code. Not a
// templ, which would put a space after the code.
func docsText(text string) templ.Component {
	var b strings.Builder
	for i, part := range strings.Split(text, "`") {
		part = html.EscapeString(part)
		if i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		b.WriteString(part)
	}
	return templ.Raw(b.String())
}

// docsCode shows code, with its comments, texts and words set apart. Not a templ: in
// a pre every space counts.
func docsCode(id, label, language, code string) templ.Component {
	const class = "scrolls max-h-[36.5rem] overflow-auto px-4 py-3.5 font-mono text-[12.5px]/5 text-ink"
	return templ.Raw(fmt.Sprintf(`<pre id="%s" tabindex="0" aria-label="%s" class="%s">%s</pre>`,
		html.EscapeString(id), html.EscapeString(label), class, docs.Highlight(language, code)))
}
