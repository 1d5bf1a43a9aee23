package web_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"garoupa/web/webtest"
)

// The dashboard's pages name a manifest, which anyone may read, and whose pictures are there.
func TestManifest(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	path := s.Member(t).Get("/app").Find("link[rel=manifest]").AttrOr("href", "")
	c := s.Client(t)
	a := c.Get(path)
	var m struct {
		Name  string
		Start string `json:"start_url"`
		Icons []struct{ Src, Type string }
	}
	if err := json.Unmarshal([]byte(a.Body), &m); err != nil || a.Status != http.StatusOK || m.Name != "Garoupa" ||
		m.Start != "/app" || a.Header.Get("Content-Type") != "application/manifest+json" || len(m.Icons) == 0 {
		t.Fatalf("%q: %d %s, %v", path, a.Status, a.Body, err)
	}
	for _, icon := range m.Icons {
		if a := c.Get(icon.Src); a.Status != http.StatusOK || a.Header.Get("Content-Type") != icon.Type {
			t.Errorf("%s: %d %s", icon.Src, a.Status, a.Header.Get("Content-Type"))
		}
	}
}
