package payments_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

// eventful returns a gateway with one movement of every kind in live, and the statement that
// it should have, oldest line first: kind, amount, total and available after it, in centavos,
// and the linked id.
func eventful(t *testing.T) (*paymentstest.Gateway, []string) {
	t.Helper()
	g := live(t, 0)
	by := g.Staff(t)
	var want []string
	line := func(linked string, kind models.MovementKind, numbers ...int) {
		want = append(want, fmt.Sprintln(kind, numbers, linked))
	}
	c, _, err := g.CreateCheckout(t.Context(), g.Live, g.Account,
		paymentstest.Filled(payments.NewCheckout{Amount: 100_00}))
	must(t, err)
	for range 2 {
		must(t, g.ConfirmPayment(t.Context(), models.Live, simulator.Pay(c.TxID, 100_00, g.Clock.Now())))
	}
	line(c.ID, "PAYMENT", 10000, 10000, 0)
	line(c.ID, "FEE", -99, 9901, 0)
	must(t, g.SnapshotLedger(t.Context()))
	g.Clock.Advance(24 * time.Hour)
	_, err = g.SettleDue(t.Context())
	must(t, err)
	line(c.ID, "SETTLEMENT", 9901, 9901, 9901)
	open, err := models.Exceptions(t.Context(), g.DB.Pool, models.ExceptionFilter{Open: true, Limit: 1})
	must(t, err)
	_, err = g.AcceptException(t.Context(), by, open[0].PaymentID, paymentstest.Reason)
	must(t, err)
	line(c.ID, "ACCEPTANCE", 10000, 19901, 19901)
	line(c.ID, "FEE", -99, 19802, 19802)
	var paymentID string
	must(t, g.DB.Pool.QueryRow(t.Context(), "SELECT id FROM payments WHERE settles").Scan(&paymentID))
	r, err := g.RefundPayment(t.Context(), by,
		payments.NewRefund{PaymentID: paymentID, Amount: 8_02, Reason: paymentstest.Reason})
	must(t, err)
	line(r.ID, "REFUND", -802, 19000, 19000)
	b, err := g.BlockAmount(t.Context(), by, payments.NewBlock{
		AccountID: g.Account.ID, Environment: models.Live, Amount: 90_00, Reason: paymentstest.Reason,
	})
	must(t, err)
	line(b.ID, "BLOCK", -9000, 19000, 10000)
	must(t, g.SnapshotLedger(t.Context()))
	_, err = g.UnblockAmount(t.Context(), by, b.ID, paymentstest.Reason)
	must(t, err)
	line(b.ID, "RELEASE", 9000, 19000, 19000)
	g.SetWithdrawalFee(t, money.Fee{Fixed: 1_00})
	cancelled := g.Withdraw(t, 50_00)
	line(cancelled.ID, "RESERVATION", -5000, 19000, 14000)
	_, err = g.CancelWithdrawal(t.Context(), g.Owner, g.Account.ID, cancelled.ID)
	must(t, err)
	line(cancelled.ID, "RESERVATION_END", 5000, 19000, 19000)
	g.Clock.Advance(24 * time.Hour)
	w := g.Withdraw(t, 40_00)
	line(w.ID, "RESERVATION", -4000, 19000, 15000)
	g.PayOut(t, by, w.ID)
	line(w.ID, "WITHDRAWAL", -3900, 15100, 15000)
	line(w.ID, "WITHDRAWAL_FEE", -100, 15000, 15000)
	_, err = g.ReturnWithdrawal(t.Context(), by, w.ID, g.Version(t, w.ID), "MD06", paymentstest.Reason)
	must(t, err)
	line(w.ID, "WITHDRAWAL_RETURNED", 3900, 18900, 18900)
	g.Fund(t, models.Test, 7_00) // in test, so it must not appear
	sound(t, g)
	return g, want
}

// must ends a test whose preparation failed.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func shown(movements []models.Movement) (lines []string) {
	for _, m := range movements {
		lines = append(lines, fmt.Sprintln(m.Kind, []int{int(m.Amount), int(m.Total), int(m.Available)}, m.LinkedID))
	}
	return lines
}

// A statement has every movement with the balance after it, whatever part of it is read, and
// whenever snapshots were taken.
func TestStatement(t *testing.T) {
	t.Parallel()
	g, want := eventful(t)
	slices.Reverse(want)
	whole := func() []models.Movement {
		t.Helper()
		all, err := models.Statement(t.Context(), g.DB.Pool, g.Account.ID, models.Live,
			models.StatementFilter{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := whole()
	if diff := cmp.Diff(want, shown(all)); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	if err := g.SnapshotLedger(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, shown(whole())); diff != "" {
		t.Errorf("after a snapshot (-want +got)\n%s", diff)
	}
	if last := balance(t, g, models.Live); last.Total() != all[0].Total || last.Available != all[0].Available {
		t.Errorf("the newest line has %+v, the balance is %+v", all[0], last)
	}

	var paged []models.Movement
	for f := (models.StatementFilter{Limit: 4}); ; {
		page, err := models.Statement(t.Context(), g.DB.Pool, g.Account.ID, models.Live, f)
		if err != nil {
			t.Fatal(err)
		}
		if paged = append(paged, page...); len(page) < f.Limit {
			break
		}
		f.Before = page[len(page)-1].ID
	}
	if diff := cmp.Diff(want, shown(paged)); diff != "" {
		t.Errorf("by pages (-want +got)\n%s", diff)
	}

	kinds := map[models.MovementKind]bool{}
	for _, m := range all {
		kinds[m.Kind] = true
	}
	for kind := range kinds {
		some, err := models.Statement(t.Context(), g.DB.Pool, g.Account.ID, models.Live,
			models.StatementFilter{Kinds: []models.MovementKind{kind}, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		var expected []models.Movement
		for _, m := range all {
			if m.Kind == kind {
				expected = append(expected, m)
			}
		}
		if diff := cmp.Diff(shown(expected), shown(some)); diff != "" {
			t.Errorf("only %s (-want +got)\n%s", kind, diff)
		}
	}
	if len(kinds) != 12 {
		t.Errorf("%d kinds", len(kinds))
	}
	if none, err := models.Statement(t.Context(), g.DB.Pool, "acc_00000000000000000000", models.Live,
		models.StatementFilter{Limit: 10}); err != nil || len(none) != 0 {
		t.Errorf("the statement of another account is %v, %v", none, err)
	}
}

// A statement of some days has the lines of those days, wherever the snapshots are.
func TestStatement_Dates(t *testing.T) {
	t.Parallel()
	g, want := eventful(t)
	slices.Reverse(want)
	all, err := models.Statement(t.Context(), g.DB.Pool, g.Account.ID, models.Live,
		models.StatementFilter{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	first, last := all[len(all)-1].At, all[0].At
	for from := first.Add(-48 * time.Hour); from.Before(last.Add(48 * time.Hour)); from = from.Add(12 * time.Hour) {
		for _, until := range []time.Time{from.Add(12 * time.Hour), from.Add(24 * time.Hour), {}} {
			f := models.StatementFilter{From: from, Until: until, Limit: 100}
			some, err := models.Statement(t.Context(), g.DB.Pool, g.Account.ID, models.Live, f)
			if err != nil {
				t.Fatal(err)
			}
			var expected []string
			for i, m := range all {
				if !m.At.Before(from) && (until.IsZero() || m.At.Before(until)) {
					expected = append(expected, want[i])
				}
			}
			if diff := cmp.Diff(expected, shown(some)); diff != "" {
				t.Errorf("from %s until %s (-want +got)\n%s", from, until, diff)
			}
		}
	}
}

// A stream has every line once, even if it reads more than one batch.
func TestStreamStatement(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	by := g.Staff(t)
	g.Fund(t, models.Test, 1000_00)
	if _, err := g.BlockAmount(t.Context(), by, payments.NewBlock{
		AccountID: g.Account.ID, Environment: models.Test, Amount: 1_00, Reason: paymentstest.Reason,
	}); err != nil {
		t.Fatal(err)
	}
	_, err := g.DB.Pool.Exec(t.Context(), `INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount,
		recorded_at)
		SELECT 'refund/x' || n, 0, $1 || '/test/available', 'platform/test/refunds', 1, now()
		FROM generate_series(1, 2300) n`, g.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]struct {
		filter models.StatementFilter
		want   int
	}{
		"all": {models.StatementFilter{}, 2300 + 3},
		"some": {models.StatementFilter{Kinds: []models.MovementKind{models.MovementBlock, models.MovementRefund}},
			2300 + 1},
	} {
		n, total := 0, balance(t, g, models.Test).Total()
		before := int64(1 << 62)
		err := models.StreamStatement(t.Context(), g.DB, g.Account.ID, models.Test, f.filter,
			func(m models.Movement) error {
				if m.ID >= before || m.Total != total {
					t.Fatalf("%s: line %d is %+v, want a total of %s", name, n, m, total.Decimal())
				}
				if m.Kind == models.MovementRefund || m.Kind == models.MovementPayment {
					total -= m.Amount
				}
				before = m.ID
				n++
				return nil
			})
		if err != nil || n != f.want {
			t.Errorf("%s: %d lines, %v; want %d", name, n, err, f.want)
		}
	}
}
