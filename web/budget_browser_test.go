package web_test

import (
	"net/http"
	"strings"
	"testing"

	"garoupa/merchants"
	"garoupa/payments"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// A first visit loads few bytes in few requests, and nothing from other hosts. The
// budgets leave out the icon (0.4 KB), which only a browser with a window requests, and
// the logo that a merchant adds to the pages for buyers.
func TestBudget_Browser(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	plain := s.Sale(t, nil)
	sold := s.Sale(t, func(p *merchants.ProductForm) { p.Slug, p.Picture = "foto", webtest.NoisyLogo(t, 400, 225) })
	checkout := s.Checkout(t, payments.NewCheckout{Amount: 1249_90, Description: "Vaso Lua Nova, esmalte azul"})
	type budget struct {
		bytes    int64
		requests int
		kinds    map[string]int64 // what all requests of a kind may weigh
	}
	for path, most := range map[string]budget{
		"/pay/" + checkout.ID: {45 << 10, 5, map[string]int64{"Document": 8 << 10, "Stylesheet": 7 << 10,
			"Script": 2560, "Font": 24 << 10}},
		plain.Path(): {35 << 10, 3, map[string]int64{"Document": 8 << 10, "Stylesheet": 7 << 10, "Script": 0,
			"Font": 24 << 10}},
		sold.Path(): {43 << 10, 4, map[string]int64{"Document": 8 << 10, "Stylesheet": 7 << 10, "Script": 0,
			"Font": 24 << 10, "Image": 13 << 10}},
		"/ajuda?lang=pt-BR": {35 << 10, 3, map[string]int64{"Document": 8 << 10, "Stylesheet": 7 << 10, "Script": 0,
			"Font": 24 << 10}},
		"/entrar": {60 << 10, 4, nil},
		"/app":    {60 << 10, 5, nil},
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			var cookies []*http.Cookie
			if path == "/app" {
				cookies = s.Member(t).Cookies()
			}
			page := browsertest.Open(t, s.URL+path,
				browsertest.Options{Viewport: browsertest.Desktop, Cookies: cookies})
			page.WaitVisible("main")
			var total int64
			sum := map[string]int64{}
			requests := page.Requests()
			for _, r := range requests {
				total += r.Bytes
				sum[r.Type] += r.Bytes
				if !strings.HasPrefix(r.URL, s.URL+"/") {
					t.Errorf("asks %s", r.URL)
				}
			}
			t.Logf("%d requests, %d bytes: %v", len(requests), total, sum)
			if len(requests) > most.requests || total > most.bytes {
				t.Errorf("%d requests, %d bytes, and may have %d and %d: %+v", len(requests), total, most.requests,
					most.bytes, requests)
			}
			for kind, limit := range most.kinds {
				if sum[kind] > limit {
					t.Errorf("%s: %d bytes, and may have %d", kind, sum[kind], limit)
				}
			}
		})
	}
}
