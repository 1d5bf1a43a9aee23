package web_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gofiber/fiber/v2"

	"garoupa/views/i18n"
)

// scenes are what there is to see, each on a site of its own that holds what its pages
// show.
var scenes = map[string]func(t *testing.T, w *walk){
	"access":    walkAccess,
	"account":   walkAccount,
	"at bank":   walkAtBank,
	"banks":     walkBanks,
	"bankwatch": walkBankWatch,
	"disputes":  walkDisputes,
	"brand":     walkBrand,
	"customers": walkCustomers,
	"dashboard": walkDashboard,
	"demo":      walkDemo,
	"dev":       walkDevelopment,
	"docs":      walkDocs,
	"empty":     walkEmpty,
	"errors":    walkErrors,
	"hosted":    walkHosted,
	"keys":      walkKeys,
	"links":     walkLinkCheckouts,
	"terms":     walkTerms,
	"money":     walkMoney,
	"nosignup":  walkNoSignUp,
	"ops":       walkOps,
	"ownbank":   walkOwnBank,
	"passkeys":  walkPasskeys,
	"previews":  walkPreviews,
	"sales":     walkSales,
	"security":  walkSecurity,
	"settings":  walkSettings,
	"sso":       walkSSO,
	"team":      walkTeam,
	"unlink":    walkUnlink,
	"webhooks":  walkWebhooks,
}

// notPages are the routes that answer GET with something else than a page, and what.
var notPages = map[string]string{
	"/":                                "leads to /app",
	"/app/configuracoes":               "leads to the first of the settings",
	"/pay/:id/renew":                   "leads back to the checkout",
	"/pay/:id/receipt":                 "leads back to the checkout",
	"/static/*":                        "files",
	"/favicon.ico":                     "an image",
	"/garoupa.webmanifest":             "what makes the dashboard an app",
	"/pay/:id/qr.png":                  "an image",
	"/qr/:file":                        "an image",
	"/app/links/:id/qr.svg":            "an image",
	"/app/links/:id/qr.png":            "an image",
	"/pay/:id/events":                  "a stream",
	"/app/cobrancas/:id/events":        "a stream",
	"/app/pulso/events":                "a stream",
	"/llms.txt":                        "a text",
	"/ops/pulso/events":                "a stream",
	"/app/auditoria.csv":               "a file",
	"/app/clientes/clientes.csv":       "a file",
	"/app/cobrancas/cobrancas.csv":     "a file",
	"/app/saldo/extrato.csv":           "a file",
	"/app/saldo/extrato.ofx":           "a file",
	"/app/saldo/extrato.xlsx":          "a file",
	"/app/saldo/vendas.csv":            "a file",
	"/app/saldo/vendas.xlsx":           "a file",
	"/app/disputas/:id/arquivos/:file": "a file",
	"/ops/disputas/:id/arquivos/:file": "a file",
	"/ops/auditoria.csv":               "a file",
	"/dev/mail/:id/html":               "a mail, which /dev/mail/:id shows in a frame",
	"/app/configuracoes/checkout/previa": "a page that cannot be touched, which /app/configuracoes/checkout shows in " +
		"a frame",
	"/app/configuracoes/checkout/previa/link": "a page that cannot be touched, which the forms of links and products " +
		"show in a frame",
	"/marca/:file": "a merchant's logo and colors",
	"/fotos/:file": "a product's picture",
	"/entrar/sso":  "leads to the company's provider",
	"/livez":       "a word for machines",

	"/entrar/sso/retorno": "leads on from the company's provider; the scene of it sees its refusals",
	"/readyz":             "a word for machines",
	"/app/busca/lista":    "a list, which the palette shows",
	"/v1/*":               "the API",
}

// languages are those in which scenes are walked. Those in English, of which translated reads most words, belong to
// make walk, because make test must stay short.
var languages = []i18n.Lang{i18n.Portuguese}

// thorough reports whether each page is looked at on a phone and at a desk, as make walk does.
var thorough bool

// Every page is accessible: on a phone in light colors, at a desk in dark ones. Nothing is cut off, no text is missing,
// and the browser's console has no errors.
func TestWalk_EveryPage(t *testing.T) {
	t.Parallel()
	seen := &routes{walked: map[string]bool{}}
	t.Run("scenes", func(t *testing.T) {
		for name, scene := range scenes {
			for _, lang := range languages {
				t.Run(name+" "+string(lang), func(t *testing.T) {
					t.Parallel()
					scene(t, &walk{scene: name, lang: lang, seen: seen})
				})
			}
		}
	})
	known := map[string]bool{}
	for _, r := range seen.all {
		if r.Method != http.MethodGet {
			continue
		}
		known[r.Path] = true
		if excused := notPages[r.Path] != "" || strings.HasPrefix(r.Path, "/v1/"); !seen.walked[r.Path] && !excused {
			t.Errorf("%s is walked by no scene, and stands not among those that are no page", r.Path)
		} else if seen.walked[r.Path] && excused {
			t.Errorf("%s is a page, and stands among those that are none", r.Path)
		}
	}
	for path := range notPages {
		if !known[path] && path != "/v1/*" {
			t.Errorf("%s stands among those that are no page, and is no route", path)
		}
	}
}

// routes are those of the gateway, and which of them were walked.
type routes struct {
	mu     sync.Mutex
	all    []fiber.Route
	walked map[string]bool
}

// walk notes that the page that answers a path was seen.
func (r *routes) walk(app *fiber.App, path string) {
	path, _, _ = strings.Cut(path, "?")
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = app.GetRoutes(true)
	}
	i := slices.IndexFunc(r.all, func(route fiber.Route) bool {
		return route.Method == http.MethodGet && fiber.RoutePatternMatch(path, route.Path,
			fiber.Config{CaseSensitive: true})
	})
	if i >= 0 {
		r.walked[r.all[i].Path] = true
	}
}
