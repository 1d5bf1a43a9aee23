// Package i18n holds the texts of the pages in Portuguese and English, and formats money
// and dates for each language.
//
// A catalog is a JSON object of pages, each an object of texts: "title" under "pay" is the
// key "pay.title". A text may contain the verbs of fmt and **strong** words, which
// components.Rich shows. Tests prove that every text is in both catalogs, that no template
// uses a missing key, and that every key is used. The JSON API is not translated.
package i18n

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// Lang is a language that pages are written in, as a BCP 47 tag.
type Lang string

// The languages. Portuguese is the default.
const (
	Portuguese Lang = "pt-BR"
	English    Lang = "en"
)

//go:embed pt-BR.json en.json
var files embed.FS

// catalogs are read when the first text is needed, since most commands need none.
var catalogs = map[Lang]func() map[string]string{
	Portuguese: sync.OnceValue(func() map[string]string { return load(Portuguese) }),
	English:    sync.OnceValue(func() map[string]string { return load(English) }),
}

type langKey struct{}

// With returns a context whose pages are in lang.
func With(ctx context.Context, lang Lang) context.Context {
	return context.WithValue(ctx, langKey{}, lang)
}

// Of returns the language of ctx, Portuguese unless With was called.
func Of(ctx context.Context) Lang {
	if lang, ok := ctx.Value(langKey{}).(Lang); ok {
		return lang
	}
	return Portuguese
}

// Parse reads a language from a query, a cookie or a form: a tag or its first part, in any
// case. It returns false for an unsupported language.
func Parse(tag string) (Lang, bool) {
	primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
	switch primary {
	case "pt":
		return Portuguese, true
	case "en":
		return English, true
	}
	return Portuguese, false
}

// Other returns the language that lang can be switched to.
func Other(lang Lang) Lang {
	if lang == English {
		return Portuguese
	}
	return English
}

// T returns the text of key in the language of ctx, formatted with args if there are any.
// If the key is in no catalog it returns the key.
func T(ctx context.Context, key string, args ...any) string {
	return text(Of(ctx), key, args)
}

// In is T for a given language, for a link to a page in the other language.
func In(lang Lang, key string, args ...any) string {
	return text(lang, key, args)
}

// N returns the text of key + "_one" if n is 1, otherwise of key + "_other", with n
// formatted by Number.
func N(ctx context.Context, key string, n int) string {
	form := "_other"
	if n == 1 {
		form = "_one"
	}
	return T(ctx, key+form, Number(ctx, n))
}

func text(lang Lang, key string, args []any) string {
	catalog := catalogs[lang]
	if catalog == nil {
		return key
	}
	s, ok := catalog()[key]
	if !ok {
		return key
	}
	if len(args) == 0 {
		return s
	}
	return fmt.Sprintf(s, args...)
}

// load reads one catalog. The files are embedded and tested, so an error cannot reach a
// release; it would show keys in place of texts.
func load(lang Lang) map[string]string {
	catalog := map[string]string{}
	var pages map[string]map[string]string
	raw, err := files.ReadFile(string(lang) + ".json")
	if err != nil || json.Unmarshal(raw, &pages) != nil {
		return catalog
	}
	for page, texts := range pages {
		for name, s := range texts {
			catalog[page+"."+name] = s
		}
	}
	return catalog
}
