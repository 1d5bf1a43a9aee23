package ledger_test

import (
	"errors"
	"fmt"
	"slices"
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

// proven runs a proof and returns its drift.
func proven(t *testing.T, g *paymentstest.Gateway) string {
	t.Helper()
	drift, err := g.CheckBooks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(drift, "\n")
}

// passed runs a pass over the whole history and returns the drift of the next proof.
func passed(t *testing.T, g *paymentstest.Gateway) string {
	t.Helper()
	g.Clock.Advance(8 * 24 * time.Hour)
	if err := g.CheckAllBooks(t.Context()); err != nil {
		t.Fatal(err)
	}
	return proven(t, g)
}

func sells(t *testing.T, g *paymentstest.Gateway, amount money.Cents) *models.Checkout {
	t.Helper()
	c := g.Checkout(t, payments.NewCheckout{Amount: amount})
	if err := g.ConfirmPayment(t.Context(), models.Test,
		simulator.Pay(c.TxID, int64(amount), g.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	return c
}

// mistake is one error in the books: sql makes it, mend undoes it, and the drift that a proof
// returns contains says.
type mistake struct{ sql, mend, says string }

// forged and newest are parts of the SQL of several mistakes.
const (
	forged = "INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount, recorded_at) "
	newest = "(SELECT id FROM payments ORDER BY recorded_at DESC LIMIT 1)"
)

// newMistakes are errors in rows that were posted or written since the last proof, among them
// a payment of 0.77.
var newMistakes = map[string]mistake{
	"nothing": {"", "", ""},
	"a payment never posted": {
		sql: "DELETE FROM ledger_transfers WHERE fact = 'payment/' || " + newest,
		mend: "DELETE FROM payments WHERE id = " + newest + "; UPDATE checkouts " +
			"SET status = 'PENDING', paid_at = NULL, settles_at = NULL WHERE amount = 77; " +
			"DELETE FROM ledger_snapshots",
		says: "/test/pending is 0.77, the books say 0.00",
	},
	"another amount": {
		sql:  "UPDATE ledger_transfers SET amount = 78 WHERE amount = 77",
		mend: "UPDATE ledger_transfers SET amount = 77 WHERE amount = 78",
		says: "is 0.77, the books say 0.78",
	},
	"a gift": {
		sql:  forged + "VALUES ('gift/1', 0, 'platform/test/clearing', 'platform/test/fees', 1, now())",
		mend: "DELETE FROM ledger_transfers WHERE fact = 'gift/1'",
		says: "gift/1: platform/test/clearing to platform/test/fees is 0.00, the books say 0.01",
	},
	"a posting without a payment": {
		sql: forged + "VALUES ('payment/pay_00000000000000000000', 0, 'platform/test/clearing', " +
			"'platform/test/suspense', 1, now())",
		mend: "DELETE FROM ledger_transfers WHERE amount = 1",
		says: "is 0.00, the books say 0.01",
	},
	"a checkout paid without a payment": {
		sql: "UPDATE checkouts SET status = 'PAID', paid_at = recorded_at FROM payments " +
			"WHERE external_id = 'open' AND payments.id = " + newest,
		mend: "UPDATE checkouts SET status = 'PENDING', paid_at = NULL WHERE external_id = 'open'",
		says: "what was paid is 3.00, the books say 0.00",
	},
	"a settlement only in the books": {
		sql: forged + "SELECT 'settlement/' || checkout_id, 0, j.account_id || '/test/pending', " +
			"j.account_id || '/test/available', 77, now() " +
			"FROM payments p JOIN checkouts c ON c.id = p.checkout_id " +
			"JOIN projects j ON j.id = c.project_id WHERE p.amount = 77",
		mend: "DELETE FROM ledger_transfers WHERE fact LIKE 'settlement/%' AND amount = 77",
		says: "/test/available is 0.00, the books say 0.77",
	},
	"a refund never posted": {
		sql: "INSERT INTO refunds " +
			"SELECT 'rfd_00000000000000000000', p.id, j.account_id, false, 5, 'x', NULL, m.user_id, " +
			"p.recorded_at FROM payments p JOIN checkouts c ON c.id = p.checkout_id " +
			"JOIN projects j ON j.id = c.project_id " +
			"JOIN members m ON m.account_id = j.account_id WHERE p.amount = 77 LIMIT 1",
		mend: "DELETE FROM refunds",
		says: "refund/rfd_00000000000000000000: ",
	},
	"a snapshot": {
		sql: "UPDATE ledger_snapshots SET gross = gross + 1, fee = fee + 1 " +
			"WHERE through_id = (SELECT max(through_id) FROM ledger_snapshots)",
		mend: "UPDATE ledger_snapshots SET gross = gross - 1, fee = fee - 1 " +
			"WHERE through_id = (SELECT max(through_id) FROM ledger_snapshots)",
		says: "the snapshot of fee is",
	},
	"uncovered": {
		sql: "INSERT INTO account_books (account_id, livemode, uncovered) SELECT id, false, 1 FROM accounts " +
			"ON CONFLICT (account_id, livemode) DO UPDATE SET uncovered = account_books.uncovered + 1",
		mend: "UPDATE account_books SET uncovered = uncovered - 1 WHERE NOT livemode",
		says: "settled and not withdrawn is",
	},
}

// An error in what was posted or written since the last proof is reported by the next
// proof, and by every later one until it is corrected. Correct rows before and after it are
// not reported.
func TestProve_New(t *testing.T) {
	t.Parallel()
	for name, tc := range newMistakes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := busy(t)
			g.Checkout(t, payments.NewCheckout{Amount: 3_00, ExternalID: "open"})
			if found := proven(t, g); found != "" {
				t.Fatalf("before the mistake: %s", found)
			}
			g.Clock.Advance(time.Hour)
			sells(t, g, 77)
			if err := g.SnapshotLedger(t.Context()); err != nil {
				t.Fatal(err)
			}
			if tc.sql != "" {
				plant(t, g, tc.sql)
			}
			for range 2 {
				if found := proven(t, g); (tc.says == "") != (found == "") || !strings.Contains(found, tc.says) {
					t.Errorf("found %q, want %q", found, tc.says)
				}
				g.Clock.Advance(time.Hour)
				if tc.sql == "" {
					sells(t, g, 66)
				}
			}
			if tc.mend == "" {
				return
			}
			for _, sql := range strings.Split(tc.mend, "; ") {
				plant(t, g, sql)
			}
			found := slices.DeleteFunc(strings.Split(proven(t, g), "\n"), func(line string) bool {
				// The newest proof covers the row as it was while it was wrong.
				return line == "" || strings.Contains(line, "they are not those of proof")
			})
			if len(found) > 0 {
				t.Errorf("after the correction: %s", found)
			}
		})
	}
}

// A change by hand to the newest proof is found by the next proof, and one further back by
// the pass over the whole history. Both are reported until they are corrected.
func TestProve_ChangedTransfer(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]mistake{
		"an amount": {
			sql:  "UPDATE ledger_transfers SET amount = amount + 1 WHERE id = (SELECT min(id) FROM ledger_transfers)",
			mend: "UPDATE ledger_transfers SET amount = amount - 1 WHERE id = (SELECT min(id) FROM ledger_transfers)",
			says: "they are not those of proof 1",
		},
		"a time": {
			sql: "UPDATE ledger_transfers SET recorded_at = recorded_at + interval '1 second' " +
				"WHERE id = (SELECT min(id) FROM ledger_transfers)",
			mend: "UPDATE ledger_transfers SET recorded_at = recorded_at - interval '1 second' " +
				"WHERE id = (SELECT min(id) FROM ledger_transfers)",
			says: "they are not those of proof 1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := busy(t)
			if found := proven(t, g) + passed(t, g); found != "" {
				t.Fatalf("before the change: %s", found)
			}
			plant(t, g, tc.sql)
			if found := proven(t, g); found != "" {
				t.Errorf("a proof without new transfers: %s", found)
			}
			sells(t, g, 77)
			if found := proven(t, g); !strings.Contains(found, tc.says) {
				t.Errorf("a proof after a new transfer: %q", found)
			}
			plant(t, g, tc.mend)
			if found := proven(t, g); found != "" {
				t.Errorf("after the correction: %s", found)
			}
			plant(t, g, tc.sql) // now the change is older than the newest proof
			if found := proven(t, g); found != "" {
				t.Errorf("a proof after a change to an older one: %s", found)
			}
			for _, found := range []string{passed(t, g), proven(t, g)} {
				if !strings.Contains(found, tc.says) {
					t.Errorf("after a pass: %q", found)
				}
			}
			plant(t, g, tc.mend)
			if found := proven(t, g); found != "" {
				t.Errorf("after the second correction: %s", found)
			}
		})
	}
}

// A change by hand further back than the newest proof is found by the pass over the whole
// history, and by Check, which changes nothing.
func TestProve_ChangedBehind(t *testing.T) {
	t.Parallel()
	for name, sql := range map[string]string{
		"a row":          "UPDATE payments SET amount = amount + 1 WHERE settles AND amount = 20000",
		"a missing line": "DELETE FROM ledger_transfers WHERE fact LIKE 'settlement/%'",
		"a checkout": "UPDATE checkouts SET settlement_status = 'COMPLETED' " +
			"WHERE settlement_status = 'AVAILABLE'",
		"a proof":         "UPDATE ledger_proofs SET hash = sha256(hash) WHERE number = 1",
		"a missing proof": "DELETE FROM ledger_proofs WHERE number = 1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := busy(t)
			for range 3 {
				sells(t, g, 77)
				if found := proven(t, g); found != "" {
					t.Fatalf("before the change: %s", found)
				}
			}
			plant(t, g, sql)
			if found := passed(t, g); found == "" {
				t.Error("a pass found nothing")
			}
			if drift, err := ledger.Check(t.Context(), g.DB.Pool); err != nil || len(drift) == 0 {
				t.Errorf("Check found %v, %v", drift, err)
			}
		})
	}
}

// A proof that is interrupted, or that several processes run at once, continues where it
// stopped and chains each transfer once.
func TestProve_Pieces(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	for i := range 3 {
		_, err := g.DB.Pool.Exec(t.Context(), `INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount,
			recorded_at)
			SELECT 'gift/' || $1::int || '/' || n, 0, 'platform/test/clearing', 'platform/test/fees', 1, now()
			FROM generate_series(1, 4000) n`, i)
		if err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error, 3)
	for range cap(done) {
		go func() {
			_, err := g.CheckBooks(t.Context())
			done <- err
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	var proofs, transfers, gaps int
	err := g.DB.Pool.QueryRow(t.Context(), `SELECT count(*), sum(transfers), count(*) FILTER (WHERE after_id <> before)
		FROM (
		SELECT *, lag(through_id, 1, 0) OVER (ORDER BY number) AS before
		FROM ledger_proofs) p`).Scan(&proofs, &transfers, &gaps)
	if err != nil || proofs != 3 || transfers != 12_000 || gaps != 0 {
		t.Errorf("%d proofs of %d transfers with %d gaps, %v", proofs, transfers, gaps, err)
	}
	var doubts int
	if err := g.DB.Pool.QueryRow(t.Context(), "SELECT count(*) FROM ledger_doubts").Scan(&doubts); err != nil ||
		doubts == 0 ||
		doubts > 3_000 {
		t.Errorf("%d doubts are left, %v", doubts, err)
	}
}

// A proof waits for open transactions, so it also checks what they wrote.
func TestProve_Undecided(t *testing.T) {
	t.Parallel()
	g := busy(t)
	tx := begin(t, g.DB, "read committed")
	if err := spendRaw(t.Context(), tx, "gift/1", clearing, fees, 1); err != nil {
		t.Fatal(err)
	}
	_, err := models.DecidedTransfers(t.Context(), g.DB.Pool, 10*time.Millisecond)
	if !errors.Is(err, models.ErrUndecided) {
		t.Fatal(err)
	}
	found := make(chan string, 1)
	go func() {
		drift, err := g.CheckBooks(t.Context())
		found <- fmt.Sprint(drift, err)
	}()
	sells(t, g, 77) // the proof delays no sale
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text := <-found; !strings.Contains(text, "gift/1") {
		t.Errorf("found %s", text)
	}
}
