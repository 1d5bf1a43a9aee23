package payments_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// at sets the clock forward to a moment in Brasília.
func at(t *testing.T, g *paymentstest.Gateway, moment string) {
	t.Helper()
	to, err := time.Parse(time.DateTime+" -07", moment+" -03")
	if err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(to.Sub(g.Clock.Now()))
}

// closes runs what closes months, and returns the mails of it since the last time.
func closes(t *testing.T, g *paymentstest.Gateway) (mails []models.Mail) {
	t.Helper()
	if err := g.SnapshotLedger(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := g.CloseMonths(t.Context()); err != nil {
		t.Fatal(err)
	}
	return monthMails(t, g)
}

// monthMails returns the mails about months, and forgets them.
func monthMails(t *testing.T, g *paymentstest.Gateway) []models.Mail {
	t.Helper()
	all, err := models.LatestMails(t.Context(), g.DB.Pool, 100)
	if err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, g.DB, "DELETE FROM mails")
	return slices.DeleteFunc(all, func(m models.Mail) bool { return m.Kind != models.MailMonthClosed })
}

// The owner of an account hears once of each month in which its live money moved: what was posted in it, to the
// moment, and the balances before and after.
func TestCloseMonths(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.GoLive(t)
	quiet := g.Merchant(t, "quiet@example.com")
	sell(t, quiet) // in test
	at(t, g, "2026-03-31 23:59:59")
	g.SetFee(t, money.Fee{Fixed: 1_00})
	sellLive(t, g, 100_00, 10_00)
	g.Clock.Advance(time.Second) // the first moment of April
	april := g.Clock.Now()
	sellLive(t, g, 70_00, 20_00)
	for range 2 { // before the hours are in ledger_hours, and after
		before, err := models.BalanceAt(t.Context(), g.DB.Pool, g.Account.ID, models.Live, april)
		if err != nil || before.Gross != 100_00 || before.Refunded != 10_00 || before.Pending != 89_00 {
			t.Errorf("March ended with %+v, %v", before, err)
		}
		if err := g.SnapshotLedger(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	at(t, g, "2026-04-01 05:59:59")
	if early := closes(t, g); len(early) > 0 {
		t.Errorf("early %+v", early)
	}
	at(t, g, "2026-04-01 06:00:00")
	check := func(want string) {
		t.Helper()
		mails := closes(t, g)
		if len(mails) != 1 || mails[0].To != g.Email {
			t.Fatalf("%+v", mails)
		}
		var got []string
		for _, name := range []string{"sales", "opening", "gross", "fees", "refunds", "withdrawals", "closing", "first",
			"last"} {
			got = append(got, mails[0].Params[name])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q, want %s", got, want)
		}
	}
	check("1 0 10000 100 1000 0 8900 2026-03-01 2026-03-31")
	if again := closes(t, g); len(again) > 0 {
		t.Errorf("again %+v", again)
	}
	g.Destination(t, models.RailPix)
	if _, err := g.SettleDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := g.Withdraw(t, 50_00)
	g.PayOut(t, g.Staff(t), w.ID)
	at(t, g, "2026-05-01 08:00:00")
	sellLive(t, g, 3_00, 0) // in May
	check("1 8900 7000 100 2000 5000 8800 2026-04-01 2026-04-30")
}

// A month is not made up for too late. An owner who has turned the mail off hears nothing, and neither do others.
func TestCloseMonths_Off(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.GoLive(t)
	at(t, g, "2026-05-20 00:00:00")
	sellLive(t, g, 3_00, 0)
	at(t, g, "2026-06-08 00:00:00")
	if late := closes(t, g); len(late) > 0 {
		t.Errorf("late %+v", late)
	}
	sellLive(t, g, 3_00, 0)
	if err := g.Merchants.SetNotices(t.Context(), g.Owner, nil); err != nil {
		t.Fatal(err)
	}
	at(t, g, "2026-07-01 06:00:00")
	if off := closes(t, g); len(off) > 0 {
		t.Errorf("turned off %+v", off)
	}
	if n := modelstest.One[int](t, g.DB, "SELECT count(*) FROM month_closes"); n != 1 {
		t.Errorf("%d months were closed", n)
	}
}

// An account whose month cannot be closed does not keep others from their mails, and gets its own later.
func TestCloseMonths_OneFails(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	all := []*paymentstest.Gateway{g, g.Merchant(t, "bia@example.com")}
	for _, shop := range all {
		shop.GoLive(t)
		sellLive(t, shop, 3_00, 0)
	}
	first := slices.MinFunc(all, func(a, b *paymentstest.Gateway) int {
		return strings.Compare(a.Account.ID, b.Account.ID)
	})
	modelstest.Exec(t, g.DB,
		"ALTER TABLE month_closes ADD CONSTRAINT broken CHECK (account_id <> '"+first.Account.ID+"')")
	at(t, g, "2026-04-01 06:00:00")
	if err := g.SnapshotLedger(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := g.CloseMonths(t.Context()); err == nil || !strings.Contains(err.Error(), first.Account.ID) {
		t.Errorf("the failure is %v", err)
	}
	if mails := monthMails(t, g); len(mails) != 1 || mails[0].To == first.Email {
		t.Errorf("%+v", mails)
	}
	modelstest.Exec(t, g.DB, "ALTER TABLE month_closes DROP CONSTRAINT broken")
	if mails := closes(t, g); len(mails) != 1 || mails[0].To != first.Email {
		t.Errorf("later %+v", mails)
	}
}

// sell makes a paid test charge.
func sell(t *testing.T, g *paymentstest.Gateway) {
	t.Helper()
	if err := g.SimulatePayment(t.Context(), g.Checkout(t, payments.NewCheckout{Amount: 1_00}).ID); err != nil {
		t.Fatal(err)
	}
}

// Several processes, some of which die half-way, mail each account once.
func TestCloseMonths_Concurrent(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.GoLive(t)
	all := []*paymentstest.Gateway{g}
	for i := range 3 {
		other := g.Merchant(t, fmt.Sprintf("m%d@example.com", i))
		other.Approve(t)
		all = append(all, other)
	}
	for _, merchant := range all {
		sellLive(t, merchant, 10_00, 0)
	}
	at(t, g, "2026-04-01 07:00:00")
	if err := g.SnapshotLedger(t.Context()); err != nil {
		t.Fatal(err)
	}
	// A process that dies before its commit leaves nothing: neither a mail nor a closed month.
	modelstest.Exec(t, g.DB, `CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
		'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END'`)
	modelstest.Exec(t, g.DB, `CREATE TRIGGER die BEFORE INSERT ON mails FOR EACH ROW
		WHEN (NEW.kind = 'month_closed') EXECUTE FUNCTION die()`)
	if err := g.CloseMonths(t.Context()); err == nil {
		t.Error("the process lived")
	}
	modelstest.Exec(t, g.DB, "DROP TRIGGER die ON mails")
	if n := modelstest.One[int](t, g.DB, "SELECT count(*) FROM month_closes"); n != 0 {
		t.Errorf("%d months were closed without a mail", n)
	}
	var group errgroup.Group
	for i := range 3 {
		process := g.Another(t)
		group.Go(func() error {
			if i == 0 {
				ctx, die := context.WithCancel(t.Context())
				die()
				if err := process.CloseMonths(ctx); !errors.Is(err, context.Canceled) {
					return fmt.Errorf("a dead process returns %w", err)
				}
			}
			return process.CloseMonths(t.Context())
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	var to []string
	for _, m := range monthMails(t, g) {
		to = append(to, m.To)
	}
	if slices.Sort(to); strings.Join(to, " ") != "ana@example.com m0@example.com m1@example.com m2@example.com" {
		t.Errorf("mails went to %q", to)
	}
	if n := modelstest.One[int](t, g.DB, `SELECT count(*) FROM river_job j WHERE kind = 'send_mail'
		AND args->>'mailId' NOT IN (SELECT id FROM mails)`); n < 4 {
		t.Errorf("%d jobs send them", n)
	}
}
