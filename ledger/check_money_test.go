package ledger_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"garoupa/internal/money"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// rich returns a gateway that has one live row of everything that moves money, except
// payments and settlements, and snapshots of those rows.
func rich(t *testing.T) *paymentstest.Gateway {
	t.Helper()
	g := paymentstest.New(t)
	g.GoLive(t)
	g.Destination(t, models.RailPix)
	g.Fund(t, models.Live, 1000_00)
	by := g.Staff(t)
	g.SetWithdrawalFee(t, money.Fee{Fixed: 1_00})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	g.SetFee(t, money.Fee{BasisPoints: 100})
	c, _, err := g.CreateCheckout(t.Context(), g.Live, g.Account,
		paymentstest.Filled(payments.NewCheckout{Amount: 1000_01}))
	must(err)
	for range 3 {
		must(g.ConfirmPayment(t.Context(), models.Live, simulator.Pay(c.TxID, 1000_00, g.Clock.Now())))
	}
	open, err := models.Exceptions(t.Context(), g.DB.Pool, models.ExceptionFilter{Open: true, Limit: 3})
	must(err)
	_, err = g.AcceptException(t.Context(), by, open[0].PaymentID, paymentstest.Reason)
	must(err)
	_, err = g.RefundException(t.Context(), by, open[1].PaymentID, paymentstest.Reason, "")
	must(err)
	_, err = g.WriteOffException(t.Context(), by, open[2].PaymentID, paymentstest.Reason)
	must(err)
	must(g.SnapshotLedger(t.Context()))
	var paymentID string
	must(g.DB.Pool.QueryRow(t.Context(), "SELECT id FROM payments WHERE settles").Scan(&paymentID))
	_, err = g.RefundPayment(t.Context(), by,
		payments.NewRefund{PaymentID: paymentID, Amount: 7_00, Reason: paymentstest.Reason})
	must(err)
	b, err := g.BlockAmount(t.Context(), by, payments.NewBlock{
		AccountID: g.Account.ID, Environment: models.Live, Amount: 20_00, Reason: paymentstest.Reason,
	})
	must(err)
	_, err = g.UnblockAmount(t.Context(), by, b.ID, paymentstest.Reason)
	must(err)
	_, err = g.BlockAmount(t.Context(), by, payments.NewBlock{
		AccountID: g.Account.ID, Environment: models.Live, Amount: 30_00, Reason: paymentstest.Reason, Seen: 1,
	})
	must(err)
	g.Withdraw(t, 10_00)
	cancelled := g.Withdraw(t, 40_00)
	_, err = g.CancelWithdrawal(t.Context(), g.Owner, g.Account.ID, cancelled.ID)
	must(err)
	for _, returned := range []bool{false, true} {
		w := g.Withdraw(t, 50_00)
		g.PayOut(t, by, w.ID)
		if returned {
			_, err = g.ReturnWithdrawal(t.Context(), by, w.ID, g.Version(t, w.ID), "MD06", paymentstest.Reason)
			must(err)
		}
	}
	must(contest(t, g, by, paymentID))
	g.Clock.Advance(time.Minute)
	must(g.SnapshotLedger(t.Context()))
	_, err = g.CoverDue(t.Context())
	must(err)
	return g
}

// contest opens two disputes of a payment, and closes the first.
func contest(t *testing.T, g *paymentstest.Gateway, by models.Actor, paymentID string) error {
	for i, ref := range []string{"1", "2"} {
		d, err := g.OpenDispute(t.Context(), by, payments.NewDispute{PaymentID: paymentID, BankRef: ref, Cause: "x",
			Amount: money.Cents(5_00 + i*1_00), AnswerBy: g.Clock.Now().Add(time.Hour)})
		if err == nil && i == 0 {
			_, err = g.CloseDispute(t.Context(), by, d.ID, paymentstest.Reason)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// drift is a statement that makes a row disagree with the books, and a part of what Check
// says about it.
type drift struct{ sql, says string }

// finds fails the test unless Check finds nothing wrong with the books of rich, and then each
// drift.
func finds(t *testing.T, drifts map[string]drift) {
	t.Helper()
	g := rich(t)
	undo := errors.New("undo")
	find := func(sql string) (found string) {
		t.Helper()
		err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
			if sql != "" {
				if _, err := tx.Exec("SET LOCAL session_replication_role = replica"); err != nil {
					return err
				}
				changed, err := tx.Exec(sql)
				if err != nil {
					return err
				}
				if changed == 0 {
					t.Errorf("%s changed nothing", sql)
				}
			}
			return errors.Join(undo, tx.PGX(func(ctx context.Context, conn models.Querier) error {
				drift, err := ledger.Check(ctx, conn)
				found = strings.Join(drift, "\n")
				return err
			}))
		})
		if !errors.Is(err, undo) || strings.Contains(err.Error(), "\n") {
			t.Fatalf("%s: %v", sql, err)
		}
		return found
	}
	if found := find(""); found != "" {
		t.Fatalf("Check reports unchanged books: %s", found)
	}
	for name, tc := range drifts {
		if found := find(tc.sql); !strings.Contains(found, tc.says) {
			t.Errorf("%s: found %q, want %q", name, found, tc.says)
		}
	}
}

// Check finds every way in which withdrawals can disagree with the books.
func TestCheck_Withdrawals(t *testing.T) {
	t.Parallel()
	finds(t, map[string]drift{
		"a reservation lost": {"DELETE FROM ledger_transfers WHERE fact = (SELECT 'withdrawal/' || id FROM " +
			"withdrawals WHERE status = 'PENDING_REVIEW')", "/live/available to"},
		"a release lost": {"DELETE FROM ledger_transfers WHERE fact LIKE 'withdrawal/%/released'",
			"is 40.00, the books say 0.00"},
		"a payout lost": {"DELETE FROM ledger_transfers WHERE to_book = 'platform/live/paid_out' AND " +
			"id = (SELECT max(id) FROM ledger_transfers WHERE to_book = 'platform/live/paid_out')",
			"is 49.00, the books say 0.00"},
		"a payout's fee lost": {"DELETE FROM ledger_transfers WHERE fact LIKE 'withdrawal/%/completed' AND " +
			"line = 1", "is 1.00, the books say 0.00"},
		"a return lost": {"DELETE FROM ledger_transfers WHERE fact LIKE '%/returned/%'",
			"is 49.00, the books say 0.00"},
		"a part gone":     {"DELETE FROM withdrawal_returns", "is 49.00, the books say 0.00"},
		"a part's amount": {"UPDATE withdrawal_returns SET amount = amount - 1", "is 48.99, the books say 49.00"},
		"an extra return": {"UPDATE withdrawals SET status = 'COMPLETED' WHERE status = 'RETURNED'",
			"is 0.00, the books say 49.00"},
		"a withdrawal's amount": {"UPDATE withdrawals SET amount = amount + 1 WHERE status = 'PENDING_REVIEW'",
			"is 10.01, the books say 10.00"},
		"a canceled withdrawal": {"UPDATE withdrawals SET status = 'CANCELLED' WHERE status = 'PENDING_REVIEW'",
			"is 10.00, the books say 0.00"},
		"a withdrawal gone": {"DELETE FROM withdrawals WHERE status = 'PENDING_REVIEW'",
			"is 0.00, the books say 10.00"},
	})
}

// Check finds every way in which refunds, blocks and exceptions can disagree with the books.
func TestCheck_Decisions(t *testing.T) {
	t.Parallel()
	finds(t, map[string]drift{
		"a refund gone":     {"DELETE FROM refunds", "is 0.00, the books say 7.00"},
		"a refund's amount": {"UPDATE refunds SET amount = 800", "is 8.00, the books say 7.00"},
		"a block gone": {"DELETE FROM blocked_amounts WHERE amount = 3000",
			"is 0.00, the books say 30.00"},
		"a block released": {"UPDATE blocked_amounts SET release_reason = 'x', released_by = created_by, " +
			"released_at = created_at WHERE amount = 3000", "is 30.00, the books say 0.00"},
		"an acceptance undone": {"UPDATE payment_exceptions SET decision = NULL, account_id = NULL, fee = 0, " +
			"reason = NULL, decided_by = NULL, decided_at = NULL WHERE decision = 'ACCEPTED'",
			"is 0.00, the books say 1000.00"},
		"an acceptance's fee": {"UPDATE payment_exceptions SET fee = 0 WHERE decision = 'ACCEPTED'",
			"is 0.00, the books say 10.00"},
		"a write-off given back": {"UPDATE payment_exceptions SET return_status = 'COMPLETED', " +
			"return_ended_at = now() WHERE decision = 'WRITTEN_OFF'",
			"written_off to platform/live/refunds is 1000.00, the books say 0.00"},
		"a write-off changed to a refund": {"UPDATE payment_exceptions SET decision = 'REFUNDED' WHERE decision = " +
			"'WRITTEN_OFF'", "platform/live/written_off is 0.00, the books say 1000.00"},
	})
}

// Check finds every way in which disputes can disagree with the books.
func TestCheck_Disputes(t *testing.T) {
	t.Parallel()
	finds(t, map[string]drift{
		"a dispute gone": {"DELETE FROM disputes WHERE status = 'OPEN'", "is 0.00, the books say 6.00"},
		"a dispute's block": {"UPDATE disputes SET blocked = blocked - 1 WHERE status = 'OPEN'",
			"is 5.99, the books say 6.00"},
		"a dispute's release": {"UPDATE disputes SET released = 0 WHERE status = 'WON'",
			"is 0.00, the books say 5.00"},
		"a block of one lost": {"DELETE FROM ledger_transfers WHERE fact = (SELECT 'dispute/' || id FROM disputes " +
			"WHERE status = 'OPEN')", "is 6.00, the books say 0.00"},
		"a fact of none's making": {"UPDATE ledger_transfers SET fact = fact || '/again' " +
			"WHERE fact LIKE 'dispute/%/released'", "is 5.00, the books say 0.00"},
	})
}

// Check finds every way in which balances, snapshots and settlements can disagree with the
// books.
func TestCheck_Balances(t *testing.T) {
	t.Parallel()
	finds(t, map[string]drift{
		"a book below zero": {"INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount, " +
			"recorded_at) SELECT 'x', 0, id || '/live/blocked', 'platform/live/refunds', 3601, now() FROM accounts " +
			"LIMIT 1", "/live/blocked: at least is 0.00, the books say -0.01"},
		"the newest snapshot": {"UPDATE ledger_snapshots SET available = available + 1, pending = pending - 1 " +
			"WHERE through_id = (SELECT max(through_id) FROM ledger_snapshots)", "the snapshot of available is"},
		"an old snapshot": {"UPDATE ledger_snapshots SET gross = gross + 1, fee = fee + 1 WHERE through_id = " +
			"(SELECT min(through_id) FROM ledger_snapshots)", "the snapshot of fee is"},
		"the uncovered amount": {"UPDATE account_books SET uncovered = uncovered + 1",
			"settled and not withdrawn is"},
		"a checkout completed": {"UPDATE checkouts SET settlement_status = 'COMPLETED' WHERE settlement_status = " +
			"'AVAILABLE'", "settled and not withdrawn is"},
		"a checkout with no date": {"UPDATE checkouts SET settlement_status = 'PENDING', settlement_amount = NULL, " +
			"settles_at = NULL", "what no date settles is 0.00, the books say 1000.00"},
	})
}
