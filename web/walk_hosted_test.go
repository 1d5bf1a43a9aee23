package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/api"
	"garoupa/banks/bankstest"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/bank/control"
	"garoupa/web"
	"garoupa/web/webtest"
)

// walkHosted sees what buyers see of a shop's charges and links, in every state.
func walkHosted(t *testing.T, w *walk) {
	s := webtest.New(t)
	s.LiftLimits(t)
	s.GoLive(t)
	pending := s.Checkout(t, payments.NewCheckout{Amount: 1249_90, Description: "Vaso Lua Nova, esmalte azul",
		ExternalID: "pedido-" + strings.Repeat("1234567890", 6)})
	bare, urgent := s.Checkout(t, payments.NewCheckout{Amount: 999_999_999_99}), s.Checkout(t,
		payments.NewCheckout{ExpiresIn: 4 * time.Minute})
	paid, expired, cancelled := s.Checkout(t, payments.NewCheckout{Amount: 1249_90}), s.Checkout(t,
		payments.NewCheckout{}), s.Checkout(t, payments.NewCheckout{})
	sold, _, err := s.CreateCheckout(t.Context(), s.Live, s.Account,
		paymentstest.Filled(payments.NewCheckout{Amount: 89_00}))
	for _, err := range []error{
		err, s.SimulatePayment(t.Context(), paid.ID), s.SimulateExpiry(t.Context(), expired.ID),
		s.CancelCheckout(t.Context(), s.Owner, s.Test, cancelled.ID),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	buyer := w.open(t, s, "/pay/"+pending.ID)
	buyer.visits(map[string]string{
		"pay-live": "/pay/" + sold.ID, "pay-bare": "/pay/" + bare.ID, "pay-urgent": "/pay/" + urgent.ID,
		"pay-paid":    "/pay/" + paid.ID,
		"pay-expired": "/pay/" + expired.ID, "pay-cancelled": "/pay/" + cancelled.ID,
	})
	buyer.visit("help", "/ajuda")
	buyer.visit("pay-pending", "/pay/"+pending.ID)
	buyer.Click("button[aria-controls=qr]")
	buyer.WaitVisible("#qr svg")
	buyer.look("pay-qr-open")
	buyer.SetOffline(true)
	buyer.WaitVisible("#net")
	buyer.look("pay-offline")
	buyer.SetOffline(false)
	buyer.refused("pay-unknown", "/pay/chk_0", http.StatusNotFound)
	buyer.refused("link-unknown", "/l/plink_0", http.StatusNotFound)
	email := "carla@example.com"
	known := s.Checkout(t, payments.NewCheckout{Customer: payments.Customer{Email: &email}})
	if err := s.SimulatePayment(t.Context(), known.ID); err != nil {
		t.Fatal(err)
	}
	buyer.visit("pay-receipt-known", "/pay/"+known.ID+"?receipt=sent#sent")
	buyer.WaitFocused("#sent")
	buyer.Click("#by-mail ~ details summary")
	buyer.Type("#email", "carla@")
	buyer.Click("#by-mail ~ details button")
	buyer.WaitVisible("#email-error")
	buyer.look("pay-receipt-wrong")
	s.TurnSwitch(t, s.Staff(t), models.SwitchSuspended, true)
	buyer.visit("pay-stopped", "/pay/"+sold.ID)
}

// walkAtBank sees the page of a charge at a bank: while the bank is slow, and after a Pix that pays too little.
func walkAtBank(t *testing.T, w *walk) {
	h := bankstest.New(t)
	s := webtest.Serve(t, h.Gateway, func(o *web.Options) { o.Now = h.Bank.Clock.Now }, func(*api.Options) {})
	slow, mispaid := h.Charge(t, payments.NewCheckout{Amount: 1249_90}), h.Charge(t, payments.NewCheckout{})
	h.Pay(t, control.PayRequest{Code: mispaid.CopyPaste, Amount: 9_99})
	h.Sweep(t)
	buyer := w.open(t, s, "/pay/"+mispaid.ID)
	buyer.visit("mispaid", "/pay/"+mispaid.ID)
	h.Later(5 * time.Minute)
	buyer.visit("slow", "/pay/"+slow.ID)
}

// walkBrand sees the hosted pages in a merchant's own color, which is hard to read on
// white.
func walkBrand(t *testing.T, w *walk) {
	s := webtest.NewWith(t, webtest.WithNotices)
	s.SetBrand(t, merchants.BrandLook{Accent: "#ffd400", Support: "+55 (11) 91234-5678"},
		webtest.NoisyLogo(t, 900, 300))
	err := s.Merchants.SetThanks(t.Context(), s.Owner, merchants.Thanks{Thanks: models.Thanks{
		Text: strings.Repeat("Enviamos em até 3 dias úteis. ", 9), Label: strings.Repeat("Acompanhar", 4),
		URL: "https://loja.example/" + strings.Repeat("pedido", 20)}})
	if err != nil {
		t.Fatal(err)
	}
	pending, paid := s.Checkout(t, payments.NewCheckout{Amount: 1249_90,
		Description: "Vaso Lua Nova, esmalte azul"}), s.Checkout(t, payments.NewCheckout{})
	if err := s.SimulatePayment(t.Context(), paid.ID); err != nil {
		t.Fatal(err)
	}
	w.open(t, s, "/pay/"+pending.ID).visits(map[string]string{
		"pay": "/pay/" + pending.ID, "paid": "/pay/" + paid.ID, "link": s.Sale(t, nil).Path(), "help": "/ajuda",
	})
}

// walkLinkCheckouts sees a link in every state, and the checkout it makes, with the
// ways back to the store and to another code.
func walkLinkCheckouts(t *testing.T, w *walk) {
	s := webtest.New(t)
	s.LiftLimits(t)
	success, back := "https://loja.example/obrigado", "https://loja.example/carrinho"
	plain := s.SaleIn(t, s.Test, func(p *merchants.ProductForm) {
		p.Description = "Cerâmica de alta temperatura, esmalte azul cobalto. 24 cm de altura.\nEnvio em até 3 dias " +
			"úteis."
		p.Picture = webtest.Photo(t, 800, 450)
	}, payments.NewPaymentLink{SuccessURL: &success, ReturnURL: &back})
	long := s.Sale(t, func(p *merchants.ProductForm) {
		p.Slug, p.Name, p.PaymentCycle = "clube", strings.Repeat("Clube da Cerâmica ", 11), "MONTHLY"
		p.Description, p.Amount = strings.Repeat("Semprejuntosemcadaforneada", 10), 999_999_999_999
		p.Picture = webtest.Photo(t, 300, 400)
	})
	broken := s.Sale(t, func(p *merchants.ProductForm) {
		p.Slug, p.Amount = "caro",
			10_37
	}) // the amount that is refused in test
	off := s.Sale(t, func(p *merchants.ProductForm) { p.Slug = "parado" })
	off.Update(t, func(p *merchants.ProductForm) { p.Active = false })

	buyer := w.open(t, s, long.Path())
	buyer.AllowConsole("status of 503")
	buyer.visit("long", long.Path())
	buyer.refused("inactive", off.Path(), http.StatusNotFound)
	buyer.Goto(s.URL + broken.Path())
	buyer.Click("main form button")
	buyer.WaitVisible("[role=alert]")
	buyer.look("unavailable")
	buyer.visit("plain", plain.Path())
	buyer.Click("main summary")
	buyer.look("plain-buyer")
	buyer.Type("#email", "carla@")
	buyer.Click("main form button")
	buyer.WaitFocused("#errors")
	buyer.look("wrong")

	buyer.Goto(s.URL + plain.Path())
	buyer.Click("main form button")
	buyer.WaitVisible("main a[rel=noreferrer]")
	buyer.look("pay-pending")
	checkout := func() string { return strings.TrimPrefix(buyer.URL(), s.URL+"/pay/") }
	if err := s.SimulateExpiry(t.Context(), checkout()); err != nil {
		t.Fatal(err)
	}
	buyer.WaitVisible("form[action$=renew] button")
	buyer.look("pay-expired")
	buyer.Click("form[action$=renew] button")
	buyer.WaitVisible("#code")
	if err := s.SimulatePayment(t.Context(), checkout()); err != nil {
		t.Fatal(err)
	}
	buyer.WaitVisible("#receipt")
	buyer.look("pay-paid")
}

// walkTerms sees the pages of links with terms: an open amount, a quantity, data that the merchant needs, and no more
// to sell. Two buyers are there at once for the last unit, with an amount of their own: one gets a charge.
func walkTerms(t *testing.T, w *walk) {
	s := webtest.New(t)
	link := func(slug string, terms models.LinkTerms) *webtest.Sale {
		return s.SaleIn(t, s.Test, func(p *merchants.ProductForm) {
			p.Slug, p.Picture = slug, webtest.Photo(t, 800, 450)
		}, payments.NewPaymentLink{LinkTerms: terms})
	}
	ends := s.Now().Add(48 * time.Hour)
	many := link("many", models.LinkTerms{MaxQuantity: 10, Stock: new(8), EndsAt: &ends})
	needed := link("needed", models.LinkTerms{BuyerData: models.BuyerDataRequired})
	last := link("last", models.LinkTerms{OpenAmount: &models.Range{Min: 5_00, Max: 500_00}, Stock: new(1)})
	over := link("over", models.LinkTerms{EndsAt: &ends})
	modelstest.Exec(t, s.DB, "UPDATE payment_links SET ends_at = created_at WHERE id = $1", over.Link)

	buyer := w.open(t, s, many.Path())
	buyer.AllowConsole("status of 404")
	buyer.visits(map[string]string{"many": many.Path(), "needed": needed.Path(), "open": last.Path()})
	buyer.refused("ended", over.Path(), http.StatusNotFound)
	buyer.Goto(s.URL + many.Path())
	buyer.Click("button[value=more]")
	buyer.WaitFocused("button[value=more]")
	buyer.look("many-two")
	buyer.Goto(s.URL + needed.Path())
	buyer.Click(".sticky .btn-primary")
	buyer.WaitFocused("#errors")
	buyer.look("needed-wrong")

	other := w.open(t, s, last.Path())
	other.AllowConsole("status of 404")
	for _, p := range []*walker{buyer, other} {
		p.Goto(s.URL + last.Path())
		p.Type("#amount", "49,90")
	}
	buyer.Click(".sticky .btn-primary")
	buyer.WaitVisible("#code")
	other.Click(".sticky .btn-primary")
	other.WaitVisible("main .card h1")
	other.look("held")
	buyer.refused("held-own", last.Path(), http.StatusNotFound)
	made := s.CheckoutIDs(t)
	if len(made) != 1 {
		t.Fatalf("two buyers of the last unit have the charges %v", made)
	}
	if err := s.SimulatePayment(t.Context(), made[0]); err != nil {
		t.Fatal(err)
	}
	other.refused("sold-out", last.Path(), http.StatusNotFound)
}
