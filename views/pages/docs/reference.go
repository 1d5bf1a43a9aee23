package docs

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"garoupa/views/docs"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// IndexProps is the first page of the reference.
type IndexProps struct {
	Frame     layouts.DocsProps
	Code      string
	Addresses docs.Addresses
	Version   string
	Overview  []string // paragraphs
	Groups    []Group
}

// ReferenceProps are the operations of one group.
type ReferenceProps struct {
	Frame     layouts.DocsProps
	Addresses docs.Addresses
	Group     Group
	Code      string // the chosen language of samples
}

// Group is operations that belong together. Tag is "" for the events, which are
// sent to merchants, not by them.
type Group struct {
	Tag                     string
	Name, Description, Path string
	Operations              []Operation
}

// Operation is one call of the API, or one event.
type Operation struct {
	ID, Method, Path     string // an event has no method, and its type as path
	Summary, Description string
	Permission           string // "" for none
	Parameters           []Field
	Body                 []Field
	BodyExample          string
	Samples              []docs.Sample
	Answers              []Answer
}

// Field is a parameter, a header or a member of a body.
type Field struct {
	Name        string // of a member within members, all of them: "customer.name"
	Type        string
	In          string // the place of a parameter
	Required    bool
	Description string
	Rules       []string // bounds, in words
	Values      []string // the only ones, if any
}

// Answer is one answer of an operation.
type Answer struct {
	Status, Description string
	Fields, Headers     []Field
	Example             string
	Codes               []Code
}

// below returns the position of the samples beside the text of an operation, under the
// header of wide windows. Longer samples scroll.
func (p ReferenceProps) below() string {
	if p.Frame.Demo {
		return "xl:top-23 xl:max-h-[calc(100dvh-5.75rem)]"
	}
	return "xl:top-15 xl:max-h-[calc(100dvh-3.75rem)]"
}

// in returns the place of a parameter as text.
func (f Field) in(ctx context.Context) string {
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

// status returns the answer's status, as text for the default answer.
func (a Answer) status(ctx context.Context) string {
	if a.Status == "default" {
		return i18n.T(ctx, "docs.any_other")
	}
	return a.Status
}

// summary is what the answer is, or the codes that it may have, for docsText.
func (a Answer) summary() string {
	if len(a.Codes) == 0 {
		return a.Description
	}
	var codes []string
	for _, code := range a.Codes {
		codes = append(codes, "`"+code.Code+"`")
	}
	return strings.Join(codes, ", ")
}

// succeeded reports whether an answer is a success.
func (a Answer) succeeded() bool { return a.Status < "400" }

// Call is the operation as code: "POST /v1/checkouts". An event is its type alone.
func (o Operation) Call() string { return strings.TrimSpace(o.Method + " " + o.Path) }

// alike is the first operation whose body has the members that the i-th one's has.
func (g Group) alike(i int) Operation {
	return g.Operations[slices.IndexFunc(g.Operations, func(o Operation) bool {
		return reflect.DeepEqual(o.Body, g.Operations[i].Body)
	})]
}

// id names the group on the page that lists them.
func (g Group) id() string { return g.Path[strings.LastIndexByte(g.Path, '/')+1:] }

// SearchProps is what a search of the documentation found.
type SearchProps struct {
	Frame    layouts.DocsProps
	Question string
	Hits     []Hit
}

// Hit is one part of a page.
type Hit struct{ Title, Page, Href, Excerpt string }
