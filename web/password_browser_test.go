package web_test

import (
	"testing"

	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// The button that shows a password keeps its name, which has the words on it, and says by its state whether it is
// pressed: a name that changed as well would say the opposite.
func TestPassword_Shown(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	page := browsertest.Open(t, s.URL+"/entrar", browsertest.Options{})
	page.Type("#password", "segredo")
	const button = "[data-reveal]"
	for _, want := range [][2]string{{"false", "password"}, {"true", "text"}, {"false", "password"}} {
		if name, words := page.Attr(button, "aria-label"), page.Text(button); name != "Mostrar senha" ||
			words != "Mostrar" {
			t.Errorf("the button is named %q and reads %q", name, words)
		}
		if got := [2]string{page.Attr(button, "aria-pressed"), page.Attr("#password", "type")}; got != want {
			t.Errorf("the button is pressed and the field's type is %q, want %q", got, want)
		}
		page.Axe()
		page.Click("Mostrar senha")
	}
}
