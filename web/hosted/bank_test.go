package hosted_test

import (
	"errors"
	"strings"
	"testing"

	"garoupa/api"
	"garoupa/banks/bankstest"
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
		!strings.Contains(open.Text(), h.Bank.Folder.Account.HolderName) {
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
