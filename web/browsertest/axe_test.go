package browsertest

import (
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
