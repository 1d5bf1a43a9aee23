// Package layouts holds the frames of pages: Pay for buyers, Auth for logging in, App for the
// dashboard, Ops for the console, Docs for the documentation, and Sheet for printed pages.
//
// A frame is one whole HTML document. Every page runs under a policy without inline script
// or style, so the scripts of package static find their elements by data attributes. The
// language of a page is that of its context (package i18n).
package layouts

import (
	"time"

	"github.com/a-h/templ"

	"garoupa/views/components"
)

// Brand is the product's name on pages.
const Brand = "Garoupa"

// The grounds of pages in both themes, which the bars of a phone's browser take: --canvas in
// static/src/css/tokens.css.
const (
	CanvasLight = "#f6f8fa"
	CanvasDark  = "#0a0e13"
)

// ManifestPath is the address of what makes the dashboard an app.
const ManifestPath = "/garoupa.webmanifest"

// Theme is the visitor's choice of colors; "" follows the system.
type Theme string

// The values of the theme cookie and of the theme form.
const (
	ThemeSystem Theme = ""
	ThemeLight  Theme = "light"
	ThemeDark   Theme = "dark"
)

// The two help pages: how to pay, for buyers, and the documentation.
const (
	HelpPath = "/ajuda"
	DocsPath = "/docs"
)

// Legal holds the addresses of the terms of use and the privacy notice of the company that
// runs the installation; "" hides a link.
type Legal struct {
	TermsURL, PrivacyURL string
	SupportURL           string // a page or mailto:…, for merchants; buyers contact the store
}

// PreferencesPath accepts POSTs of the language and theme forms in Auth and App: "lang"
// (pt-BR, en) or "theme" (light, dark, or empty for the system's), and "next", the path of
// the 303. The handler must refuse a next that is not a local path.
const PreferencesPath = "/preferencias"

// The values of "rows", a field of [PreferencesPath].
const (
	RowsUsual = "usual"
	RowsLow   = "low"
)

// EnvironmentPath accepts POSTs of the Teste | Produção switch: "env" (test, live) and
// "next".
const EnvironmentPath = "/app/ambiente"

// ScopeField is the field that Within adds to a form.
const ScopeField = "garoupa_scope"

// SearchPath accepts GETs of the search field: "q".
const SearchPath = "/app/busca"

// PaletteListPath answers GETs of the palette with its list: "q". PaletteList is the list's id, and PaletteForm that of
// the form that its actions send.
const (
	PaletteListPath = SearchPath + "/lista"
	PaletteList     = "palette-list"
	PaletteForm     = "palette-form"
)

// LogOutPath accepts the POST of the account menu.
const LogOutPath = "/sair"

// Shell is the frame of every dashboard page.
type Shell struct {
	Account   string // the merchant's name
	UserName  string
	UserEmail string
	Several   bool   // the person has more than one account
	Live      bool   // the visitor sees live, otherwise test
	Scope     string // account and environment, which forms carry: see Within
	Theme     Theme
	Dense     bool   // the visitor wants low rows in tables
	Path      string // of this page with its query; the switches return to it
	Nav       []NavGroup
	Flash     *components.FlashProps // the result of the last form, shown once
	Now       time.Time              // "há 5 min" counts from here
	Demo      bool
	Legal     Legal
	Pulse     Pulse
}

// density returns what the html element says of the height of rows; the style sheet reads it.
func (s Shell) density() templ.Attributes {
	if !s.Dense {
		return nil
	}
	return templ.Attributes{"data-dense": true}
}

// Pulse lets an open page follow what is new. The zero value does not.
type Pulse struct {
	Stream string // the path of the stream, see [garoupa/web/page.Pulse]
	Mark   string // what the page shows already
}

// attributes are those of the part of the page that is kept current.
func (p Pulse) attributes() templ.Attributes {
	if p.Stream == "" {
		return nil
	}
	return templ.Attributes{"data-pulse": p.Stream, "data-mark": p.Mark}
}

// below chooses the classes of elements that stick to the top of the window, where the
// banner of a demonstration takes two rems.
func (s Shell) below(plain, demo string) string {
	if s.Demo {
		return demo
	}
	return plain
}
