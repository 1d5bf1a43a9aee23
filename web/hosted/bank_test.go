package hosted_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/api"
	"garoupa/banks/bankstest"
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
