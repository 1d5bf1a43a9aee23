package payments_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
)

// otherKey is Banks whose bank says that Pix came for another key.
type otherKey struct{ payments.Banks }

// For implements payments.Banks.
func (b otherKey) For(ctx context.Context, id string) (psp.Bank, error) {
	bank, err := b.Banks.For(ctx, id)
	return otherKeyBank{bank}, err
}

type otherKeyBank struct{ psp.Bank }

// Payment implements psp.Bank.
func (b otherKeyBank) Payment(ctx context.Context, endToEndID string) (psp.Payment, error) {
	p, err := b.Bank.Payment(ctx, endToEndID)
	p.Key = "outra@conta.teste"
	return p, err
}

// A Pix for another key of the bank's customer is read once, and is no business of the gateway.
func TestNotice_AnothersKey(t *testing.T) {
	t.Parallel()
	h, _ := noticed(t)
	c := h.Charge(t, payments.NewCheckout{})
	id := h.Pay(t, control.PayRequest{Code: c.CopyPaste})[0]
	h.Service.Banks = otherKey{h.Banks}
	got, err := h.FollowHints(t.Context(), h.AccountID, []models.NoticeHint{{EndToEndID: id, TxID: c.TxID}})
	if got != models.NoticeForeign || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	expect(t, h, c.ID, models.CheckoutPending)
}

// A silent bank is tried again and again with growing pauses, and the notice of a process that ended is
// taken over.
func TestNotice_Silent(t *testing.T) {
	t.Parallel()
	h, n := noticed(t)
	c := h.Charge(t, payments.NewCheckout{})
	pay(t, h, n, c.CopyPaste)
	h.Fault(t, control.Fault{Name: "403", On: "/pix/"})
	for range 3 {
		h.Follow(t)
		h.Later(5 * time.Minute)
	}
	if tries := modelstest.One[int](t, h.DB, "SELECT tries FROM bank_notices"); tries != 3 {
		t.Errorf("%d tries", tries)
	}
	h.Heal(t)
	claimed, err := models.ClaimBankNotices(t.Context(), h.DB.Pool, h.AccountID, h.Service.Now(), time.Minute, 10)
	if err != nil || len(claimed) != 1 { // and the process that claimed it is killed
		t.Fatalf("claimed %v, %v", claimed, err)
	}
	other := h.Another(t)
	other.Follow(t)
	expect(t, h, c.ID, models.CheckoutPending)
	h.Later(time.Minute)
	other.Follow(t)
	once(t, h, c.ID)
}

// After a day a notice is given up.
func TestNotice_GivenUp(t *testing.T) {
	t.Parallel()
	h, n := noticed(t)
	c := h.Charge(t, payments.NewCheckout{})
	pay(t, h, n, c.CopyPaste)
	h.Fault(t, control.Fault{Name: "403", On: "/pix/"})
	h.Later(25 * time.Hour)
	h.Follow(t)
	if got := outcomes(t, h); !slices.Equal(got, []string{"GIVEN_UP"}) {
		t.Errorf("outcomes %v", got)
	}
}

// Two processes follow the same notices at the same time.
func TestNotice_TwoProcesses(t *testing.T) {
	t.Parallel()
	h, n := noticed(t)
	other := h.Another(t)
	var ids []string
	for range 4 {
		c := h.Charge(t, payments.NewCheckout{})
		pay(t, h, n, c.CopyPaste)
		ids = append(ids, c.ID)
	}
	var both sync.WaitGroup
	for _, process := range []*bankstest.House{h, other, h} {
		both.Go(func() { process.Follow(t) })
	}
	both.Wait()
	for _, id := range ids {
		once(t, h, id)
	}
	if got := outcomes(t, h); !slices.Equal(got, slices.Repeat([]string{"RECORDED"}, len(ids))) {
		t.Errorf("outcomes %v", got)
	}
}

// A return that was made in the bank's app is told by a notice, and booked.
func TestNotice_Return(t *testing.T) {
	t.Parallel()
	h, n := noticed(t)
	c := h.Charge(t, payments.NewCheckout{})
	id := pay(t, h, n, c.CopyPaste)
	h.Follow(t)
	if _, err := h.Bank.Control.Return(t.Context(), control.ReturnRequest{EndToEndID: id, Amount: 1_00}); err != nil {
		t.Fatal(err)
	}
	h.Later(2 * time.Second)
	const told = "SELECT count(*) FROM bank_notices WHERE hints @? '$[*].returnId'"
	for modelstest.One[int](t, h.DB, told) == 0 {
		<-n.Received
	}
	h.Follow(t)
	const refunded = `SELECT coalesce(sum(amount), 0)::bigint FROM refunds
		WHERE status = 'COMPLETED' AND origin = 'BANK'`
	if sum := modelstest.One[int64](t, h.DB, refunded); sum != 1_00 {
		t.Errorf("%d centavos went back", sum)
	}
	once(t, h, c.ID)
}

// reading is Banks that counts readings of the list of received Pix, and lets a test act before each.
type reading struct {
	payments.Banks
	n      int
	before func()
}

// For implements payments.Banks.
func (b *reading) For(ctx context.Context, id string) (psp.Bank, error) {
	bank, err := b.Banks.For(ctx, id)
	return readingBank{bank, b}, err
}

type readingBank struct {
	psp.Bank
	by *reading
}

// Payments implements psp.Bank.
func (b readingBank) Payments(ctx context.Context, w psp.Window, page int) (psp.Page, error) {
	if !w.Returned {
		b.by.n++
		b.by.before()
	}
	return b.Bank.Payments(ctx, w, page)
}

// A sweep that is asked for while another one reads is not lost.
func TestNotice_HurriedMeanwhile(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	h.Tend(t)
	hurry := func() {
		if err := models.HurryBankSweep(t.Context(), h.DB.Pool, h.AccountID); err != nil {
			t.Error(err)
		}
	}
	hurry()
	read := &reading{Banks: h.Banks, before: hurry}
	h.Service.Banks = read
	for range 3 {
		h.Tend(t)
		read.before = func() {}
	}
	if read.n != 2 {
		t.Errorf("the list was read %d times, want 2", read.n)
	}
}
