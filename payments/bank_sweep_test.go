package payments_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
)

// paged is Banks whose bank lists one Pix on a page, if page allows it.
type paged struct {
	payments.Banks
	page func(w psp.Window, number, pages int) error
}

// For implements payments.Banks.
func (b paged) For(ctx context.Context, id string) (psp.Bank, error) {
	bank, err := b.Banks.For(ctx, id)
	return pagedList{bank, b}, err
}

type pagedList struct {
	psp.Bank
	paged
}

// For hides that of paged.
func (l pagedList) For() {}

// Payments implements psp.Bank.
func (l pagedList) Payments(ctx context.Context, w psp.Window, number int) (psp.Page, error) {
	p, err := l.Bank.Payments(ctx, w, 0)
	p.Pages = len(p.Payments)
	if err == nil {
		err = l.page(w, number, p.Pages)
	}
	p.Payments = slices.Clone(p.Payments[min(number, p.Pages):min(number+1, p.Pages)])
	return p, err
}

// A page that the bank does not give takes nothing from the pages before it.
func TestBank_SweepPart(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	var ids []string
	for range 3 {
		c := h.Charge(t, payments.NewCheckout{})
		h.Pay(t, control.PayRequest{Code: c.CopyPaste})
		ids = append(ids, c.ID)
		h.Later(time.Second)
	}
	modelstest.Exec(t, h.DB, "UPDATE bank_charges SET next_check_at = next_check_at + interval '1 day'")
	const watermark = "SELECT watermark FROM bank_sweeps"
	silent := errors.New("the bank does not answer")
	h.Service.Banks = paged{h.Banks, func(_ psp.Window, number, _ int) error {
		if number == 2 {
			return silent
		}
		return nil
	}}
	if err := h.TendBank(t.Context(), h.AccountID); !errors.Is(err, silent) {
		t.Fatalf("tending ends with %v", err)
	}
	paid := modelstest.One[int](t, h.DB, "SELECT count(*) FROM checkouts WHERE status = 'PAID'")
	before := modelstest.One[time.Time](t, h.DB, watermark)
	if paid != 2 || !before.Before(h.Bank.Clock.Now().Add(-3*time.Second)) {
		t.Errorf("%d are paid, the watermark is %v", paid, before)
	}
	h.Service.Banks = h.Banks
	h.Sweep(t)
	for _, id := range ids {
		expect(t, h, id, models.CheckoutPaid)
	}
}

// A sweep whose time is over goes on at once where it ended, and not only when the next sweep is due.
func TestBank_SweepGoesOn(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	const n = 12
	for range n {
		c := h.Charge(t, payments.NewCheckout{})
		h.Pay(t, control.PayRequest{Code: c.CopyPaste})
		h.Later(2 * time.Minute)
	}
	modelstest.Exec(t, h.DB, "UPDATE bank_charges SET next_check_at = next_check_at + interval '1 day'")
	within, over := context.WithCancel(t.Context())
	windows := map[time.Time]bool{}
	h.Service.Banks = paged{h.Banks, func(w psp.Window, number, _ int) error {
		if windows[w.From] = true; number > 0 && len(windows) == 3 {
			over()
		}
		return within.Err()
	}}
	if err := h.TendBank(within, h.AccountID); !errors.Is(err, context.Canceled) {
		t.Fatalf("tending ends with %v", err)
	}
	h.Service.Banks = h.Banks
	const paid = "SELECT count(*) FROM checkouts WHERE status = 'PAID'"
	before := modelstest.One[int](t, h.DB, paid)
	if before == 0 || before == n {
		t.Fatalf("%d are paid when the time is over", before)
	}
	if err := h.TendBank(t.Context(), h.AccountID); err != nil {
		t.Fatal(err)
	}
	if after := modelstest.One[int](t, h.DB, paid); after != n {
		t.Errorf("%d were paid, and %d after the sweep that follows at once", before, after)
	}
}

// A long list is read in short windows, each of a few pages.
func TestBank_SweepMany(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	const n = 24
	for range n {
		c := h.Charge(t, payments.NewCheckout{})
		h.Pay(t, control.PayRequest{Code: c.CopyPaste})
		h.Later(2 * time.Minute)
	}
	longest := 0
	h.Service.Banks = paged{h.Banks, func(w psp.Window, number, pages int) error {
		if number > 0 && !w.Returned {
			longest = max(longest, pages)
		}
		return nil
	}}
	if err := h.TendBank(t.Context(), h.AccountID); err != nil {
		t.Fatal(err)
	}
	paid := modelstest.One[int](t, h.DB, "SELECT count(*) FROM checkouts WHERE status = 'PAID'")
	if paid != n || longest > 5 || longest < 2 {
		t.Errorf("%d of %d are paid; the longest list has %d pages", paid, n, longest)
	}
}
