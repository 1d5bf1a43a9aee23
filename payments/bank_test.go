package payments_test

import (
	"context"
	"errors"
	"slices"
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
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
)

// between is Banks whose bank lets a test act before and after a charge is put.
type between struct {
	payments.Banks
	before, after func() error // nil does nothing
}

// For implements payments.Banks.
func (b between) For(ctx context.Context, id string) (psp.Bank, error) {
	bank, err := b.Banks.For(ctx, id)
	return put{bank, b}, err
}

type put struct {
	psp.Bank
	between
}

// PutCharge implements psp.Provider.
func (p put) PutCharge(ctx context.Context, c psp.Charge) (issued psp.Issued, err error) {
	if p.before != nil {
		if err := p.before(); err != nil {
			return issued, err
		}
	}
	issued, err = p.Bank.PutCharge(ctx, c)
	if err == nil && p.after != nil {
		err = p.after()
	}
	return issued, err
}

// expect checks the status of a checkout, and that the books agree with it.
func expect(t *testing.T, h *bankstest.House, id string, want models.CheckoutStatus) {
	t.Helper()
	if got := h.State(t, id).Status; got != want {
		t.Errorf("the checkout is %s, want %s", got, want)
	}
	drift, err := ledger.Check(t.Context(), h.DB.Pool)
	if err != nil || len(drift) > 0 {
		t.Errorf("the books: %v, %v", drift, err)
	}
}

func expectCharge(t *testing.T, h *bankstest.House, id string, want models.BankChargeStatus) {
	t.Helper()
	if got := h.BankCharge(t, id); got.Status != want {
		t.Errorf("the charge is %s (%s), want %s", got.Status, got.Failure, want)
	}
}

func exceptions(t *testing.T, h *bankstest.House) []string {
	t.Helper()
	return modelstest.Column[string](t, h.DB, "SELECT kind FROM payment_exceptions ORDER BY kind")
}

// chargesAt returns the number of charges that the bank has.
func chargesAt(t *testing.T, h *bankstest.House) (all, removed int) {
	t.Helper()
	state, err := h.Bank.Control.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return state.Charges, state.Removed
}

// A look finds that a charge was paid, and so does the list of received Pix. Two processes that tend the
// account at the same time record the Pix once.
func TestBank_Paid(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	looked, listed := h.Charge(t, payments.NewCheckout{}), h.Charge(t, payments.NewCheckout{})
	h.Pay(t, control.PayRequest{Code: looked.CopyPaste})
	h.Later(20 * time.Second)
	h.Tend(t)
	expect(t, h, looked.ID, models.CheckoutPaid)
	expectCharge(t, h, looked.ID, models.BankChargePaid)
	h.Pay(t, control.PayRequest{Code: listed.CopyPaste})
	other := h.Another(t)
	if err := models.HurryBankSweep(t.Context(), h.DB.Pool, h.AccountID); err != nil {
		t.Fatal(err)
	}
	var both sync.WaitGroup
	for _, process := range []*bankstest.House{h, other} {
		both.Go(func() { process.Tend(t) })
	}
	both.Wait()
	expect(t, h, listed.ID, models.CheckoutPaid)
	const recorded = "SELECT count(*) FROM payments WHERE bank_account_id = $1"
	if n := modelstest.One[int](t, h.DB, recorded, h.AccountID); n != 2 {
		t.Errorf("%d payments are recorded", n)
	}
}

// Requests with one key at the same time, in two processes, make one charge and one checkout.
func TestBank_Twins(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	other := h.Another(t)
	in := paymentstest.Filled(payments.NewCheckout{IdempotencyKey: "k"})
	var made atomic.Int32
	var all sync.WaitGroup
	ids := make([]string, 8)
	for i := range ids {
		all.Go(func() {
			c, created, err := []*bankstest.House{h, other}[i%2].CreateCheckout(t.Context(), h.Live, h.Account, in)
			if err != nil {
				t.Error(err)
				return
			}
			if ids[i] = c.ID; created {
				made.Add(1)
			}
		})
	}
	all.Wait()
	if slices.Sort(ids); ids[0] != ids[7] || made.Load() != 1 {
		t.Errorf("%d were created: %s", made.Load(), ids)
	}
	if n, _ := chargesAt(t, h); n != 1 {
		t.Errorf("the bank has %d charges", n)
	}
}

// A process that ends after the bank has the charge, and before the checkout is written, leaves a charge
// that the same key adopts.
func TestBank_Adopted(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	in := paymentstest.Filled(payments.NewCheckout{IdempotencyKey: "k"})
	killed := errors.New("killed")
	h.Service.Banks = between{Banks: h.Banks, after: func() error { return killed }}
	if _, _, err := h.CreateCheckout(t.Context(), h.Live, h.Account, in); !errors.Is(err, killed) {
		t.Fatal(err)
	}
	begun := modelstest.One[string](t, h.DB, "SELECT checkout_id FROM bank_charges WHERE status = 'CREATING'")
	h.Service.Banks = h.Banks
	h.Later(time.Minute)
	c := h.Charge(t, payments.NewCheckout{IdempotencyKey: "k"})
	charge := h.BankCharge(t, c.ID)
	if c.ID != begun || !c.CreatedAt.Equal(charge.CreatedAt) || c.ExpiresAt.Sub(c.CreatedAt) != in.ExpiresIn {
		t.Errorf("adopted %+v of %+v", c, charge)
	}
	if n, _ := chargesAt(t, h); n != 1 {
		t.Errorf("the bank has %d charges", n)
	}
	h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	h.Sweep(t)
	expect(t, h, c.ID, models.CheckoutPaid)
}

// A charge that has lost half of its time is not adopted: it is removed at the bank, and the key gets
// another charge for the same checkout.
func TestBank_NextGeneration(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	in := paymentstest.Filled(payments.NewCheckout{IdempotencyKey: "k", ExpiresIn: 5 * time.Minute})
	h.Service.Banks = between{Banks: h.Banks, after: func() error { return errors.New("killed") }}
	if _, _, err := h.CreateCheckout(t.Context(), h.Live, h.Account, in); err == nil {
		t.Fatal("created")
	}
	h.Service.Banks = h.Banks
	first := modelstest.One[string](t, h.DB, "SELECT txid FROM bank_charges")
	h.Later(3 * time.Minute)
	for range 2 { // while the bank has not confirmed the removal
		_, _, err := h.CreateCheckout(t.Context(), h.Live, h.Account, in)
		if got := refusal.Of(err); got.Code != refusal.ProviderUnavailable {
			t.Fatal(err)
		}
	}
	h.Tend(t)
	c := h.Charge(t, in)
	charge := h.BankCharge(t, c.ID)
	if charge.Generation != 1 || charge.TxID == first || c.TxID != charge.TxID {
		t.Errorf("the charge is %+v", charge)
	}
	if all, removed := chargesAt(t, h); all != 2 || removed != 1 {
		t.Errorf("the bank has %d charges, %d removed", all, removed)
	}
	h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	h.Sweep(t)
	expect(t, h, c.ID, models.CheckoutPaid)
}

// A charge without a checkout, which no key asks for again, is removed at the bank after five minutes. A
// charge that the bank never had is refused.
func TestBank_GivenUp(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]struct {
		banks func(h *bankstest.House) payments.Banks
		want  models.BankChargeStatus
	}{
		"the bank has it": {func(h *bankstest.House) payments.Banks {
			return between{Banks: h.Banks, after: func() error { return errors.New("killed") }}
		}, models.BankChargeRemoved},
		"the bank never had it": {func(h *bankstest.House) payments.Banks {
			return between{Banks: h.Banks, before: func() error { return errors.New("killed") }}
		}, models.BankChargeRefused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := bankstest.New(t)
			h.Service.Banks = step.banks(h)
			if _, _, err := h.CreateCheckout(t.Context(), h.Live, h.Account,
				paymentstest.Filled(payments.NewCheckout{})); err == nil {
				t.Fatal("created")
			}
			h.Service.Banks = h.Banks
			id := modelstest.One[string](t, h.DB, "SELECT checkout_id FROM bank_charges")
			h.Later(4 * time.Minute)
			h.Tend(t)
			expectCharge(t, h, id, models.BankChargeCreating)
			h.Later(time.Minute)
			h.Tend(t) // gives it up
			h.Tend(t) // and removes it
			expectCharge(t, h, id, step.want)
		})
	}
}

// A Pix for a charge that was given up belongs to no checkout.
func TestBank_GivenUpPaid(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	var code string
	h.Service.Banks = coded{h.Banks, &code}
	if _, _, err := h.CreateCheckout(t.Context(), h.Live, h.Account,
		paymentstest.Filled(payments.NewCheckout{})); err == nil {
		t.Fatal("created")
	}
	h.Service.Banks = h.Banks
	h.Pay(t, control.PayRequest{Code: code})
	h.Sweep(t)
	if n := modelstest.One[int](t, h.DB, "SELECT count(*) FROM payments"); n != 0 {
		t.Errorf("%d payments are recorded while the checkout may come", n)
	}
	h.Later(6 * time.Minute)
	h.Tend(t)
	h.Tend(t)
	h.Sweep(t)
	if got := exceptions(t, h); !slices.Equal(got, []string{"UNMATCHED"}) {
		t.Errorf("exceptions %s", got)
	}
	id := modelstest.One[string](t, h.DB, "SELECT checkout_id FROM bank_charges")
	expectCharge(t, h, id, models.BankChargePaid)
}

// coded is Banks whose bank keeps the code of a charge and then fails.
type coded struct {
	payments.Banks
	code *string
}

// For implements payments.Banks.
func (b coded) For(ctx context.Context, id string) (psp.Bank, error) {
	bank, err := b.Banks.For(ctx, id)
	return codedBank{bank, b.code}, err
}

type codedBank struct {
	psp.Bank
	code *string
}

// PutCharge implements psp.Provider.
func (b codedBank) PutCharge(ctx context.Context, c psp.Charge) (psp.Issued, error) {
	issued, err := b.Bank.PutCharge(ctx, c)
	*b.code = issued.CopyPaste
	return issued, errors.Join(err, errors.New("killed"))
}

// A Pix that belongs to a charge of another bank account pays nothing.
func TestBank_AnothersCharge(t *testing.T) {
	t.Parallel()
	h, foreign := bankstest.New(t), "bnk_00000000000000000000"
	modelstest.Exec(t, h.DB, `INSERT INTO bank_accounts (id, name, profile, sandbox, pix_key, holder_name,
			holder_document, status, created_at)
		SELECT $1, 'Outra', profile, sandbox, 'outra@banco.example', holder_name, holder_document, 'DRAFT', created_at
		FROM bank_accounts`, foreign)
	c := h.Charge(t, payments.NewCheckout{})
	_, err := h.RecordBankPayments(t.Context(), foreign, []psp.Payment{{EndToEndID: "E9999999920261124120000000000001",
		TxID: c.TxID, Amount: int64(c.Amount), PaidAt: h.Bank.Clock.Now()}})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, h, c.ID, models.CheckoutPending)
	expectCharge(t, h, c.ID, models.BankChargeOpen)
	if got := exceptions(t, h); !slices.Equal(got, []string{"UNMATCHED"}) {
		t.Errorf("exceptions %s", got)
	}
}

// Less, more, a second time and without a TxID: all money is booked, and each is a case for staff.
func TestBank_WrongMoney(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	less, more, twice := h.Charge(t, payments.NewCheckout{}), h.Charge(t, payments.NewCheckout{}), h.Charge(t,
		payments.NewCheckout{})
	h.Pay(t, control.PayRequest{Code: less.CopyPaste, Amount: 9_99})
	h.Pay(t, control.PayRequest{Code: more.CopyPaste, Amount: 10_01})
	h.Pay(t, control.PayRequest{Code: twice.CopyPaste, Twice: true})
	h.Pay(t, control.PayRequest{Code: h.Charge(t, payments.NewCheckout{}).CopyPaste, NoTxID: true})
	for range 2 { // read again, recorded once
		h.Sweep(t)
	}
	expect(t, h, less.ID, models.CheckoutPending)
	expect(t, h, more.ID, models.CheckoutPending)
	expect(t, h, twice.ID, models.CheckoutPaid)
	if got := exceptions(t, h); !slices.Equal(got, []string{"DUPLICATE", "OVERPAID", "UNDERPAID", "UNMATCHED"}) {
		t.Errorf("exceptions %s", got)
	}
}

// A Pix for another key of the bank's customer is no business of the gateway.
func TestBank_AnotherKey(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	c := h.Charge(t, payments.NewCheckout{})
	_, err := h.RecordBankPayments(t.Context(), h.AccountID, []psp.Payment{
		{EndToEndID: "E9999999920261124120000000000001", Amount: 5, PaidAt: h.Bank.Clock.Now(),
			Key: "loja@banco.example"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := modelstest.One[int](t, h.DB, "SELECT count(*) FROM payments"); n != 0 {
		t.Errorf("%d payments are recorded", n)
	}
	expect(t, h, c.ID, models.CheckoutPending)
}

// The time of the bank decides whether a Pix was in time: its clock may be ahead of ours.
func TestBank_ClockAhead(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	h.Fault(t, control.Fault{Name: "skew", Value: "30s"})
	c := h.Charge(t, payments.NewCheckout{ExpiresIn: 2 * time.Minute})
	until := *h.BankCharge(t, c.ID).PayableUntil
	if ahead := until.Sub(c.ExpiresAt); ahead < 15*time.Second || ahead > 25*time.Second {
		t.Fatalf("the charge ends %s after the checkout", ahead)
	}
	modelstest.Exec(t, h.DB, "UPDATE bank_charges SET next_check_at = next_check_at + interval '1 day'")
	h.Later(2*time.Minute + 61*time.Second)
	expireDue(t, h)
	expect(t, h, c.ID, models.CheckoutExpired)
	_, err := h.RecordBankPayments(t.Context(), h.AccountID, []psp.Payment{{TxID: c.TxID, Amount: int64(c.Amount),
		EndToEndID: "E9999999920261124120000000000001", PaidAt: until.Add(-time.Second)}})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, h, c.ID, models.CheckoutPaid)
	event := modelstest.One[string](t, h.DB, `SELECT convert_from(body, 'UTF8')::jsonb #>> '{data,checkout,expiresAt}'
		FROM events WHERE type = 'checkout.paid'`)
	if at, err := time.Parse(time.RFC3339, event); err != nil || !at.Equal(c.ExpiresAt) {
		t.Errorf("the event says %s, %v", event, err)
	}
}
