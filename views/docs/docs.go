// Package docs holds the documentation served at {app_url}/docs: the guides, in Portuguese
// and English, and the code samples.
//
// A guide is a Markdown file. Its first line is the title, its first paragraph the summary.
// A line that begins with @ names a part that is not prose: a code sample, or a table that
// the program fills in. Tests run the samples.
package docs

import (
	"bytes"
	"embed"
	"fmt"
	"html"
	"regexp"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"

	"garoupa/views/i18n"
)

// The guides by their place in the address, in the order of the menu.
const (
	Quickstart     = "quickstart"
	TestMode       = "test-mode"
	Bank           = "bank"
	Checkouts      = "checkouts"
	Webhooks       = "webhooks"
	PaymentLinks   = "payment-links"
	Refunds        = "refunds"
	Withdrawals    = "withdrawals"
	Audit          = "audit"
	GoingLive      = "going-live"
	Authentication = "authentication"
	Idempotency    = "idempotency"
	Errors         = "errors"
	Pagination     = "pagination"
	RateLimits     = "rate-limits"
	Versioning     = "versioning"
)

// Groups are the guides in the order of the menu. Their names are the texts "docs.group_" +
// ID.
var Groups = []Group{
	{"start", []string{Quickstart, TestMode, Bank}},
	{"build", []string{Checkouts, Webhooks, PaymentLinks, Refunds, Withdrawals, Audit, GoingLive}},
	{"rules", []string{Authentication, Idempotency, Errors, Pagination, RateLimits, Versioning}},
}

// Group is a part of the menu.
type Group struct {
	ID    string
	Slugs []string
}

// Guide is one page.
type Guide struct {
	Slug     string
	Title    string
	Lead     string // its summary, as HTML
	Blocks   []Block
	Headings []Heading
}

// Heading is a part of a guide with an address of its own.
type Heading struct{ ID, Text string }

// Block is a piece of a guide: prose, code, or what Directive names.
type Block struct {
	HTML      string // trusted: made from the files of this package
	Code      string
	Language  string // of Code
	Directive string // a word
	Argument  string // of the directive
}

//go:embed pt-BR en
var guides embed.FS

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithHeadingAttribute()),
)

type library map[i18n.Lang]map[string]*Guide

var load = sync.OnceValues(func() (library, error) {
	all := library{}
	for _, lang := range []i18n.Lang{i18n.Portuguese, i18n.English} {
		all[lang] = map[string]*Guide{}
		for _, group := range Groups {
			for _, slug := range group.Slugs {
				guide, err := read(lang, slug)
				if err != nil {
					return nil, err
				}
				all[lang][slug] = guide
			}
		}
	}
	return all, nil
})

// Read returns a guide, or nil if no guide has the slug.
func Read(lang i18n.Lang, slug string) (*Guide, error) {
	all, err := load()
	if err != nil {
		return nil, err
	}
	return all[lang][slug], nil
}

func read(lang i18n.Lang, slug string) (*Guide, error) {
	source, err := guides.ReadFile(string(lang) + "/" + slug + ".md")
	if err != nil {
		return nil, fmt.Errorf("docs: %w", err)
	}
	title, rest, _ := strings.Cut(string(source), "\n")
	lead, rest, _ := strings.Cut(strings.TrimSpace(rest), "\n\n")
	g := &Guide{Slug: slug, Title: strings.TrimPrefix(title, "# ")}
	if g.Lead, err = prose(lead); err != nil {
		return nil, err
	}
	if err := g.split(rest); err != nil {
		return nil, err
	}
	return g, nil
}

// special matches everything except prose: a directive, or fenced code.
var special = regexp.MustCompile("(?ms)^@([a-z]+)(?: ([A-Za-z]+))?$|^```([a-z]*)\n(.*?)\n```$")

// split splits a text into its blocks.
func (g *Guide) split(text string) error {
	at := 0
	for _, m := range special.FindAllStringSubmatchIndex(text, -1) {
		if err := g.addProse(text[at:m[0]]); err != nil {
			return err
		}
		group := func(n int) string {
			if m[2*n] < 0 {
				return ""
			}
			return text[m[2*n]:m[2*n+1]]
		}
		g.Blocks = append(g.Blocks, Block{Directive: group(1), Argument: group(2), Language: group(3), Code: group(4)})
		at = m[1]
	}
	return g.addProse(text[at:])
}

var heading = regexp.MustCompile(`<h2 id="([^"]+)">(.*?)</h2>`)

func (g *Guide) addProse(text string) error {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	rendered, err := prose(text)
	if err != nil {
		return err
	}
	for _, m := range heading.FindAllStringSubmatch(rendered, -1) {
		g.Headings = append(g.Headings, Heading{m[1], html.UnescapeString(tag.ReplaceAllString(m[2], ""))})
	}
	g.Blocks = append(g.Blocks, Block{HTML: rendered})
	return nil
}

var tag = regexp.MustCompile(`<[^>]+>`)

func prose(text string) (string, error) {
	var b bytes.Buffer
	if err := markdown.Convert([]byte(text), &b); err != nil {
		return "", fmt.Errorf("docs: render: %w", err)
	}
	return code.ReplaceAllStringFunc(b.String(),
		func(code string) string { return step.ReplaceAllString(code, "$1<wbr>") }), nil
}

// Allows line breaks after a slash of a path and after a dot of a type, where browsers do
// not break.
var (
	code = regexp.MustCompile(`<code>[^<]+`)
	step = regexp.MustCompile(`([\w}]/|[a-z]\.)\b`)
)

// Filled replaces the names of addresses in a text: {base_url}, {checkout_host} and
// {app_url}.
func (a Addresses) Filled(text string) string {
	return strings.NewReplacer("%7Bbase_url%7D", a.Base, "{base_url}", a.Base, "{checkout_host}", a.Checkout,
		"{app_url}", a.App, sampleHost, a.Base).Replace(text)
}

// Addresses are this installation's addresses, without a slash at the end.
type Addresses struct{ Base, Checkout, App string }

// sampleHost is the API's address in the files of samples.
const sampleHost = "https://api.example"
