// Package layouts holds the frames that pages stand in: Pay for buyers, Auth for
// signing up and in, App for the merchant's dashboard.
//
// A frame is one whole HTML document. Every page runs under a policy without
// inline script or style, so behaviour hangs on data attributes that the scripts
// of package static look for. The language of a page is the one of its context
// (package i18n).
package layouts

import (
	"time"

	"garoupa/views/components"
)

// Brand is the product's name as pages show it.
const Brand = "Garoupa"

// Theme is the visitor's choice of colours; "" follows the system.
type Theme string

// The values of the theme cookie and of the theme form.
const (
	ThemeSystem Theme = ""
	ThemeLight  Theme = "light"
	ThemeDark   Theme = "dark"
)

// The two places of help: how to pay, for buyers, and the documentation.
const (
	HelpPath = "/ajuda"
	DocsPath = "/docs"
)

// Legal is where the company that runs the installation says what it asks of people and
// what it does with their data; "" for an address that it did not name. Nothing then
// shows.
type Legal struct {
	TermsURL, PrivacyURL string
	SupportURL           string // where it is reached, a page or mailto:…: for merchants, as buyers have the store
}

// PreferencesPath takes POSTs of the language and theme forms that Auth and App
// carry: "lang" (pt-BR, en) or "theme" (light, dark, or empty for the system's),
// and "next", a path to answer 303 to. The handler must refuse a next that is
// not a local path.
const PreferencesPath = "/preferencias"

// EnvironmentPath takes POSTs of the Teste | Produção switch: "env" (test, live)
// and "next".
const EnvironmentPath = "/app/ambiente"

// ScopeField is the field that Within adds to a form.
const ScopeField = "garoupa_scope"

// SearchPath takes GETs of the search field: "q".
const SearchPath = "/app/busca"

// LogOutPath takes the POST of the account menu.
const LogOutPath = "/sair"

// Shell is what every page of the dashboard shows around its content.
type Shell struct {
	Account   string // the merchant's name
	UserName  string
	UserEmail string
	Several   bool   // the person has more than one account
	Livemode  bool   // the environment the visitor looks at
	Scope     string // account and environment, which a form says that it was shown for: see Within
	Theme     Theme
	Path      string // of this page with its query; the switches return here
	Nav       []NavGroup
	Flash     *components.FlashProps // what the last form did, shown once
	Now       time.Time              // "há 5 min" counts from here
	Demo      bool
	Legal     Legal
}

// below chooses the classes of what sticks to the top of the window, where the
// banner of a demonstration takes two rems.
func (s Shell) below(plain, demo string) string {
	if s.Demo {
		return demo
	}
	return plain
}
