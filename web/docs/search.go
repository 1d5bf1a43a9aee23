package docs

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"
	"golang.org/x/text/unicode/norm"

	"garoupa/views/docs"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/docs"
	"garoupa/web/page"
)

// Bounds of a search: characters of the question, results, and characters around a word that is found.
const (
	maxQuestion = 100
	maxHits     = 20
	around      = 90
)

// entry is a part of the documentation that a search can find.
type entry struct {
	title, page, path   string
	text                string
	foldedTitle, folded string // title and text as fold returns them
}

// index holds the entries in both languages. They are made at the first search.
type index struct {
	once    sync.Once
	entries map[i18n.Lang][]entry
	err     error
}

// search handles GET /docs/search: the parts of guides and of the reference that hold all words.
func (d *documentation) search(c *fiber.Ctx) error {
	ctx := c.UserContext()
	asked := []rune(strings.TrimSpace(c.Query("q")))
	question := string(asked[:min(len(asked), maxQuestion)])
	frame, err := d.frame(c, i18n.T(ctx, "docs.search"), "/docs/search")
	if err != nil {
		return err
	}
	frame.Question = question
	d.found.once.Do(func() { d.found.entries, d.found.err = d.entries() })
	if d.found.err != nil {
		return d.found.err
	}
	code := chosenCode(c)
	p := pages.SearchProps{Frame: frame, Question: question}
	for _, e := range found(d.found.entries[i18n.Of(ctx)], question) {
		p.Hits = append(p.Hits, pages.Hit{Title: e.title, Page: e.page, Href: pages.Address(e.path, code),
			Excerpt: e.excerpt(question)})
	}
	return page.Render(c, pages.Search(p))
}

// found returns the entries that hold all words of a question; those with a word in the title come first.
func found(all []entry, question string) (hits []entry) {
	words := strings.Fields(fold(question))
	if len(words) == 0 {
		return nil
	}
	rank := func(e entry) (n int) {
		for _, word := range words {
			if strings.Contains(e.foldedTitle, word) {
				n--
			}
		}
		return n
	}
	for _, e := range all {
		if !slices.ContainsFunc(words, func(word string) bool {
			return !strings.Contains(e.foldedTitle, word) && !strings.Contains(e.folded, word)
		}) {
			hits = append(hits, e)
		}
	}
	slices.SortStableFunc(hits, func(a, b entry) int { return rank(a) - rank(b) })
	return hits[:min(len(hits), maxHits)]
}

// excerpt returns the text around the first word of the question that it holds.
func (e entry) excerpt(question string) string {
	text, at := []rune(e.text), 0
	for _, word := range strings.Fields(fold(question)) {
		if before, _, ok := strings.Cut(e.folded, word); ok {
			at = utf8.RuneCountInString(before)
			break
		}
	}
	from, to := max(0, at-around), min(len(text), at+around)
	for from > 0 && text[from-1] != ' ' {
		from--
	}
	for to < len(text) && text[to] != ' ' {
		to++
	}
	part := string(text[from:to])
	if from > 0 {
		part = "… " + part
	}
	if to < len(text) {
		part += " …"
	}
	return part
}

// fold returns a text in lower case and without accents, with a rune for each of its runes.
func fold(text string) string {
	folded := []rune(text)
	for i, r := range folded {
		if r >= 0x80 {
			r = []rune(norm.NFD.String(string(r)))[0]
		}
		folded[i] = unicode.ToLower(r)
	}
	return string(folded)
}

// entries reads the guides by their headings, the codes of errors, and the operations.
func (d *documentation) entries() (map[i18n.Lang][]entry, error) {
	all := map[i18n.Lang][]entry{}
	for _, lang := range []i18n.Lang{i18n.Portuguese, i18n.English} {
		ctx := i18n.With(context.Background(), lang)
		add := func(title, page, path, text string) {
			text = strings.ReplaceAll(d.addresses.Filled(text), "`", "")
			all[lang] = append(all[lang], entry{title, page, path, text, fold(title), fold(text)})
		}
		for _, group := range docs.Groups {
			for _, slug := range group.Slugs {
				guide, err := docs.Read(lang, slug)
				if err != nil {
					return nil, err
				}
				for _, part := range guide.Parts() {
					add(part.Title, guide.Title, "/docs/"+slug+part.Fragment, part.Text)
				}
			}
		}
		errors := i18n.T(ctx, "docs.error_code")
		for _, code := range d.codes(ctx, "", nil) {
			add(code.Code, errors, "/docs/errors#"+code.ID(), code.Status+" "+code.Type+" "+code.Meaning)
		}
		for _, group := range d.outline(ctx) {
			for _, o := range d.filled(ctx, group).Operations {
				text := o.Call() + " " + o.Description
				for _, field := range slices.Concat(o.Parameters, o.Body) {
					text += " " + field.Name + ": " + field.Description
				}
				add(o.Summary, group.Name, group.Path+"#"+o.ID, text)
			}
		}
	}
	return all, nil
}
