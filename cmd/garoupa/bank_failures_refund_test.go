package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"garoupa/internal/money"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/pix/psp/bank/control"
)

// liveRefund is what a backend reads of a refund.
type liveRefund struct {
	ID, Status    string
	FailureReason *string
}

// mayRefund lets the merchant's key refund.
func (h *house) mayRefund() {
	h.t.Helper()
	if err := h.merchants.SetKeySwitch(h.t.Context(), h.owner, h.live, h.keyID, models.KeyRefunds, true); err != nil {
		h.t.Fatal(err)
	}
}

// refund asks for a refund over the API, or for the same again.
func (h *house) refund(checkoutID string, amount int64, idempotencyKey string) (status int, r liveRefund) {
	h.t.Helper()
	status, answer := h.post("/v1/refunds", fmt.Sprintf(`{"checkoutId":%q,"amount":%d}`, checkoutID, amount),
		idempotencyKey)
	if err := json.Unmarshal([]byte(answer), &r); err != nil {
		h.t.Fatalf("a refund: %d %s", status, answer)
	}
	return status, r
}

// ended asks for a refund again until it is no longer in process.
func (h *house) ended(checkoutID string, amount int64, idempotencyKey string) (r liveRefund) {
	h.t.Helper()
	h.until("the refund has ended", func() bool {
		_, r = h.refund(checkoutID, amount, idempotencyKey)
		return r.Status != "PROCESSING"
	})
	return r
}

// holds checks the balance: what is to be settled, what can be withdrawn, and what was refunded.
func (h *house) holds(pending, available, refunded money.Cents) {
	h.t.Helper()
	b, err := ledger.BalanceOf(h.t.Context(), h.db.Pool, h.account.ID, models.Live)
	if err != nil || b.Pending != pending || b.Available != available || b.Refunded != refunded {
		h.t.Errorf("the balance is %+v, %v; want pending %d, available %d, refunded %d", b, err, pending, available,
			refunded)
	}
}

// The bank does not carry a refund out: the merchant reads the bank's reason, and has the money back.
func TestBank_F28_RefundRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.mayRefund()
	c := h.charge("pedido-1")
	h.paid(c)
	before, err := ledger.BalanceOf(t.Context(), h.db.Pool, h.account.ID, models.Live)
	if err != nil {
		t.Fatal(err)
	}
	h.fault(control.Fault{Name: "refuse-return"})
	if status, r := h.refund(c.ID, 2000, "devolucao-1"); status != http.StatusCreated || r.Status != "PROCESSING" {
		t.Errorf("the refund is %d %+v", status, r)
	}
	if r := h.ended(c.ID, 2000, "devolucao-1"); r.Status != "FAILED" || r.FailureReason == nil ||
		*r.FailureReason != "Conta do pagador encerrada." {
		t.Errorf("the refund is %+v", r)
	}
	h.holds(before.Pending, before.Available, 0)
	h.told(c.ID, createdAndPaid...)
	if got := h.state(); got.Returned != 0 {
		t.Errorf("the bank returned %d", got.Returned)
	}
	h.opsSees("/ops/cobrancas/"+c.ID, "Conta do pagador encerrada.")
	h.sound()
}

// The answer to a return is lost: the buyer is repaid once.
func TestBank_F29_RefundLost(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.mayRefund()
	c := h.charge("pedido-1")
	h.paid(c)
	h.fault(control.Fault{Name: "drop-answer", On: "/devolucao/", Times: 3})
	_, first := h.refund(c.ID, 2000, "devolucao-1")
	r := h.ended(c.ID, 2000, "devolucao-1")
	if r.Status != "COMPLETED" || r.ID != first.ID {
		t.Errorf("the refund is %+v, first it was %+v", r, first)
	}
	if got := h.state(); got.Returned != 2000 {
		t.Errorf("the bank returned %d", got.Returned)
	}
	h.told(c.ID, models.EventCheckoutCreated, models.EventCheckoutPaid, models.EventCheckoutRefunded)
	h.sound()
}
