package web_test

import (
	"net/http"
	"testing"

	"garoupa/web/webtest"
)

// A form that another site makes the browser send is refused.
func TestCrossSite(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	c := s.Member(t)
	for _, path := range []string{"/app/chaves", "/app/ambiente", "/sair", "/preferencias", "/entrar", "/cadastro"} {
		request, err := http.NewRequestWithContext(t.Context(), "POST", s.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Origin", "https://evil.example")
		request.Header.Set("Sec-Fetch-Site", "cross-site")
		response, err := c.HTTP.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %d", path, response.StatusCode)
		}
	}
	if c.Get("/app").Status != http.StatusOK {
		t.Error("the session did not survive")
	}
}
