package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"garoupa/views/components"
	"garoupa/web/browsertest"
	"garoupa/web/browsertest/upward"
)

// An icon, which is drawn as one path, fills the box of its source, and is as long as all of its shapes together, but
// for the few percent by which a browser measures a circle and its arcs differently.
func TestIcons_Browser(t *testing.T) {
	t.Parallel()
	folder, err := upward.Find("node_modules/lucide-static/icons")
	if err != nil {
		t.Fatal(err)
	}
	var body strings.Builder
	body.WriteString(`<!doctype html><html lang="pt-BR"><title>Icons</title><link rel="icon" href="data:,">`)
	for _, name := range components.Icons() {
		source, err := os.ReadFile(filepath.Join(folder, name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		body.WriteString(`<div id="` + name + `">` + string(source))
		if err := components.Icon(name, "").Render(t.Context(), &body); err != nil {
			t.Fatal(err)
		}
		body.WriteString("</div>")
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, body.String())
	}))
	defer site.Close()
	page := browsertest.Open(t, site.URL, browsertest.Options{})
	differing := browsertest.Eval[[]string](page, `[...document.querySelectorAll("div")].filter((icon) => {
		const measures = [...icon.querySelectorAll("svg")].map((svg) => {
			const box = svg.getBBox();
			const lengths = [...svg.querySelectorAll("*")].map((shape) => shape.getTotalLength());
			return [lengths.reduce((a, b) => a + b, 0), box.x, box.y, box.width, box.height];
		});
		return measures.length !== 2 ||
			measures[0].some((m, i) => Math.abs(m - measures[1][i]) > (i === 0 ? m / 25 : 0.01));
	}).map((icon) => icon.id)`)
	if len(differing) > 0 {
		t.Errorf("these icons differ from their source: %v", differing)
	}
}
