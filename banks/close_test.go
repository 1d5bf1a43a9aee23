package banks_test

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"garoupa/banks"
	"garoupa/banks/bankstest"
	"garoupa/internal/refusal"
	"garoupa/merchants"
	"garoupa/migrations"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/bank/control"
)

// supervisor adds a person who may manage banks.
func supervisor(t *testing.T, h *bankstest.House, name string) models.Actor {
	t.Helper()
	id, err := h.Merchants.AddStaff(t.Context(), merchants.NewStaff{Name: name, Email: name + "@staff.example",
		Password: paymentstest.Password, Role: models.StaffSupervisor})
	if err != nil {
		t.Fatal(err)
	}
	return models.Actor{UserID: id, IP: "127.0.0.1"}
}

func version(t *testing.T, h *bankstest.House) int {
	t.Helper()
	account, err := models.BankAccountByID(t.Context(), h.DB, h.AccountID)
	if err != nil {
		t.Fatal(err)
	}
	return account.Version
}

// giveBack asks for a refund of a part of a checkout.
func giveBack(t *testing.T, h *bankstest.House, checkoutID, key string) error {
	_, _, err := h.RefundCheckout(t.Context(), h.Live, payments.RefundRequest{By: h.Owner, CheckoutID: checkoutID,
		AccountID: h.Gateway.Account.ID, Amount: 5_00, Reason: "Devolução", IdempotencyKey: key,
		RequestHash: make([]byte, 32)})
	return err
}

// An account is closed once no charge of it is open and no refund under way, by a supervisor who saw it as it
// is. Then its credentials are retired, and its payments cannot be refunded by the bank.
func TestClose(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	eva := supervisor(t, h, "eva")
	c := h.Charge(t, payments.NewCheckout{Amount: 100_00})
	h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	h.Sweep(t)
	open := h.Charge(t, payments.NewCheckout{Amount: 10_00})
	try := func(by models.Actor, seen int) error { return h.Banks.Close(t.Context(), by, h.AccountID, seen) }
	if err := try(eva, version(t, h)); refusal.Of(err).Code != refusal.ChangedMeanwhile {
		t.Errorf("the active account: %v", err)
	}
	if err := h.Banks.Retire(t.Context(), eva, h.AccountID, version(t, h)); err != nil {
		t.Fatal(err)
	}
	if err := try(eva, version(t, h)); !errors.Is(err, banks.ErrOpen) {
		t.Errorf("with an open charge: %v", err)
	}
	if err := h.CancelCheckout(t.Context(), h.Owner, h.Live, open.ID); err != nil {
		t.Fatal(err)
	}
	if err := giveBack(t, h, c.ID, "first"); err != nil {
		t.Fatal(err)
	}
	if err := try(eva, version(t, h)); !errors.Is(err, banks.ErrOpen) {
		t.Errorf("with a refund under way: %v", err)
	}
	for range 100 {
		h.Later(10 * time.Second)
		h.Tend(t)
		if modelstest.One[int](t, h.DB, "SELECT count(*) FROM refunds WHERE status = 'COMPLETED'") == 1 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	for who, by := range map[string]models.Actor{"a reviewer": h.Staff(t), "the merchant": h.Owner} {
		if err := try(by, version(t, h)); refusal.Of(err).Code != refusal.Forbidden {
			t.Errorf("%s: %v", who, err)
		}
	}
	if err := try(eva, version(t, h)-1); refusal.Of(err).Code != refusal.ChangedMeanwhile {
		t.Errorf("by an old version: %v", err)
	}
	seen, other := version(t, h), h.Another(t)
	var both sync.WaitGroup
	var failed [2]error
	for i, process := range []*bankstest.House{h, other} {
		both.Go(func() { failed[i] = process.Banks.Close(t.Context(), eva, h.AccountID, seen) })
	}
	both.Wait()
	if one := (failed[0] == nil) != (failed[1] == nil); !one {
		t.Errorf("twice at once: %v", failed)
	}
	const retired = "SELECT count(*) FROM bank_credentials WHERE status = 'RETIRED'"
	if n := modelstest.One[int](t, h.DB, retired); n != 1 {
		t.Errorf("%d credentials are retired", n)
	}
	err := giveBack(t, h, c.ID, "second")
	if refusal.Of(err).Code != refusal.RefundNotPossible || !errors.Is(err, payments.ErrNotAsked) {
		t.Errorf("a refund of a closed account: %v", err)
	}
	if ids, err := models.UsedBankAccounts(t.Context(), h.DB.Pool); err != nil || len(ids) != 0 {
		t.Errorf("still read: %v, %v", ids, err)
	}
	const audited = "SELECT count(*) FROM audit_log WHERE action = 'bank_account.closed'"
	if n := modelstest.One[int](t, h.DB, audited); n != 1 {
		t.Errorf("%d lines in the audit log", n)
	}
}

// A refund and the closing of its account wait for each other: one of them is refused.
func TestClose_Refund(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	eva := supervisor(t, h, "eva")
	c := h.Charge(t, payments.NewCheckout{Amount: 100_00})
	h.Pay(t, control.PayRequest{Code: c.CopyPaste})
	h.Sweep(t)
	if err := h.Banks.Retire(t.Context(), eva, h.AccountID, version(t, h)); err != nil {
		t.Fatal(err)
	}
	seen := version(t, h)
	refunded, closed := h.Race(t, func() error { return giveBack(t, h, c.ID, "first") },
		func() error { return h.Banks.Close(t.Context(), eva, h.AccountID, seen) })
	if refunded != nil || !errors.Is(closed, banks.ErrOpen) {
		t.Errorf("refunded %v, closed %v", refunded, closed)
	}
}

// An account whose bank is giving the money of an exception back is read until that has ended.
func TestClose_ExceptionReturn(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	eva := supervisor(t, h, "eva")
	c := h.Charge(t, payments.NewCheckout{Amount: 100_00})
	h.Pay(t, control.PayRequest{Code: c.CopyPaste, Amount: 1_00})
	h.Sweep(t)
	payment := modelstest.One[string](t, h.DB, "SELECT payment_id FROM payment_exceptions")
	if _, err := h.RefundException(t.Context(), h.Staff(t), payment, paymentstest.Reason, ""); err != nil {
		t.Fatal(err)
	}
	if err := h.Banks.Retire(t.Context(), eva, h.AccountID, version(t, h)); err != nil {
		t.Fatal(err)
	}
	seen := version(t, h)
	if err := h.Banks.Close(t.Context(), eva, h.AccountID, seen); !errors.Is(err, banks.ErrOpen) {
		t.Errorf("while the bank gives money back: %v", err)
	}
	for n := 0; n == 0; n = modelstest.One[int](t, h.DB,
		"SELECT count(*) FROM payment_exceptions WHERE decision = 'REFUNDED'") {
		h.Later(time.Minute)
		h.Tend(t)
	}
	if err := h.Banks.Close(t.Context(), eva, h.AccountID, seen); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// Of a closed account no bank is asked to give money back: the return is made by hand and noted. A request that is
// being written keeps the account open.
func TestClose_ExceptionAsked(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	eva, by := supervisor(t, h, "eva"), h.Staff(t)
	c := h.Charge(t, payments.NewCheckout{Amount: 100_00})
	h.Pay(t, control.PayRequest{Code: c.CopyPaste, Amount: 1_00})
	h.Sweep(t)
	payment := modelstest.One[string](t, h.DB, "SELECT payment_id FROM payment_exceptions")
	if err := h.Banks.Retire(t.Context(), eva, h.AccountID, version(t, h)); err != nil {
		t.Fatal(err)
	}
	h.Later(48 * time.Hour)
	h.Tend(t)
	tx, err := h.DB.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// As a closing that is not committed yet.
	if _, err := tx.Exec(t.Context(), "UPDATE bank_accounts SET status = 'CLOSED'"); err != nil {
		t.Fatal(err)
	}
	asked := make(chan error, 1)
	go func() {
		_, err := h.RefundException(t.Context(), by, payment, paymentstest.Reason, "")
		asked <- err
	}()
	awaitWaiter(t, h, tx, asked)
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-asked; refusal.Of(err).Code != refusal.ProofRequired {
		t.Errorf("of a closed account: %v", err)
	}
	x, err := h.RefundException(t.Context(), by, payment, paymentstest.Reason, "D1")
	if err != nil || x.Decision == nil || *x.Decision != models.ExceptionRefunded {
		t.Errorf("noted by its id: %+v, %v", x, err)
	}
}

// Earlier programs could leave returns that wait at a closed account. The migration ends them, and says whether the
// bank may have made them; other returns stay.
func TestClose_ReturnsLeft(t *testing.T) {
	t.Parallel()
	h := bankstest.New(t)
	by := h.Staff(t)
	c := h.Charge(t, payments.NewCheckout{Amount: 100_00})
	for range 2 {
		h.Pay(t, control.PayRequest{Code: c.CopyPaste, Amount: 1_00, Twice: true})
	}
	h.Sweep(t)
	ids := modelstest.Column[string](t, h.DB, "SELECT payment_id FROM payment_exceptions ORDER BY payment_id")[:2]
	for _, id := range ids {
		if _, err := h.RefundException(t.Context(), by, id, paymentstest.Reason, ""); err != nil {
			t.Fatal(err)
		}
	}
	modelstest.Exec(t, h.DB, "UPDATE payment_exceptions SET return_tries = 1 WHERE payment_id = $1", ids[1])
	migrate := func() []string {
		t.Helper()
		modelstest.Exec(t, h.DB, "DELETE FROM goose_db_version WHERE version_id = 147")
		if err := migrations.Up(t.Context(), h.DB.Pool); err != nil {
			t.Fatal(err)
		}
		return modelstest.Column[string](t, h.DB, `SELECT concat_ws(': ', return_status, nullif(return_failure, ''))
			FROM payment_exceptions WHERE payment_id = ANY($1) ORDER BY payment_id`, ids)
	}
	if got := migrate(); !slices.Equal(got, []string{"REQUESTED", "REQUESTED"}) {
		t.Errorf("at an account that is used: %q", got)
	}
	modelstest.Exec(t, h.DB, "ALTER TABLE bank_accounts DISABLE TRIGGER bank_accounts_closed")
	for _, status := range []models.BankAccountStatus{models.BankAccountRetiring, models.BankAccountClosed} {
		modelstest.Exec(t, h.DB, "UPDATE bank_accounts SET status = $1", status)
	}
	if got := migrate(); !slices.Equal(got, []string{
		"FAILED: A conta foi encerrada, e o banco não foi consultado.",
		"FAILED: A conta foi encerrada antes da resposta: confira no banco se ele devolveu.",
	}) {
		t.Errorf("at a closed account: %q", got)
	}
	for _, id := range ids {
		x, err := h.RefundException(t.Context(), by, id, paymentstest.Reason, "D"+id[4:])
		if err != nil || x.Decision == nil {
			t.Errorf("noted by hand: %+v, %v", x, err)
		}
	}
}
