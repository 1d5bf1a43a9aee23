package browsertest

import (
	"fmt"
	"net/http"
	"testing"
)

func TestAxe(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	for path, body := range map[string]string{
		"/clean":    `<p>Tudo certo</p>`,
		"/contrast": `<p id="pale" style="color:#bbb;background:#fff">Quase ilegível</p>`,
		"/label":    `<input id="bare">`,
		"/order":    `<h1>Loja</h1><h4 id="deep">Fundo</h4>`,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:")
			writePage(w, body)
		})
	}
	base := serveHandler(t, mux)
	tests := []struct {
		path string
		want []string
	}{
		{"/clean", nil},
		{"/contrast", []string{"axe color-contrast", "#pale", "contrast of"}},
		{"/label", []string{"axe label", "#bare"}},
		{"/order", []string{"axe heading-order", "#deep"}},
	}
	for _, test := range tests {
		t.Run(test.path[1:], func(t *testing.T) {
			t.Parallel()
			failed := failures(t, func(tb testing.TB) { Open(tb, base+test.path, Options{}).Axe() })
			if test.want == nil && len(failed) == 0 {
				return
			}
			wantFailure(t, failed, test.want...)
		})
	}
}

// Of a known frame only the colors are left out.
func TestAxeFramed(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	const pale = `<p id="pale" style="color:#bbb;background:#fff">Quase ilegível</p>`
	for path, body := range map[string]string{
		"/frame":  `<header>` + pale + `</header><main><h1>Loja</h1></main>`,
		"/menu":   `<aside><nav>` + pale + `</nav></aside><main><h1>Loja</h1></main>`,
		"/label":  `<header><input id="bare"></header><main><h1>Loja</h1></main>`,
		"/main":   `<main><h1>Loja</h1><header>` + pale + `</header></main>`,
		"/beside": `<main><h1>Loja</h1></main><aside>` + pale + `</aside>`,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `<!DOCTYPE html><html lang="pt-BR"><title>Loja</title><meta charset="utf-8">`+body)
		})
	}
	base := serveHandler(t, mux)
	for path, want := range map[string][]string{
		"/frame": nil, "/menu": nil, "/label": {"axe label", "#bare"}, "/main": {"axe color-contrast", "#pale"},
		"/beside": {"axe color-contrast", "#pale"},
	} {
		t.Run(path[1:], func(t *testing.T) {
			t.Parallel()
			failed := failures(t, func(tb testing.TB) { Open(tb, base+path, Options{}).AxeFramed() })
			if want == nil && len(failed) == 0 {
				return
			}
			wantFailure(t, failed, want...)
		})
	}
}

// A fault that only one theme, width or language has is found there, and only there.
func TestAxe_OneLook(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		label := ""
		if r.Header.Get("Accept-Language") != "en-US" {
			label = "Buscar"
		}
		writePage(w, `<style>
			@media (prefers-color-scheme: dark) { #dark { color: #bbb } }
			@media (width <= 320px) { #narrow { color: #bbb } }
		</style><p id="dark">Pálido à noite</p><p id="narrow">Pálido na tela pequena</p><input aria-label="`+label+`">`)
	})
	base := serveHandler(t, mux)
	small := Viewport{Width: 320, Height: 640, Scale: 1, Mobile: true}
	tests := []struct {
		name string
		look func(tb testing.TB)
		want []string
	}{
		{"none", func(tb testing.TB) { Open(tb, base, Options{}).Axe() }, nil},
		{"desktop", func(tb testing.TB) { Open(tb, base, Options{Viewport: Desktop}).Axe() }, nil},
		{"dark", func(tb testing.TB) { Open(tb, base, Options{Dark: true}).Axe() },
			[]string{"axe color-contrast", "#dark"}},
		{"dark afterwards", func(tb testing.TB) {
			page := Open(tb, base, Options{})
			page.Axe()
			page.SetDark(true)
			page.AxeColors()
		}, []string{"axe color-contrast", "#dark"}},
		{"narrow", func(tb testing.TB) { Open(tb, base, Options{Viewport: small}).Axe() },
			[]string{"axe color-contrast", "#narrow"}},
		{"narrow afterwards", func(tb testing.TB) {
			page := Open(tb, base, Options{})
			page.Axe()
			page.Resize(small)
			page.Axe()
		}, []string{"axe color-contrast", "#narrow"}},
		{"English", func(tb testing.TB) { Open(tb, base, Options{Lang: "en-US"}).Axe() },
			[]string{"axe label", "input"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			failed := failures(t, test.look)
			if test.want == nil && len(failed) == 0 {
				return
			}
			wantFailure(t, failed, test.want...)
		})
	}
}
