package dashboard_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"garoupa/internal/ratelimit"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web"
	"garoupa/web/webtest"
)

// A stopped merchant reads where to ask, if the installation names a support address.
func TestSupport(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*webtest.Site{"with": webtest.NewWith(t, webtest.WithNotices),
		"without": webtest.New(t)} {
		s.GoLive(t)
		s.TurnSwitch(t, s.Staff(t), models.SwitchSuspended, true)
		c := s.Member(t)
		c.Post("/app/ambiente", "env", "live")
		for _, path := range []string{"/app", "/app/producao", "/app/saques"} {
			if got := c.Get(path).Find("main a[href='" + webtest.SupportURL +
				"']").Text(); (got == "Falar com o suporte") != (name == "with") {
				t.Errorf("%s support, %s: %q", name, path, got)
			}
		}
	}
}

// A mail leads to a page of live, and its reader may be looking at test: the page says so
// and leads there in one step. What is nowhere, or another account's, is just not there.
func TestNotFound_OtherEnvironment(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	c := s.Member(t)
	c.Lang = "en"
	sold := s.Fund(t, models.Live, 100_00)
	s.Destination(t, models.RailPix)
	for _, path := range []string{"/app/cobrancas/" + sold.ID, "/app/saques/" + s.Withdraw(t, 50_00).ID} {
		a := c.Get(path)
		form := a.Find("main form[action='/app/ambiente']")
		if a.Status != http.StatusNotFound || form.Find("button").Text() != "View in Live" ||
			!strings.Contains(a.Find("main").Text(), "This is in live mode") {
			t.Fatalf("%s: %d %s", path, a.Status, a.Find("main").Text())
		}
		var fields []string
		form.Find("input").Each(func(_ int, input *goquery.Selection) {
			fields = append(fields, input.AttrOr("name", ""), input.AttrOr("value", ""))
		})
		if a := c.Post("/app/ambiente", fields...); a.Header.Get("Location") != path ||
			c.Get(path).Status != http.StatusOK {
			t.Errorf("%s: the button leads to %s", path, a.Header.Get("Location"))
		}
		c.Post("/app/ambiente", "env", "test", "next", path)
	}
	test := s.Checkout(t, payments.NewCheckout{})
	c.Post("/app/ambiente", "env", "live")
	if a := c.Get("/app/cobrancas/" + test.ID); a.Find("main form button").Text() != "View in Test" {
		t.Errorf("a test charge from live: %s", a.Find("main").Text())
	}
	if a := c.Post("/app/ambiente", "env", "live", "there", "on", "next",
		"//evil.example"); a.Header.Get("Location") != "/app" {
		t.Errorf("led to %s", a.Header.Get("Location"))
	}
	for _, nowhere := range []string{"/app/cobrancas/chk_00000000000000000000", "/app/saques/" + test.ID, "/app/nada"} {
		if a := c.Get(nowhere); a.Status != http.StatusNotFound || a.Find("main form").Length() != 0 {
			t.Errorf("%s: %d %s", nowhere, a.Status, a.Find("main").Text())
		}
	}
}

// Every error leads on: within the dashboard to the section and the start page, elsewhere
// to where it is worth trying; and what may pass is offered again.
func TestErrors_LeadOn(t *testing.T) {
	t.Parallel()
	s := webtest.NewLimited(t, web.Limits{Pages: ratelimit.New(ratelimit.Rate{Tokens: 1, Per: time.Hour, Burst: 17})})
	c := s.Member(t)
	leads := func(path string, status int, hrefs ...string) {
		t.Helper()
		a := c.Get(path)
		var got []string
		a.Find("main a[href]").Each(func(_ int, link *goquery.Selection) { got = append(got, link.AttrOr("href", "")) })
		if a.Status != status || !slices.Equal(got, hrefs) {
			t.Errorf("%s is %d and leads to %q, want %d and %q", path, a.Status, got, status, hrefs)
		}
	}
	leads("/app/cobrancas/chk_0", http.StatusNotFound, "/app/cobrancas", "/app")
	leads("/app/nada", http.StatusNotFound, "/app")
	leads("/nada", http.StatusNotFound, "/")
	modelstest.Exec(t, s.DB, "ALTER TABLE products RENAME TO lost")
	leads("/app/produtos", http.StatusInternalServerError, "", "/app")
	for range 8 {
		c.Get("/entrar")
	}
	leads("/entrar", http.StatusTooManyRequests, "")
}

// A withdrawal that went wrong says what is back in the balance and leads to the next
// one, and to where it goes; one that arrived, or is on its way, does not.
func TestWithdrawal_NextStep(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	s.GoLive(t)
	s.Fund(t, models.Live, 1000_00)
	s.Destination(t, models.RailPix)
	c := s.Member(t)
	c.Post("/app/ambiente", "env", "live")
	by := s.Staff(t)
	next := func(w *models.Withdrawal, leads bool, back string) {
		t.Helper()
		main := c.Get("/app/saques/" + w.ID).Find("main")
		found := main.Find("a[href='/app/saques/novo'], a[href='/app/saques/destinos']").Length() == 2
		if found != leads || !strings.Contains(main.Text(), back) {
			t.Errorf("leads on: %v, want %v and %q: %s", found, leads, back, main.Text())
		}
	}
	rejected := s.Withdraw(t, 100_00)
	next(rejected, false, "")
	if _, err := s.RejectWithdrawal(t.Context(), by, rejected.ID, rejected.Version, "DATA_MISMATCH",
		"Outro titular."); err != nil {
		t.Fatal(err)
	}
	next(rejected, true, "De volta no saldo disponível: R$\u00a0100,00.")
	arrived := s.Withdraw(t, 50_00)
	s.PayOut(t, by, arrived.ID)
	next(arrived, false, "")
	if _, err := s.ReturnWithdrawal(t.Context(), by, arrived.ID, s.Version(t, arrived.ID), "CLOSED",
		"A conta foi encerrada."); err != nil {
		t.Fatal(err)
	}
	next(arrived, true, "De volta no saldo disponível: R$\u00a050,00.")
}
