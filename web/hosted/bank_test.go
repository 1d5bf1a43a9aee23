package hosted_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/api"
	"garoupa/banks/bankstest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp/bank/control"
	"garoupa/web"
	"garoupa/web/webtest"
)

// The page of a charge at a bank names the account's holder. While the bank has not confirmed a
// cancellation, the page shows no code.
func TestPay_AtBank(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	s := webtest.Serve(t, h.Gateway, func(o *web.Options) { o.Now = h.Bank.Clock.Now }, func(*api.Options) {})
	c := h.Charge(t, payments.NewCheckout{})
	visitor := s.Client(t)
	if open := visitor.Get("/pay/" + c.ID); !strings.Contains(open.Body, c.CopyPaste) ||
		!strings.Contains(open.Find("section[aria-labelledby=recipient]").Text(), h.Bank.Folder.Account.HolderName) ||
		!strings.Contains(open.Text(), "Se o nome ou o valor forem diferentes, não pague") {
		t.Errorf("the page has no code or no holder: %s", open.Text())
	}
	h.Fault(t, control.Fault{Name: "reset", On: "/cob"})
	if err := h.CancelCheckout(t.Context(), h.Owner, h.Live, c.ID); !errors.Is(err, payments.ErrCancelRequested) {
		t.Fatal(err)
	}
	if closing := visitor.Get("/pay/" + c.ID); strings.Contains(closing.Body, c.CopyPaste) {
		t.Errorf("the page shows the code: %s", closing.Text())
	}
}

// While the bank does not say what it received, the page tells buyers not to pay again. Money that does not
// pay the checkout takes the code away until it is given back, and pages that are open learn of it.
func TestPay_BankTrouble(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	s := webtest.Serve(t, h.Gateway, func(o *web.Options) { o.Now = h.Bank.Clock.Now }, func(*api.Options) {})
	var told []string
	h.Service.Tell = func(id string) { told = append(told, id) }
	c := h.Charge(t, payments.NewCheckout{})
	visitor := s.Client(t)
	shows := func(text string, withCode bool) {
		t.Helper()
		if p := visitor.Get("/pay/" + c.ID); !strings.Contains(p.Text(), text) ||
			strings.Contains(p.Body, c.CopyPaste) != withCode {
			t.Errorf("want %q, a code: %t: %s", text, withCode, p.Text())
		}
	}
	h.Sweep(t)
	shows("A confirmação aparece aqui em segundos", true)
	h.Later(2*time.Minute + time.Second)
	shows("Não pague de novo", true)
	h.Pay(t, control.PayRequest{Code: c.CopyPaste, Amount: 9_99})
	h.Sweep(t)
	shows("Seu Pix chegou, mas não fechou esta compra", false)
	if !slices.Contains(told, c.ID) {
		t.Errorf("told %s", told)
	}
	modelstest.Exec(t, h.DB, `UPDATE payment_exceptions SET decision = 'REFUNDED', reason = 'r', decided_by = $1,
		decided_at = now()`, h.Owner.UserID)
	shows("Seu Pix chegou, mas não fechou esta compra", false) // the bank takes no second Pix
	c = h.Charge(t, payments.NewCheckout{})
	h.Later(30*time.Minute - 5*time.Second) // the bank's time is over, the checkout's is not
	shows("Este código Pix venceu", false)
}

// A browser is led back to its charge at a bank only while the page of that charge shows a code. Otherwise the link
// makes another one, and a link that is sold out offers none to go on with.
func TestLink_AtBank(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		becomes func(*testing.T, *bankstest.House, *models.Checkout)
		page    string
		open    bool
	}{
		"pending": {func(*testing.T, *bankstest.House, *models.Checkout) {}, "PENDING", true},
		"slow": {func(_ *testing.T, h *bankstest.House, _ *models.Checkout) {
			h.Later(3 * time.Minute)
		}, "SLOW", true},
		"mispaid": {func(t *testing.T, h *bankstest.House, c *models.Checkout) {
			h.Pay(t, control.PayRequest{Code: c.CopyPaste, Amount: 9_99})
			h.Sweep(t)
		}, "MISPAID", false},
		"closing": {func(t *testing.T, h *bankstest.House, c *models.Checkout) {
			h.Fault(t, control.Fault{Name: "reset", On: "/cob"})
			err := h.CancelCheckout(t.Context(), h.Owner, h.Live, c.ID)
			if !errors.Is(err, payments.ErrCancelRequested) {
				t.Fatal(err)
			}
			h.Heal(t)
		}, "CANCELLED", false},
		"over": {func(_ *testing.T, h *bankstest.House, _ *models.Checkout) {
			h.Later(30*time.Minute - 5*time.Second)
		}, "EXPIRED", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := bankstest.New(t)
			s := webtest.Serve(t, h.Gateway, func(o *web.Options) { o.Now = h.Bank.Clock.Now }, func(*api.Options) {})
			link := s.SaleIn(t, s.Live, nil, payments.NewPaymentLink{LinkTerms: models.LinkTerms{Stock: new(2)}})
			buyer := s.Client(t)
			h.Sweep(t)
			first := link.Buy(t, buyer)
			tc.becomes(t, h, h.State(t, strings.TrimPrefix(first, "/pay/")))
			if shown := buyer.Get(first).Find("#state").AttrOr("data-status", ""); shown != tc.page {
				t.Fatalf("the page shows %s, want %s", shown, tc.page)
			}
			modelstest.Exec(t, h.DB, "UPDATE payment_links SET stock = 1")
			if a := buyer.Get(link.Path()); a.Status != http.StatusNotFound ||
				a.Find("main a.btn-primary[href='"+first+"']").Length() == 1 != tc.open {
				t.Errorf("sold out: %d %q", a.Status, a.Find("main").Text())
			}
			modelstest.Exec(t, h.DB, "UPDATE payment_links SET stock = 2")
			second := link.Buy(t, buyer)
			if a := buyer.Get(second); second == first != tc.open || a.Find("#code").Length() != 1 {
				t.Errorf("from %s the link leads to %s: %q", first, second, a.Find("h1").Text())
			}
		})
	}
}

// A charge of a link is renewed as soon as its page says that its time is over, before the checkout has expired. It
// holds its units until then: a renewal never sells more than there is.
func TestPay_RenewAtBank(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	s := webtest.Serve(t, h.Gateway, func(o *web.Options) { o.Now = h.Bank.Clock.Now }, func(*api.Options) {})
	link := s.SaleIn(t, s.Live, nil, payments.NewPaymentLink{LinkTerms: models.LinkTerms{Stock: new(1)}})
	buyer := s.Client(t)
	first := link.Buy(t, buyer)
	if place := buyer.Post(first + "/renew").Header.Get("Location"); place != first {
		t.Errorf("while it can be paid it leads to %q", place)
	}
	h.Later(30*time.Minute - 5*time.Second)
	if a := buyer.Post(first + "/renew"); a.Status != http.StatusNotFound ||
		!strings.Contains(a.Find("h1").Text(), "esgotado por enquanto") || a.Find("main a.btn-primary").Length() != 0 {
		t.Errorf("while it holds the last unit: %d %q", a.Status, a.Find("main").Text())
	}
	modelstest.Exec(t, h.DB, "UPDATE payment_links SET stock = 2")
	if a := buyer.Get(first); a.Find("form[action$=renew]").Length() != 1 {
		t.Fatalf("the page offers no other code: %s", a.Text())
	}
	second := buyer.Post(first + "/renew").Header.Get("Location")
	if a := buyer.Get(second); second == first || a.Find("#code").Length() != 1 {
		t.Errorf("renewed to %q", second)
	}
	for _, path := range []string{first + "/renew", link.Path()} {
		if place := buyer.Post(path, "token", "t").Header.Get("Location"); place != second {
			t.Errorf("then %s leads to %q, not to %q", path, place, second)
		}
	}
	h.Later(5 * time.Second)
	h.Tend(t)
	if n, err := h.ExpireDue(t.Context()); n != 1 || err != nil {
		t.Errorf("%d expired, %v", n, err)
	}
	if open := buyer.Post(first + "/renew").Header.Get("Location"); open != second || len(s.CheckoutIDs(t)) != 2 {
		t.Errorf("once it has expired it leads to %q; made %v", open, s.CheckoutIDs(t))
	}
}
