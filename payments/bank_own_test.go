package payments_test

import (
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bank/control"
	"garoupa/pix/psp/simulator"
)

// soldOwn returns a live checkout of 100.00 that was paid at the merchant's own bank account.
func soldOwn(t *testing.T, own *bankstest.House) *models.Checkout {
	t.Helper()
	own.SetFee(t, money.Fee{BasisPoints: 99})
	c := own.Charge(t, payments.NewCheckout{Amount: 100_00})
	if at := own.BankCharge(t, c.ID).BankAccountID; at != own.AccountID {
		t.Fatalf("charged at %s", at)
	}
	own.Pay(t, control.PayRequest{Code: c.CopyPaste})
	own.Sweep(t)
	expect(t, own, c.ID, models.CheckoutPaid)
	return own.State(t, c.ID)
}

// leftFor checks what left the account's books, beside held.
func leftFor(t *testing.T, h *bankstest.House, want money.Cents) {
	t.Helper()
	b, err := ledger.BalanceOf(t.Context(), h.DB.Pool, h.Account.ID, models.Live)
	if err != nil || b.Withdrawn != want || b.Gross-b.Fee-b.Refunded-b.Withdrawn != b.Total() {
		t.Errorf("the balance is %+v, %v; want %d paid out", b, err, want)
	}
}

func settleNow(t *testing.T, h *bankstest.House) {
	t.Helper()
	if _, err := h.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := h.CoverDue(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Money at the own account has no fee, says PENDING when it is paid, and is settled by the next sweep. Nothing
// of it is available.
func TestBank_OwnSale(t *testing.T) {
	t.Parallel()
	own := bankstest.New(t).WithOwn(t)
	c := soldOwn(t, own)
	if c.SettlementStatus != models.SettlementPending {
		t.Errorf("settlement is %s", c.SettlementStatus)
	}
	held(t, own, 100_00, 0, 0)
	settleNow(t, own)
	held(t, own, 0, 0, 0)
	leftFor(t, own, 100_00)
	c = own.State(t, c.ID)
	if c.SettlementStatus != models.SettlementCompleted || *c.SettlementAmount != 100_00 {
		t.Errorf("settlement is %s of %v", c.SettlementStatus, c.SettlementAmount)
	}
	if fees := modelstest.One[int64](t, own.DB, "SELECT sum(fee)::bigint FROM payments"); fees != 0 {
		t.Errorf("fees of %d", fees)
	}
	own.Destination(t, models.RailPix)
	own.Later(25 * time.Hour) // the destination's hold
	_, _, err := own.RequestWithdrawal(t.Context(), own.Gateway.Account, paymentstest.Withdrawal(models.RailPix, 50_00))
	if refusal.Of(err).Code != refusal.InsufficientBalance {
		t.Errorf("a withdrawal of it: %v", err)
	}
}

// A refund before the settlement takes pending money, one after it takes money back from the own account. One
// that the bank refuses goes back where the money is.
func TestBank_OwnRefund(t *testing.T) {
	t.Parallel()
	own := bankstest.New(t).WithOwn(t)
	c := soldOwn(t, own)
	early := refund(t, own, c.ID, 30_00)
	held(t, own, 70_00, 0, 30_00)
	settleNow(t, own)
	held(t, own, 0, 0, 30_00)
	leftFor(t, own, 70_00)
	if r := ended(t, own, early.ID, models.RefundCompleted); r.FromPending != 30_00 || r.FromPaidOut != 0 {
		t.Errorf("the early refund is %+v", r)
	}
	late := refund(t, own, c.ID, 0)
	held(t, own, 0, 0, 100_00)
	leftFor(t, own, 0)
	if late.Amount != 70_00 || late.FromPaidOut != 70_00 || late.Short != 0 {
		t.Errorf("the late refund is %+v", late)
	}
	ended(t, own, late.ID, models.RefundCompleted)
	if _, err := tryRefund(t, own, c.ID, 1); refusal.Of(err).Code != refusal.InvalidAmount {
		t.Errorf("a refund of more: %v", err)
	}
	held(t, own, 0, 0, 100_00)
}

// The bank refuses refunds of the own account: one that was asked for and fails before the settlement, one whose
// checkout was settled meanwhile, and one after it.
func TestBank_OwnRefundFails(t *testing.T) {
	t.Parallel()
	own := bankstest.New(t).WithOwn(t)
	own.Fault(t, control.Fault{Name: "refuse-return"})
	c := soldOwn(t, own)
	r := refund(t, own, c.ID, 30_00)
	ended(t, own, r.ID, models.RefundFailed)
	held(t, own, 100_00, 0, 0)

	between := refund(t, own, c.ID, 40_00)
	settleNow(t, own)
	ended(t, own, between.ID, models.RefundFailed)
	held(t, own, 0, 0, 0)
	leftFor(t, own, 100_00)

	after := refund(t, own, c.ID, 50_00)
	held(t, own, 0, 0, 50_00)
	ended(t, own, after.ID, models.RefundFailed)
	held(t, own, 0, 0, 0)
	leftFor(t, own, 100_00)
}

// A return that was made in the own bank's app is booked without a bound.
func TestBank_OwnReturnFound(t *testing.T) {
	t.Parallel()
	own := bankstest.New(t).WithOwn(t)
	c := own.Charge(t, payments.NewCheckout{Amount: 100_00})
	paid := own.Pay(t, control.PayRequest{Code: c.CopyPaste})
	own.Sweep(t)
	settleNow(t, own)
	part := control.ReturnRequest{EndToEndID: paid[0], Amount: 60_00}
	if _, err := own.Bank.Control.Return(t.Context(), part); err != nil {
		t.Fatal(err)
	}
	for modelstest.One[int](t, own.DB, "SELECT count(*) FROM refunds") == 0 {
		own.Later(10 * time.Second)
		own.Sweep(t)
		time.Sleep(10 * time.Millisecond) // the bank takes its time
	}
	held(t, own, 0, 0, 60_00)
	leftFor(t, own, 40_00)
}

// Both accounts at once: what was charged at the installation's is settled there, and stays withdrawable. A Pix
// pays only what was charged at the account where it came.
func TestBank_OwnBesideInstallation(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	before := sold(t, h)
	settle(t, h)
	held(t, h, 0, 99_01, 0)
	open := h.Charge(t, payments.NewCheckout{Amount: 100_00})
	own := h.WithOwn(t)
	mine := soldOwn(t, own)
	if at := h.BankCharge(t, open.ID).BankAccountID; at != h.AccountID {
		t.Errorf("an earlier charge went to %s", at)
	}
	settleNow(t, own)
	held(t, own, 0, 99_01, 0)
	leftFor(t, own, 100_00)
	// The installation's bank has a charge by an own charge's TxID that it paid: it pays nothing here.
	stray := simulator.Pay(mine.TxID, int64(mine.Amount), h.Bank.Clock.Now())
	if _, err := h.RecordBankPayments(t.Context(), h.AccountID, []psp.Payment{stray}); err != nil {
		t.Fatal(err)
	}
	if got := modelstest.Column[string](t, h.DB, "SELECT kind FROM payment_exceptions"); len(got) != 1 ||
		got[0] != string(models.ExceptionUnmatched) {
		t.Errorf("exceptions %v", got)
	}
	r := refund(t, own, before.ID, 10_00)
	held(t, own, 0, 89_01, 10_00)
	ended(t, h, r.ID, models.RefundCompleted)
	held(t, own, 0, 89_01, 10_00)

	seen := modelstest.One[int](t, h.DB, "SELECT version FROM bank_accounts WHERE id = $1", own.AccountID)
	waiting := own.Charge(t, payments.NewCheckout{Amount: 5_00})
	if err := own.Banks.Retire(t.Context(), own.Owner, own.AccountID, seen); err != nil {
		t.Fatal(err)
	}
	next := h.Charge(t, payments.NewCheckout{})
	if at := h.BankCharge(t, next.ID).BankAccountID; at != h.AccountID {
		t.Errorf("after the retirement charged at %s", at)
	}
	own.Pay(t, control.PayRequest{Code: waiting.CopyPaste})
	own.Sweep(t)
	expect(t, own, waiting.ID, models.CheckoutPaid)
	settleNow(t, own)
	held(t, own, 0, 89_01, 10_00)
	leftFor(t, own, 105_00)
}

// Without an account of the installation a merchant with an own one charges, and others get a 503.
func TestBank_OwnAlone(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	own := h.WithOwn(t)
	modelstest.Exec(t, h.DB, "UPDATE bank_accounts SET status = 'RETIRING' WHERE account_id IS NULL")
	own.Charge(t, payments.NewCheckout{})
	modelstest.Exec(t, h.DB, "UPDATE bank_accounts SET status = 'RETIRING' WHERE status = 'ACTIVE'")
	_, _, err := h.CreateCheckout(t.Context(), h.Live, h.Gateway.Account, paymentstest.Filled(payments.NewCheckout{}))
	if refusal.Of(err).Code != refusal.ProviderUnavailable {
		t.Errorf("without any account: %v", err)
	}
}

// A suspended merchant charges nowhere, but what buyers paid at the own account counts.
func TestBank_OwnSuspended(t *testing.T) {
	t.Parallel()
	own := bankstest.New(t).WithOwn(t)
	c := own.Charge(t, payments.NewCheckout{})
	modelstest.Exec(t, own.DB, "UPDATE accounts SET suspended = true WHERE id = $1", own.Gateway.Account.ID)
	own.Gateway.Account.Suspended = true
	_, _, err := own.CreateCheckout(t.Context(), own.Live, own.Gateway.Account,
		paymentstest.Filled(payments.NewCheckout{}))
	if refusal.Of(err).Code != refusal.AccountSuspended {
		t.Errorf("a charge: %v", err)
	}
	own.Pay(t, control.PayRequest{Code: c.CopyPaste})
	own.Sweep(t)
	settleNow(t, own)
	expect(t, own, c.ID, models.CheckoutPaid)
	held(t, own, 0, 0, 0)
}

// Members decide about money at their own account, staff do not, and no one writes it off.
func TestBank_OwnExceptions(t *testing.T) {
	t.Parallel()
	own := bankstest.New(t).WithOwn(t)
	c := own.Charge(t, payments.NewCheckout{Amount: 100_00})
	own.Pay(t, control.PayRequest{Code: c.CopyPaste, Amount: 90_00})
	other := own.Charge(t, payments.NewCheckout{Amount: 100_00})
	own.Pay(t, control.PayRequest{Code: other.CopyPaste, Amount: 80_00})
	own.Pay(t, control.PayRequest{Code: own.Charge(t, payments.NewCheckout{}).CopyPaste, Amount: 70_00, NoTxID: true})
	own.Sweep(t)
	id := func(amount int64) string {
		return modelstest.One[string](t, own.DB, `SELECT x.payment_id FROM payment_exceptions x
			JOIN payments p ON p.id = x.payment_id WHERE p.amount = $1`, amount)
	}
	ctx, staff, stranger := t.Context(), own.Staff(t), models.Actor{UserID: "usr_x"}
	for name, err := range map[string]error{
		"staff accepts":  second(own.AcceptException(ctx, staff, id(90_00), paymentstest.Reason)),
		"staff refunds":  second(own.RefundException(ctx, staff, id(90_00), paymentstest.Reason, "")),
		"staff write it": second(own.WriteOffException(ctx, staff, id(90_00), paymentstest.Reason)),
		"a stranger":     second(own.AcceptException(ctx, stranger, id(90_00), paymentstest.Reason)),
	} {
		if refusal.Of(err).Code != refusal.Forbidden {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := own.WriteOffException(ctx, own.Owner, id(90_00), paymentstest.Reason); refusal.Of(err).Code !=
		refusal.WrongState {
		t.Errorf("the owner writes it off: %v", err)
	}
	for _, role := range []models.Role{models.RoleViewer, models.RoleDeveloper} {
		own.GiveRole(t, role)
		if _, err := own.AcceptException(ctx, own.Owner, id(90_00), paymentstest.Reason); refusal.Of(err).Code !=
			refusal.Forbidden {
			t.Errorf("%s accepts: %v", role, err)
		}
	}
	own.GiveRole(t, models.RoleFinance)
	for _, amount := range []int64{90_00, 70_00} { // the second was meant for no checkout
		if _, err := own.AcceptException(ctx, own.Owner, id(amount), paymentstest.Reason); err != nil {
			t.Error(err)
		}
	}
	if _, err := own.RefundException(ctx, own.Owner, id(80_00), paymentstest.Reason, "D123"); err != nil {
		t.Error(err)
	}
	if _, err := own.AcceptException(ctx, own.Owner, id(80_00), paymentstest.Reason); refusal.Of(err).Code !=
		refusal.WrongState {
		t.Errorf("a second decision: %v", err)
	}
	held(t, own, 0, 0, 0)
	leftFor(t, own, 160_00)
}

// second returns the error of a call with two results.
func second[T any](_ T, err error) error { return err }

// The database lets money of an own account go nowhere else, and no other money there.
func TestBank_OwnGuard(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	theirs := sold(t, h)
	own := h.WithOwn(t)
	mine := soldOwn(t, own)
	for name, p := range map[string]ledger.Posting{
		"to available": {Fact: "settlement/" + mine.ID, Transfers: []ledger.Transfer{{Amount: 100_00,
			From: ledger.Account(h.Account.ID, models.Live, ledger.Pending),
			To:   ledger.Account(h.Account.ID, models.Live, ledger.Available)}}},
		"of the installation": {Fact: "settlement/" + theirs.ID, Transfers: []ledger.Transfer{{Amount: 99_01,
			From: ledger.Account(h.Account.ID, models.Live, ledger.Pending), To: ledger.PaidOut(models.Live)}}},
		"of nothing": {Fact: "gift/1", Transfers: []ledger.Transfer{{Amount: 1, From: ledger.PaidOut(models.Live),
			To: ledger.Account(h.Account.ID, models.Live, ledger.Pending)}}},
	} {
		err := h.DB.InTx(t.Context(), func(tx *models.Tx) error { return ledger.Post(tx, time.Now(), p) })
		if !models.Violates(err, "ledger_own_bank") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
