package payments_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// Of refunds that two processes write at the same time, as many succeed as there is money.
func TestRefund_Concurrent(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := sold(t, h)
	other := h.Another(t)
	var done atomic.Int32
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			_, err := tryRefund(t, []*bankstest.House{h, other}[i%2], c.ID, 30_00)
			switch code := refusal.Of(err).Code; {
			case err == nil:
				done.Add(1)
			case code != refusal.InvalidAmount:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if done.Load() != 3 {
		t.Errorf("%d refunds of 30.00 of 100.00", done.Load())
	}
	held(t, h, 9_01, 0, 90_00)
}

// A settlement that crosses refunds settles what is left.
func TestRefund_WhileSettling(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := sold(t, h)
	other := h.Another(t)
	h.Later(paymentstest.SettlementDelay)
	var both sync.WaitGroup
	both.Go(func() { refund(t, other, c.ID, 60_00) })
	both.Go(func() {
		if _, err := h.SettleDue(t.Context()); err != nil {
			t.Error(err)
		}
	})
	both.Wait()
	if _, err := h.SettleDue(t.Context()); err != nil { // the refund may have held the checkout
		t.Error(err)
	}
	held(t, h, 0, 39_01, 60_00)
}

// One key, one refund; with another body it is a conflict.
func TestRefund_Idempotent(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := sold(t, h)
	in := payments.RefundRequest{By: h.Owner, AccountID: h.Account.ID, CheckoutID: c.ID, Amount: 10_00,
		Reason:         "Veio trocado",
		IdempotencyKey: "k", RequestHash: make([]byte, 32)}
	var made atomic.Int32
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			_, created, err := h.RefundCheckout(t.Context(), h.Live, in)
			if err != nil {
				t.Error(err)
			} else if created {
				made.Add(1)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 {
		t.Errorf("%d were created", made.Load())
	}
	in.RequestHash = []byte("another body....................")
	if _, _, err := h.RefundCheckout(t.Context(), h.Live, in); refusal.Of(err).Code != refusal.IdempotencyConflict {
		t.Errorf("with another body: %v", err)
	}
	held(t, h, 89_01, 0, 10_00)
}

// What cannot be refunded says why.
func TestRefund_Refused(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	pending := h.Charge(t, payments.NewCheckout{})
	if _, err := tryRefund(t, h, pending.ID, 0); refusal.Of(err).Code != refusal.RefundNotPossible {
		t.Errorf("not paid: %v", err)
	}
	if _, err := tryRefund(t, h, "chk_00000000000000000000", 0); refusal.Of(err).Code != refusal.CheckoutNotFound {
		t.Errorf("unknown: %v", err)
	}
	c := sold(t, h)
	if _, err := tryRefund(t, h, c.ID, 100_01); refusal.Of(err).Code != refusal.InvalidAmount {
		t.Errorf("too much: %v", err)
	}
	modelstest.Exec(t, h.DB, "UPDATE accounts SET suspended = true WHERE id = $1", h.Account.ID)
	if _, err := tryRefund(t, h, c.ID, 1); refusal.Of(err).Code != refusal.AccountSuspended {
		t.Errorf("suspended: %v", err)
	}
	modelstest.Exec(t, h.DB, "UPDATE accounts SET suspended = false WHERE id = $1", h.Account.ID)
	h.Later(91 * 24 * time.Hour)
	if _, err := tryRefund(t, h, c.ID, 1); refusal.Of(err).Code != refusal.RefundNotPossible {
		t.Errorf("after 91 days: %v", err)
	}
	h.GiveRole(t, models.RoleViewer)
	if _, err := tryRefund(t, h, c.ID, 1); refusal.Of(err).Code != refusal.Forbidden {
		t.Errorf("a viewer: %v", err)
	}
	held(t, h, 99_01, 0, 0)
}

// A payment whose institution is gone is refunded by staff alone: the money would not be sent.
func TestRefund_NoInstitution(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.GoLive(t)
	c := g.Fund(t, models.Live, 100_00)
	in := payments.RefundRequest{By: g.Owner, AccountID: g.Account.ID, CheckoutID: c.ID, Reason: "Veio trocado",
		IdempotencyKey: "k", RequestHash: make([]byte, 32)}
	g.Service.Live = nil // the installation has gone over to a bank
	if _, _, err := g.RefundCheckout(t.Context(), g.Live, in); refusal.Of(err).Code != refusal.RefundNotPossible {
		t.Errorf("refunded: %v", err)
	}
	if err := g.SimulateRefunds(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := modelstest.One[int](t, g.DB, "SELECT count(*) FROM refunds"); n != 0 {
		t.Errorf("%d refunds", n)
	}
}

// The database itself refuses to take more below zero than refunds say they were short.
func TestRefund_NoOverdraft(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := sold(t, h)
	refund(t, h, c.ID, 0)
	err := h.DB.InTx(t.Context(), func(tx *models.Tx) error {
		return ledger.Post(tx, h.Bank.Clock.Now(), ledger.Posting{Fact: "block/blk_00000000000000000000",
			Transfers: []ledger.Transfer{{From: ledger.Account(h.Account.ID, models.Live, ledger.Available),
				To: ledger.Account(h.Account.ID, models.Live, ledger.Blocked), Amount: 1}}})
	})
	if !models.Violates(err, "ledger_no_overdraft") {
		t.Errorf("one more centavo: %v", err)
	}
	held(t, h, 0, -99, 100_00)
}
