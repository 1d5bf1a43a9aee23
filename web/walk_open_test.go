package web_test

import (
	"net/http"
	"testing"
	"time"

	"garoupa/internal/ratelimit"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/web"
	"garoupa/web/browsertest"
	"garoupa/web/webtest"
)

// walkDocs sees the documentation, page by page.
func walkDocs(t *testing.T, w *walk) {
	page := w.open(t, webtest.New(t), "/docs")
	for _, path := range webtest.DocsPages() {
		page.visit(path[len("/docs/"):], path)
	}
	page.visit("first", "/docs?code=go")
	page.visit("php", "/docs/api/checkouts?code=php")
	page.visit("search", "/docs/search")
	page.visit("search-found", "/docs/search?q=checkout.paid")
	page.visit("search-none", "/docs/search?q=boleto")
}

// walkDevelopment sees the pages for those who work on the product or with it: the
// mails of an installation that sends none, and the parts that pages are made of.
func walkDevelopment(t *testing.T, w *walk) {
	s := webtest.New(t)
	page := w.open(t, s, "/dev/mail")
	page.visit("mails-none", "/dev/mail")
	if err := s.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return models.InsertMails(tx, models.Mail{
			Fact: "invite/1", To: "bia@example.com", Language: string(w.lang), Kind: models.MailInvite,
			CreatedAt: s.Clock.Now(),
			Params: map[string]string{"inviter": "Ana Lima", "account": "Ateliê Aurora", "role": "ADMIN",
				"token": "tok_1"},
		}, models.Mail{
			Fact: "password/1", To: "ana@example.com", Language: string(w.lang), Kind: models.MailPasswordChanged,
			CreatedAt: s.Clock.Now().Add(time.Second),
			Params:    map[string]string{"name": "Ana Lima", "at": "2026-03-01T12:00:00Z"},
		}, models.Mail{
			Fact: "charge_paid/1", To: "ana@example.com", Language: string(w.lang), Kind: models.MailChargePaid,
			CreatedAt: s.Clock.Now().Add(time.Minute),
			Params: map[string]string{
				"name": "Ana Lima", "account": "Ateliê Aurora", "amount": "24900",
				"description": "Aula de cerâmica para duas pessoas, sábado de manhã",
				"order":       "pedido-1042", "at": "2026-03-01T12:00:00Z", "charge": "chk_3f9a2c7d1e5b4a6f8c0d",
			},
		}, models.Mail{
			Fact: "charges_paid/1", To: "ana@example.com", Language: string(w.lang), Kind: models.MailChargesPaid,
			CreatedAt: s.Clock.Now().Add(2 * time.Minute),
			Params: map[string]string{
				"name": "Ana Lima", "account": "Ateliê Aurora", "count": "1234", "alone": "20", "amount": "12345678",
				"at": "2026-03-01T12:00:00Z", "until": "2026-03-01T13:00:00Z",
			},
		}, models.Mail{
			Fact: "month_closed/1", To: "ana@example.com", Language: string(w.lang), Kind: models.MailMonthClosed,
			CreatedAt: s.Clock.Now().Add(3 * time.Minute),
			Params: map[string]string{
				"name": "Ana Lima", "account": "Ateliê Aurora", "month": "2026-03-01T03:00:00Z", "sales": "1234",
				"opening": "1250000", "gross": "12345678", "fees": "185432", "refunds": "4990",
				"withdrawals": "9000000", "closing": "4405256", "first": "2026-03-01", "last": "2026-03-31",
			},
		})
	}); err != nil {
		t.Fatal(err)
	}
	page.visit("mails", "/dev/mail")
	page.visits(map[string]string{
		"mail-month":   page.Attr("main li:nth-child(1) a", "href"),
		"mail-charges": page.Attr("main li:nth-child(2) a", "href"),
		"mail-charge":  page.Attr("main li:nth-child(3) a", "href"),
		"mail":         page.Attr("main li:last-child a", "href"),
	})
	page.visit("components", "/dev/components")
}

// walkErrors sees what stands in place of a page.
func walkErrors(t *testing.T, w *walk) {
	s := webtest.NewLimited(t, web.Limits{Pages: ratelimit.New(ratelimit.Rate{Tokens: 1, Per: time.Hour, Burst: 17})})
	page := w.enter(t, s)
	page.refused("unknown", "/nada", http.StatusNotFound)
	page.refused("unknown-charge", "/app/cobrancas/chk_0", http.StatusNotFound)
	modelstest.Exec(t, s.DB, "ALTER TABLE products RENAME TO lost")
	page.refused("broken", "/app/produtos", http.StatusInternalServerError)
	for range 8 {
		s.Client(t).Get("/entrar")
	}
	page.refused("too-many", "/entrar", http.StatusTooManyRequests)
}

// walkDemo sees each frame with the banner of a demonstration.
func walkDemo(t *testing.T, w *walk) {
	s := webtest.NewWith(t, func(o *web.Options) { o.Demo = true })
	s.AddStaff(t, "eva@example.com", models.StaffReviewer)
	buyer := w.open(t, s, "/entrar")
	buyer.visits(map[string]string{"pay": "/pay/" + s.Checkout(t, payments.NewCheckout{}).ID, "log-in": "/entrar",
		"docs": "/docs"})
	w.enter(t, s).visit("home", "/app")
	desk := browsertest.Open(t, s.URL+"/app",
		browsertest.Options{Viewport: browsertest.Desktop, Cookies: s.Member(t).Cookies()})
	desk.WaitTrue(`(menu => innerHeight == 800 && menu.scrollHeight <= menu.clientHeight)(
		document.querySelector("[data-menu]"))`) // all of it is in view
	staff := w.open(t, s, "/entrar?next=/ops")
	enterConsole(t, s, staff.Page, "eva@example.com")
	staff.visit("ops", "/ops")
}
