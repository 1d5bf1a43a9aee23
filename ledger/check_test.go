package ledger_test

import (
	"fmt"
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

// busy returns a gateway with checkouts that were paid, settled, paid without a fee, left
// pending and expired, and with money that paid for no checkout.
func busy(t *testing.T) *paymentstest.Gateway {
	t.Helper()
	g := paymentstest.New(t)
	for _, amount := range []money.Cents{10_00, 50} {
		c := g.Checkout(t, payments.NewCheckout{Amount: amount, ExternalID: fmt.Sprint("settled-", amount)})
		if err := g.SimulatePayment(t.Context(), c.ID); err != nil {
			t.Fatal(err)
		}
	}
	g.Clock.Advance(time.Minute)
	if n, err := g.SettleDue(t.Context()); n != 2 || err != nil {
		t.Fatalf("settled %d, %v", n, err)
	}
	paid := g.Checkout(t, payments.NewCheckout{Amount: 200_00, ExternalID: "paid"})
	for range 2 { // the second payment becomes an exception
		if err := g.ConfirmPayment(t.Context(), models.Test,
			simulator.Pay(paid.TxID, 200_00, g.Clock.Now())); err != nil {
			t.Fatal(err)
		}
	}
	if err := g.SimulateExpiry(t.Context(), g.Checkout(t, payments.NewCheckout{}).ID); err != nil {
		t.Fatal(err)
	}
	g.Checkout(t, payments.NewCheckout{ExternalID: "pending"})
	return g
}

// plant changes the database without its triggers and constraints, as only a superuser can.
func plant(t *testing.T, g *paymentstest.Gateway, sql string) {
	t.Helper()
	err := g.DB.InTx(t.Context(), func(tx *models.Tx) error {
		if _, err := tx.Exec("SET LOCAL session_replication_role = replica"); err != nil {
			return err
		}
		changed, err := tx.Exec(sql)
		if err == nil && changed == 0 {
			t.Errorf("%s changed nothing", sql)
		}
		return err
	})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// Check accepts correct books, and finds every way in which they can be wrong.
func TestCheck(t *testing.T) {
	t.Parallel()
	const (
		first = "(SELECT 'payment/' || p.id FROM payments p JOIN checkouts c ON c.id = p.checkout_id WHERE " +
			"c.external_id = 'paid' AND p.settles)"
		settled = "(SELECT 'settlement/' || id FROM checkouts WHERE external_id = 'settled-1000')"
		forged  = "INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount, recorded_at) "
	)
	for name, tc := range map[string]struct{ sql, says string }{
		"nothing": {"", ""},
		"a posting lost": {"DELETE FROM ledger_transfers WHERE fact = " + first,
			"is 200.00, the books say 0.00"},
		"a line lost": {"DELETE FROM ledger_transfers WHERE line = 1 AND fact = " + first,
			"platform/test/fees is 1.98, the books say 0.00"},
		"an amount changed": {"UPDATE ledger_transfers SET amount = amount + 1 WHERE line = 0 AND " +
			"fact = " + first, "is 200.00, the books say 200.01"},
		"a fee changed": {"UPDATE ledger_transfers SET amount = amount - 1 WHERE line = 1 AND " +
			"fact = " + first, "is 1.98, the books say 1.97"},
		"an extra line": {forged +
			"SELECT fact, 2, from_book, to_book, amount, now() FROM ledger_transfers WHERE line = 0 AND fact = " +
			first, "is 200.00, the books say 400.00"},
		"another's book": {"UPDATE ledger_transfers SET to_book = '" + theirs +
			"/test/pending' WHERE line = 0 AND fact = " + first, theirs},
		"available at once": {"UPDATE ledger_transfers SET to_book = replace(to_book, 'pending', " +
			"'available') WHERE line = 0 AND fact = " + first, "/test/available is 0.00, the books say 200.00"},
		"a settlement lost": {"DELETE FROM ledger_transfers WHERE fact = " + settled,
			"/test/available is 9.90, the books say 0.00"},
		"a settlement early": {forged +
			"SELECT replace(fact, 'settlement/', 'settlement/x'), 0, from_book, to_book, amount, now() FROM " +
			"ledger_transfers WHERE fact = " + settled, "is 0.00, the books say 9.90"},
		"money from nowhere": {forged + "VALUES ('gift/1', 0, 'platform/test/clearing', '" + theirs +
			"/test/available', 1, now())", "gift/1: platform/test/clearing to " + theirs +
			"/test/available is 0.00, the books say 0.01"},
		"a payment lost": {"DELETE FROM payments WHERE 'payment/' || id = " + first,
			"is 0.00, the books say 200.00"},
		"a payment changed": {"UPDATE payments SET amount = amount + 1 WHERE 'payment/' || id = " +
			first, "is 200.01, the books say 200.00"},
		"a payment's fee changed": {"UPDATE payments SET fee = 0 WHERE 'payment/' || id = " + first,
			"is 0.00, the books say 1.98"},
		"a checkout unpaid": {"UPDATE checkouts SET status = 'PENDING', paid_at = NULL, settles_at = " +
			"NULL WHERE external_id = 'paid'", "what was paid is 0.00, the books say 200.00"},
		"a checkout paid without a payment": {"UPDATE checkouts SET status = 'PAID', paid_at = now() WHERE " +
			"external_id = 'pending'", "what was paid is 10.00, the books say 0.00"},
		"a checkout's amount changed": {"UPDATE checkouts SET amount = 1 WHERE external_id = 'paid'",
			"what was paid is 0.01, the books say 200.00"},
		"a settled amount changed": {"UPDATE checkouts SET settlement_amount = 1 WHERE external_id = " +
			"'settled-1000'", "what was settled is 0.01, the books say 9.90"},
		"a checkout settled without a posting": {"UPDATE checkouts SET settlement_status = 'AVAILABLE', " +
			"settlement_amount = 19802 WHERE external_id = 'paid'", "is 198.02, the books say 0.00"},
		"a checkout no longer settled": {"UPDATE checkouts SET settlement_status = 'PENDING', settlement_amount " +
			"= NULL WHERE external_id = 'settled-1000'", "is 0.00, the books say 9.90"},
		"money of an exception taken away": {"DELETE FROM ledger_transfers WHERE to_book = 'platform/test/suspense'",
			"platform/test/suspense is 200.00, the books say 0.00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := busy(t)
			if tc.sql != "" {
				plant(t, g, tc.sql)
			}
			drift, err := ledger.Check(t.Context(), g.DB.Pool)
			if err != nil {
				t.Fatal(err)
			}
			if text := strings.Join(drift, "\n"); (tc.says == "") != (text == "") || !strings.Contains(text, tc.says) {
				t.Errorf("found %q, want %q", text, tc.says)
			}
		})
	}
}
