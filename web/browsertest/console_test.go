package browsertest

import (
	"net/http"
	"testing"
)

func TestConsoleErrorsFailTheTest(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	for path, body := range map[string]string{
		"/error":     `<script>console.error("saldo", 42, {a: 1})</script>`,
		"/assert":    `<script>console.assert(1 > 2, "ordem")</script>`,
		"/exception": `<script>setTimeout(() => { throw new TypeError("sem chave") })</script>`,
		"/promise":   `<script>Promise.reject(new Error("sem rede"))</script>`,
		"/image":     `<img src="/gone.png" alt="">`,
		"/log":       `<script>console.log("a"); console.warn("b"); console.info("c")</script>`,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { writePage(w, body) })
	}
	mux.HandleFunc("/policy", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'self'; img-src data:")
		writePage(w, `<p style="color: red">Oi</p>`)
	})
	mux.HandleFunc("/missing", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		writePage(w, `<h1>Não encontrado</h1>`)
	})
	base := serveHandler(t, mux)
	tests := []struct{ path, want string }{
		{"/error", "console.error: saldo 42 Object"},
		{"/assert", "console.assert: ordem"},
		{"/exception", "TypeError: sem chave"},
		{"/promise", "Error: sem rede"},
		{"/image", "404 (Not Found) (" + base + "/gone.png)"},
		{"/policy", "Content Security Policy"},
		{"/missing", "404 (Not Found) (" + base + "/missing)"},
		{"/log", ""},
	}
	for _, test := range tests {
		t.Run(test.path[1:], func(t *testing.T) {
			t.Parallel()
			failed := failures(t, func(tb testing.TB) {
				page := Open(tb, base+test.path, Options{})
				page.True("new Promise(next => setTimeout(next, 10))") // its own scripts' timers come first
			})
			if test.want == "" && len(failed) == 0 {
				return
			}
			wantFailure(t, failed, test.want)
		})
	}
}

func TestAllowConsoleExpectsAnError(t *testing.T) {
	t.Parallel()
	base := site(t, map[string]string{"/": `<img src="/gone.png" alt=""><script>console.error("outro")</script>`})
	failed := failures(t, func(tb testing.TB) {
		Open(tb, base, Options{}).AllowConsole("/gone.png")
	})
	wantFailure(t, failed, "console.error: outro")
}
