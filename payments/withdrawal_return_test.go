package payments_test

import (
	"sync"
	"testing"
	"time"

	"garoupa/banks/bankstest"
	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/bank/control"
)

// paidOut returns a withdrawal of 50.00 that the bank has paid, and its EndToEndId.
func paidOut(t *testing.T, h *bankstest.House) (id, endToEndID string) {
	t.Helper()
	id = toPay(t, h, 50_00)
	payUntilEnded(t, h, id)
	return id, *expectPayout(t, h, id, completed, models.PayoutDone).EndToEndID
}

// comesBack lets the receiver of a payout return an amount, and reads until that is recorded.
func comesBack(t *testing.T, h *bankstest.House, id, endToEndID string, amount money.Cents) {
	t.Helper()
	const parts = "SELECT count(*) FROM withdrawal_returns WHERE withdrawal_id = $1"
	before := modelstest.One[int](t, h.DB, parts, id)
	if _, err := h.Bank.Control.Return(t.Context(), control.ReturnRequest{EndToEndID: endToEndID,
		Amount: int64(amount)}); err != nil {
		t.Fatal(err)
	}
	for modelstest.One[int](t, h.DB, parts, id) == before {
		payLater(t, h)
		time.Sleep(10 * time.Millisecond) // between two looks
	}
}

// A payout comes back in two parts: each is available at once, and the withdrawal is RETURNED after the second.
func TestBank_ReturnedInTwo(t *testing.T) {
	t.Parallel()
	h := paying(t)
	endpoint(t, h.Gateway, h.Live, models.EventWithdrawalReturned)
	id, endToEndID := paidOut(t, h)
	comesBack(t, h, id, endToEndID, 20_00)
	expectPayout(t, h, id, "COMPLETED -30.00 0.00 29.00 1.00", models.PayoutDone)
	const events = "SELECT count(*) FROM events WHERE withdrawal_id = $1 AND type = 'withdrawal.returned'"
	if n := modelstest.One[int](t, h.DB, events, id); n != 0 {
		t.Errorf("%d events after the first part", n)
	}
	comesBack(t, h, id, endToEndID, 29_00)
	expectPayout(t, h, id, "RETURNED -1.00 0.00 0.00 1.00", models.PayoutDone)
	if n := modelstest.One[int](t, h.DB, events, id); n != 1 {
		t.Errorf("%d events after the second part", n)
	}
	lines, err := models.Statement(t.Context(), h.DB.Pool, h.Account.ID, models.Live, models.StatementFilter{
		Kinds: []models.MovementKind{models.MovementWithdrawalReturned}, Limit: 10})
	if err != nil || len(lines) != 2 || lines[0].Amount != 29_00 || lines[1].Amount != 20_00 ||
		lines[0].LinkedID != id {
		t.Errorf("the statement has %+v, %v", lines, err)
	}
	payLater(t, h)
	const read = "SELECT count(*) FROM payout_attempts WHERE next_look_at IS NOT NULL"
	if n := modelstest.One[int](t, h.DB, read); n != 0 {
		t.Error("the payout is read although all came back")
	}
}

// Two processes that read the same return record it once.
func TestBank_ReturnOnce(t *testing.T) {
	t.Parallel()
	h := paying(t)
	id, endToEndID := paidOut(t, h)
	if _, err := h.Bank.Control.Return(t.Context(), control.ReturnRequest{EndToEndID: endToEndID,
		Amount: 20_00}); err != nil {
		t.Fatal(err)
	}
	for modelstest.One[int](t, h.DB, "SELECT count(*) FROM withdrawal_returns") == 0 {
		h.Later(5 * time.Minute)
		var both sync.WaitGroup
		for _, process := range []*bankstest.House{h.Another(t), h.Another(t)} {
			both.Go(func() { payOut(t, process) })
		}
		both.Wait()
		modelstest.Exec(t, h.DB, "UPDATE bank_sweeps SET payouts_leased_until = '-infinity'")
	}
	comesBack(t, h, id, endToEndID, 1_00)
	expectPayout(t, h, id, "COMPLETED -29.00 0.00 28.00 1.00", models.PayoutDone)
}

// What staff note is what has not come back yet; the bank's later word adds nothing.
func TestReturnWithdrawal_Rest(t *testing.T) {
	t.Parallel()
	h := paying(t)
	by := h.Staff(t)
	id, endToEndID := paidOut(t, h)
	seen := h.Version(t, id)
	comesBack(t, h, id, endToEndID, 20_00)
	_, err := h.ReturnWithdrawal(t.Context(), by, id, seen, "MD06", paymentstest.Reason)
	refused(t, "who did not see the first part", err, refusal.ChangedMeanwhile)
	w, err := h.ReturnWithdrawal(t.Context(), by, id, h.Version(t, id), "MD06", paymentstest.Reason)
	if err != nil || *w.FailureCode != "MD06" || *w.Reason != paymentstest.Reason {
		t.Fatalf("%+v, %v", w, err)
	}
	expectPayout(t, h, id, "RETURNED -1.00 0.00 0.00 1.00", models.PayoutDone)
	_, err = h.ReturnWithdrawal(t.Context(), by, id, h.Version(t, id), "MD06", paymentstest.Reason)
	refused(t, "again", err, refusal.WrongState)
	if _, err := h.Bank.Control.Return(t.Context(), control.ReturnRequest{EndToEndID: endToEndID}); err != nil {
		t.Fatal(err)
	}
	payLater(t, h)
	payLater(t, h)
	parts, err := models.WithdrawalReturns(t.Context(), h.DB.Pool, id)
	if err != nil || len(parts) != 2 || parts[0].ReturnID == nil || *parts[1].CreatedBy != by.UserID ||
		parts[1].Amount != 29_00 {
		t.Errorf("the parts are %+v, %v", parts, err)
	}
	expectPayout(t, h, id, "RETURNED -1.00 0.00 0.00 1.00", models.PayoutDone)
}

// The database lets no more come back than was paid out, keeps what came back, and a withdrawal of which a part
// came back is not RETURNED.
func TestWithdrawalReturns_Guarded(t *testing.T) {
	t.Parallel()
	g := live(t, 100_00)
	id := g.Withdraw(t, 50_00).ID
	insert := func(amount money.Cents) error {
		return g.DB.InTx(t.Context(), func(tx *models.Tx) error {
			return models.InsertWithdrawalReturn(tx, &models.WithdrawalReturn{ID: models.NewWithdrawalReturnID(),
				WithdrawalID: id, Amount: amount, ReturnedAt: g.Clock.Now(), RecordedAt: g.Clock.Now(),
				CreatedBy: &g.Owner.UserID})
		})
	}
	const within = "withdrawal_returns_within"
	if err := insert(1); !models.Violates(err, within) {
		t.Errorf("before it was paid: %v", err)
	}
	g.PayOut(t, g.Staff(t), id)
	if err := insert(50_01); !models.Violates(err, within) {
		t.Errorf("too much: %v", err)
	}
	if err := insert(20_00); err != nil {
		t.Fatal(err)
	}
	if drift, err := models.DriftOf(t.Context(), g.DB.Pool, models.SubjectWithdrawal, []string{id}); err != nil ||
		len(drift) != 1 || drift[0].Want != 20_00 {
		t.Errorf("without its posting: %+v, %v", drift, err)
	}
	_, err := g.DB.Pool.Exec(t.Context(), `UPDATE withdrawals SET status = 'RETURNED', version = version + 1,
		failure_code = 'X1', reason = 'x' WHERE id = $1`, id)
	if !models.Violates(err, "withdrawals_returned") {
		t.Errorf("returned in part: %v", err)
	}
	if _, err := g.DB.Pool.Exec(t.Context(), "DELETE FROM withdrawal_returns"); err == nil {
		t.Error("what came back was deleted")
	}
}

// A withdrawal that came back whole before the parts were recorded agrees with its posting.
func TestWithdrawalReturns_Old(t *testing.T) {
	t.Parallel()
	g := live(t, 100_00)
	id := g.Withdraw(t, 50_00).ID
	g.PayOut(t, g.Staff(t), id)
	_, err := g.DB.Pool.Exec(t.Context(), `WITH w AS (UPDATE withdrawals SET status = 'RETURNED',
			version = version + 1, failure_code = 'X1', reason = 'x', updated_at = now() WHERE id = $1 RETURNING *),
		k AS (UPDATE account_books k SET uncovered = uncovered - w.amount FROM w WHERE k.account_id = w.account_id
			AND k.livemode RETURNING 1)
		INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount, recorded_at)
		SELECT 'withdrawal/' || id || '/returned', 0, 'platform/live/paid_out', account_id || '/live/available',
			amount, now() FROM w`, id)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, g)
}
