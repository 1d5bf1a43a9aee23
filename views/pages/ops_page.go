package pages

import (
	"context"
	"io"
	"regexp"
	"strings"

	"github.com/a-h/templ"
)

// opsPages are the pages of the console about objects, by the prefix of their ids.
var opsPages = map[string]string{
	"acc": "/ops/contas/", "acr": "/ops/acessos/", "bnk": "/ops/bancos/", "chk": "/ops/cobrancas/",
	"dsp": "/ops/disputas/", "dst": "/ops/destinos/", "fpr": "/ops/tarifas/", "npr": "/ops/nomes/",
	"wdr": "/ops/saques/", "we": "/ops/webhooks/",
}

// opsSearched are the prefixes of further ids, whose object a search of the console shows.
var opsSearched = map[string]bool{
	"blk": true, "evt": true, "key": true, "pay": true, "plink": true, "prj": true, "req": true, "rfd": true,
	"usr": true,
}

// opsID matches ids of objects of the installation, and of a Pix. opsOneID matches a text that is one.
var (
	opsID    = regexp.MustCompile(`\b(?:[a-z]+_[0-9a-f]{16,24}|E[0-9]{8}[0-9A-Za-z]{23})\b`)
	opsOneID = regexp.MustCompile(`^(?:` + opsID.String() + `)$`)
)

// OpsPage returns where staff see the object of an id, or "" for what is no id of such an object.
func OpsPage(id string) string {
	if !opsOneID.MatchString(id) {
		return ""
	}
	prefix, _, ours := strings.Cut(id, "_")
	switch {
	case opsPages[prefix] != "":
		return opsPages[prefix] + id
	case !ours || opsSearched[prefix]: // of a Pix
		return "/ops/buscar?q=" + id
	}
	return ""
}

// OpsText is a text for staff, in which each id leads to the page of its object.
func OpsText(text string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		var out strings.Builder
		from := 0
		for _, at := range opsID.FindAllStringIndex(text, -1) {
			id := text[at[0]:at[1]]
			if href := OpsPage(id); href != "" {
				out.WriteString(templ.EscapeString(text[from:at[0]]))
				out.WriteString(`<a class="link" href="` + href + `">` + id + "</a>")
				from = at[1]
			}
		}
		out.WriteString(templ.EscapeString(text[from:]))
		_, err := io.WriteString(w, out.String())
		return err
	})
}
