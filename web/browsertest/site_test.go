package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// site serves a page per path, each without an accessibility violation of its own, and
// whatever else the tests need.
func site(t *testing.T, bodies map[string]string) string {
	t.Helper()
	mux := http.NewServeMux()
	for path, body := range bodies {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { writePage(w, body) })
	}
	return serveHandler(t, mux)
}

func serveHandler(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// writePage answers with an HTML page around body.
func writePage(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	heading := "<h1>Loja</h1>"
	if strings.Contains(body, "<h1") {
		heading = ""
	}
	fmt.Fprintf(w, `<!doctype html><html lang="pt-BR"><head><title>Loja</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body><main>%s%s</main></body></html>`, heading, body)
}
