package payments_test

import (
	"slices"
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/bank/control"
)

// sold returns a paid live checkout of 100.00 with a fee of 0.99.
func sold(t *testing.T, h *bankstest.House) *models.Checkout {
	t.Helper()
	h.SetFee(t, money.Fee{BasisPoints: 99})
	c := h.Charge(t, payments.NewCheckout{Amount: 100_00})
	h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	h.Sweep(t)
	expect(t, h, c.ID, models.CheckoutPaid)
	return c
}

func refund(t *testing.T, h *bankstest.House, checkoutID string, amount money.Cents) *models.Refund {
	t.Helper()
	r, err := tryRefund(t, h, checkoutID, amount)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func tryRefund(t *testing.T, h *bankstest.House, checkoutID string, amount money.Cents) (*models.Refund, error) {
	r, _, err := h.RefundCheckout(t.Context(), h.Live, payments.RefundRequest{By: h.Owner,
		AccountID: h.Account.ID, CheckoutID: checkoutID, Amount: amount, Reason: "Veio trocado",
		IdempotencyKey: models.NewRefundID(), RequestHash: make([]byte, 32)})
	return r, err
}

// ended tends the account until the bank, which takes its time, has ended a refund.
func ended(t *testing.T, h *bankstest.House, id string, want models.RefundStatus) *models.Refund {
	t.Helper()
	for {
		h.Later(time.Minute)
		h.Tend(t)
		r, err := h.Refund(t.Context(), h.Live, id)
		if err != nil {
			t.Fatal(err)
		}
		if r.EndedAt != nil {
			return expectRefund(t, h, id, want)
		}
		time.Sleep(10 * time.Millisecond) // between two looks
	}
}

func expectRefund(t *testing.T, h *bankstest.House, id string, want models.RefundStatus) *models.Refund {
	t.Helper()
	r, err := h.Refund(t.Context(), h.Live, id)
	if err != nil || r.Status != want {
		t.Fatalf("the refund is %+v, %v; want %s", r, err, want)
	}
	return r
}

// held checks what the account's books hold, and that the books agree with the rows.
func held(t *testing.T, h *bankstest.House, pending, available, refunded money.Cents) {
	t.Helper()
	b, err := ledger.BalanceOf(t.Context(), h.DB.Pool, h.Account.ID, models.Live)
	if err != nil || b.Pending != pending || b.Available != available || b.Refunded != refunded {
		t.Errorf("the balance is %+v, %v; want pending %d, available %d, refunded %d", b, err, pending, available,
			refunded)
	}
	drift, err := ledger.Check(t.Context(), h.DB.Pool)
	if err != nil || len(drift) > 0 {
		t.Errorf("the books: %v, %v", drift, err)
	}
}

func settle(t *testing.T, h *bankstest.House) {
	t.Helper()
	h.Later(paymentstest.SettlementDelay)
	if _, err := h.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A first sale that is refunded on its day leaves the fee as a debt, which stops withdrawals and which the
// next sale pays.
func TestBank_RefundSameDay(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := sold(t, h)
	held(t, h, 99_01, 0, 0)
	r := refund(t, h, c.ID, 0)
	held(t, h, 0, -99, 100_00)
	r = ended(t, h, r.ID, models.RefundCompleted)
	if r.Amount != 100_00 || r.FromPending != 99_01 || r.Short != 99 || r.ReturnID == nil {
		t.Errorf("the refund is %+v", r)
	}
	settle(t, h)
	held(t, h, 0, -99, 100_00)
	if got := h.State(t, c.ID); got.SettlementAmount == nil || *got.SettlementAmount != 0 {
		t.Errorf("settled %v", got.SettlementAmount)
	}
	sold(t, h)
	settle(t, h)
	held(t, h, 0, 98_02, 100_00)
	if _, err := tryRefund(t, h, c.ID, 1); refusal.Of(err).Code != refusal.InvalidAmount {
		t.Errorf("one centavo more than was paid: %v", err)
	}
}

// A refund that takes more than the fee from money that is not there is refused.
func TestBank_RefundShort(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := sold(t, h)
	settle(t, h)
	held(t, h, 0, 99_01, 0)
	if _, err := h.BlockAmount(t.Context(), h.Staff(t), payments.NewBlock{AccountID: h.Account.ID,
		Environment: models.Live, Amount: 50_00, Reason: paymentstest.Reason}); err != nil {
		t.Fatal(err)
	}
	if _, err := tryRefund(t, h, c.ID, 0); refusal.Of(err).Code != refusal.InsufficientBalance {
		t.Errorf("refunded from blocked money: %v", err)
	}
	refund(t, h, c.ID, 50_00) // 0.99 more than there is
	held(t, h, 0, -99, 50_00)
	if _, err := tryRefund(t, h, c.ID, 1); refusal.Of(err).Code != refusal.InsufficientBalance {
		t.Errorf("short by more than the fee: %v", err)
	}
}

// A bank that refuses gives the money back where it came from: to pending before the settlement, and to
// available after it.
func TestBank_RefundRefused(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]struct {
		between            func(t *testing.T, h *bankstest.House)
		pending, available money.Cents
	}{
		"before the settlement": {func(*testing.T, *bankstest.House) {}, 99_01, 0},
		"after the settlement":  {settle, 0, 99_01},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := bankstest.New(t)
			c := sold(t, h)
			h.Fault(t, control.Fault{Name: "refuse-return"})
			r := refund(t, h, c.ID, 30_00)
			held(t, h, 69_01, 0, 30_00)
			step.between(t, h)
			if r = ended(t, h, r.ID, models.RefundFailed); r.Failure == "" {
				t.Error("the refund does not say why it failed")
			}
			held(t, h, step.pending, step.available, 0)
			settle(t, h)
			held(t, h, 0, 99_01, 0)
			h.Heal(t)
			again := refund(t, h, c.ID, 0)
			ended(t, h, again.ID, models.RefundCompleted)
			held(t, h, 0, -99, 100_00)
		})
	}
}

// If the bank's answer is lost, the bank is read before it is asked again: one return.
func TestBank_RefundLost(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := sold(t, h)
	h.Fault(t, control.Fault{Name: "drop-answer", On: "devolucao"})
	r := refund(t, h, c.ID, 40_00)
	h.Tend(t)
	h.Heal(t)
	ended(t, h, r.ID, models.RefundCompleted)
	held(t, h, 59_01, 0, 40_00)
	if state, err := h.Bank.Control.State(t.Context()); err != nil || state.Returned != 40_00 {
		t.Errorf("the bank returned %d, %v", state.Returned, err)
	}
}

// A return that was made in the bank's app is found in the list, and booked once.
func TestBank_RefundFound(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	h.SetFee(t, money.Fee{BasisPoints: 99})
	c := h.Charge(t, payments.NewCheckout{Amount: 100_00})
	ids := h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	h.Sweep(t)
	part := control.ReturnRequest{EndToEndID: ids[0], Amount: 25_00}
	if _, err := h.Bank.Control.Return(t.Context(), part); err != nil {
		t.Fatal(err)
	}
	for { // the bank takes its time
		h.Later(10 * time.Second)
		h.Sweep(t)
		if n := modelstest.One[int](t, h.DB, "SELECT count(*) FROM refunds"); n > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	h.Sweep(t)
	held(t, h, 74_01, 0, 25_00)
	found, err := models.Refunds(t.Context(), h.DB.Pool, h.Live, c.ID)
	if err != nil || len(found) != 1 || found[0].Origin != models.RefundByBank ||
		found[0].Status != models.RefundCompleted {
		t.Errorf("found %+v, %v", found, err)
	}
}

// Two parts, two events: an endpoint that ticked the type hears each refund once it is done.
func TestRefund_TwoPartsTwoEvents(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	if _, _, err := h.Merchants.CreateEndpoint(t.Context(), h.Owner, h.Live, merchants.NewEndpoint{
		URL: "https://loja.example/hook", Types: []string{models.EventCheckoutRefunded}}); err != nil {
		t.Fatal(err)
	}
	c := sold(t, h)
	for _, amount := range []money.Cents{10_00, 20_00} {
		ended(t, h, refund(t, h, c.ID, amount).ID, models.RefundCompleted)
	}
	amounts := modelstest.Column[string](t, h.DB, `SELECT convert_from(body, 'UTF8')::jsonb #>> '{data,refund,amount}'
		FROM events WHERE type = 'checkout.refunded' ORDER BY 1`)
	if !slices.Equal(amounts, []string{"1000", "2000"}) {
		t.Errorf("events about %s", amounts)
	}
	held(t, h, 69_01, 0, 30_00)
}

// A return of a Pix that is days old is found too, because all days are read again.
func TestBank_RefundFoundLater(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	h.SetFee(t, money.Fee{BasisPoints: 99})
	c := h.Charge(t, payments.NewCheckout{Amount: 100_00})
	ids := h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	h.Sweep(t)
	for range 3 {
		h.Later(24 * time.Hour)
		h.Sweep(t)
	}
	part := control.ReturnRequest{EndToEndID: ids[0], Amount: 25_00}
	if _, err := h.Bank.Control.Return(t.Context(), part); err != nil {
		t.Fatal(err)
	}
	for modelstest.One[int](t, h.DB, "SELECT count(*) FROM refunds") == 0 {
		h.Later(16 * time.Minute)
		h.Tend(t)
		time.Sleep(10 * time.Millisecond) // the bank takes its time
	}
	held(t, h, 74_01, 0, 25_00)
}

// Available money below zero is drift, except by what refunds were short.
func TestCheck_BelowZero(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := sold(t, h)
	refund(t, h, c.ID, 0)
	held(t, h, 0, -99, 100_00)
	modelstest.Exec(t, h.DB, "ALTER TABLE refunds DISABLE TRIGGER refunds_transition")
	modelstest.Exec(t, h.DB, "UPDATE refunds SET short = 98")
	drift, err := ledger.Check(t.Context(), h.DB.Pool)
	want := h.Account.ID + "/live/available: at least is -0.98, the books say -0.99"
	if err != nil || !slices.Equal(drift, []string{want}) {
		t.Errorf("drift %q, %v; want %q", drift, err, want)
	}
}
