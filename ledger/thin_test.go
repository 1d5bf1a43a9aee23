package ledger_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"garoupa/jobs"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// movedAccounts are a gateway whose two accounts were paid in the past, with a snapshot after each payment.
type movedAccounts struct {
	*paymentstest.Gateway
	t        *testing.T
	accounts []string
}

func newMovedAccounts(t *testing.T) *movedAccounts {
	t.Helper()
	g := paymentstest.New(t)
	return &movedAccounts{g, t, []string{g.Account.ID, g.Merchant(t, "other@example.com").Account.ID}}
}

// pay posts payments of both accounts at times, and takes a snapshot after each.
func (h *movedAccounts) pay(times ...time.Time) {
	h.t.Helper()
	for i, at := range times {
		for _, account := range h.accounts {
			modelstest.Exec(h.t, h.DB, `INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount,
					recorded_at)
				VALUES ('payment/' || $1 || $2, 0, 'platform/test/clearing', $1 || '/test/pending', $3, $4)`, account,
				at.String(), 1+i, at)
		}
		if _, err := ledger.Snapshot(h.t.Context(), h.DB.Pool, at); err != nil {
			h.t.Fatal(err)
		}
	}
}

// prove says that the transfers up to an id were compared.
func (h *movedAccounts) prove(through string) {
	h.t.Helper()
	modelstest.Exec(h.t, h.DB, `INSERT INTO ledger_proofs (number, after_id, through_id, transfers, content, hash,
			proven_at)
		SELECT coalesce(max(number), 0) + 1, coalesce(max(through_id), 0), (`+through+`), 1, sha256('x'), sha256('x'),
			now() FROM ledger_proofs`)
}

// all is the id of the last transfer, for prove.
const all = "SELECT max(id) FROM ledger_transfers"

// thin deletes snapshots as the job does.
func (h *movedAccounts) thin(now time.Time) {
	h.t.Helper()
	if err := jobs.ThinSnapshots(h.t.Context(), h.DB.Pool, now); err != nil {
		h.t.Fatal(err)
	}
}

// left returns the times of the snapshots of the first account that are left, since a time.
func (h *movedAccounts) left(since time.Time) (after []time.Duration) {
	h.t.Helper()
	for _, at := range modelstest.Column[time.Time](h.t, h.DB, `SELECT taken_at FROM ledger_snapshots
		WHERE account_id = $1 AND taken_at >= $2 ORDER BY through_id`, h.accounts[0], since) {
		after = append(after, at.Sub(since))
	}
	return after
}

// balances returns what the accounts had at each of the times, now, and beside each line of their statements.
func (h *movedAccounts) balances(times ...time.Time) (all []string) {
	h.t.Helper()
	for _, account := range h.accounts {
		for _, at := range times {
			b, err := models.BalanceAt(h.t.Context(), h.DB.Pool, account, models.Test, at)
			if err != nil {
				h.t.Fatal(err)
			}
			all = append(all, fmt.Sprint(account, at, b))
		}
		b, err := ledger.BalanceOf(h.t.Context(), h.DB.Pool, account, models.Test)
		if err != nil {
			h.t.Fatal(err)
		}
		lines, err := models.Statement(h.t.Context(), h.DB.Read, account, models.Test,
			models.StatementFilter{Limit: 1000})
		if err != nil {
			h.t.Fatal(err)
		}
		all = append(all, fmt.Sprint(account, b))
		for _, line := range lines {
			all = append(all, fmt.Sprint(line.ID, line.Amount, line.Total, line.Available))
		}
	}
	return all
}

// Snapshots become one an hour after a day, one a day after 32 days and one a month after 400, and no balance of any
// time changes by that.
func TestThin(t *testing.T) {
	t.Parallel()
	h := newMovedAccounts(t)
	const day, minute = 24 * time.Hour, time.Minute
	midnight := time.Now().UTC().Truncate(day)
	month := time.Date(midnight.Year()-2, midnight.Month(), 3, 0, 0, 0, 0, time.UTC)
	days, hours := midnight.Add(-60*day), midnight.Add(-3*day)
	today := time.Now().UTC().Truncate(time.Hour).Add(-2 * time.Hour) // less than a day ago at any time of the day
	var times []time.Time
	for _, at := range []struct {
		since time.Time
		after []time.Duration
	}{
		{month, []time.Duration{0, minute, 2 * time.Hour, 5 * day, 40 * day, 41 * day}},
		{days, []time.Duration{0, minute, 2 * time.Hour, day, day + minute}},
		{hours, []time.Duration{0, minute, 59 * minute, 60 * minute, 61 * minute, 120 * minute}},
		{today, []time.Duration{0, time.Second}},
	} {
		for _, after := range at.after {
			times = append(times, at.since.Add(after))
		}
	}
	h.pay(times...)
	var asked []time.Time
	for _, at := range times {
		hour := at.Truncate(time.Hour)
		asked = append(asked, hour, hour.Add(time.Hour), hour.Add(-30*day), hour.Add(30*day))
	}
	before := h.balances(asked...)
	h.thin(time.Now())
	if got := len(h.left(month)); got != len(times) {
		t.Errorf("%d of %d snapshots are left without a proof", got, len(times))
	}
	h.prove(all)
	var group errgroup.Group
	for range 3 { // processes at the same time
		group.Go(func() error { return jobs.ThinSnapshots(t.Context(), h.DB.Pool, time.Now()) })
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	h.thin(time.Now()) // what one of them left to another that had ended
	var want []time.Duration
	for _, at := range []time.Time{month.Add(5 * day), month.Add(41 * day), days.Add(2 * time.Hour),
		days.Add(day + minute), hours.Add(59 * minute), hours.Add(61 * minute), hours.Add(120 * minute), today,
		today.Add(time.Second)} {
		want = append(want, at.Sub(month))
	}
	if diff := cmp.Diff(want, h.left(month)); diff != "" {
		t.Errorf("snapshots that are left (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(before, h.balances(asked...)); diff != "" {
		t.Errorf("balances (-before +after)\n%s", diff)
	}
	h.pay(time.Now())
	if n := modelstest.One[int](t, h.DB, `SELECT count(*)::int FROM ledger_snapshots s WHERE through_id =
		(SELECT max(through_id) FROM ledger_snapshots) AND pending = (SELECT sum(amount) FROM ledger_transfers
			WHERE to_book = s.account_id || '/test/pending')`); n != len(h.accounts) {
		t.Errorf("%d of the next snapshots are right", n)
	}
}

// Many batches of snapshots are thinned, and one stays for each 50,000 lines of the books, whatever its age.
func TestThin_Many(t *testing.T) {
	t.Parallel()
	h := newMovedAccounts(t)
	old := time.Date(2024, 3, 4, 5, 0, 0, 0, time.UTC)
	modelstest.Exec(t, h.DB, `INSERT INTO ledger_snapshots (account_id, livemode, through_id, gross, fee, refunded,
			withdrawn, pending, available, reserved, blocked, taken_at)
		SELECT $1, false, n * 50, 0, 0, 0, 0, 0, 0, 0, 0, $2::timestamptz + n * interval '1 second'
		FROM generate_series(1, 5000) n`, h.accounts[0], old)
	modelstest.Exec(t, h.DB, `INSERT INTO ledger_proofs (number, after_id, through_id, transfers, content, hash,
			proven_at)
		VALUES (1, 0, 1000000, 1, sha256('x'), sha256('x'), now())`)
	h.thin(time.Now())
	want := []int64{49_950, 99_950, 149_950, 199_950, 249_950, 250_000}
	got := modelstest.Column[int64](t, h.DB, "SELECT through_id FROM ledger_snapshots ORDER BY through_id")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("snapshots that are left (-want +got)\n%s", diff)
	}
	h.thin(time.Now())
	if got := len(h.left(old)); got != len(want) {
		t.Errorf("%d snapshots are left by the next run", got)
	}
}

// For every role the database deletes no snapshot that is the newest, alone in its period, too young, not yet compared
// by a proof, or in doubt, and changes none.
func TestThin_Refused(t *testing.T) {
	t.Parallel()
	h := newMovedAccounts(t)
	const day = 24 * time.Hour
	midnight := time.Now().UTC().Truncate(day)
	old := midnight.Add(-3 * day)
	young := time.Now().UTC().Truncate(time.Hour).Add(-2*time.Hour + 20*time.Minute) // at any time of the day
	h.pay(midnight.AddDate(-3, 0, 0), midnight.Add(-50*day), old, old.Add(time.Minute), old.Add(2*time.Minute),
		young, young.Add(time.Minute))
	const of = "account_id = '%s' AND taken_at = '%s'"
	one := func(at time.Time) string { return fmt.Sprintf(of, h.accounts[0], at.Format(time.RFC3339)) }
	refused := func(what, sql string) {
		t.Helper()
		if _, err := h.DB.Pool.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("not compared", "DELETE FROM ledger_snapshots WHERE "+one(old))
	h.prove("SELECT through_id FROM ledger_snapshots WHERE " + one(old))
	refused("replaced by one that is not compared", "DELETE FROM ledger_snapshots WHERE "+one(old))
	h.thin(time.Now())
	h.prove(all)
	refused("alone in its month", "DELETE FROM ledger_snapshots WHERE "+one(midnight.AddDate(-3, 0, 0)))
	refused("alone in its day", "DELETE FROM ledger_snapshots WHERE "+one(midnight.Add(-50*day)))
	refused("the last of its hour", "DELETE FROM ledger_snapshots WHERE "+one(old.Add(2*time.Minute)))
	refused("too young", "DELETE FROM ledger_snapshots WHERE "+one(young))
	refused("the newest", "DELETE FROM ledger_snapshots WHERE "+one(young.Add(time.Minute)))
	refused("all", "DELETE FROM ledger_snapshots")
	refused("all of an hour", "DELETE FROM ledger_snapshots WHERE taken_at < '"+old.Add(time.Hour).Format(time.RFC3339)+
		"' AND taken_at >= '"+old.Format(time.RFC3339)+"'")
	refused("a change", "UPDATE ledger_snapshots SET taken_at = taken_at WHERE "+one(old))
	refused("all at once", "TRUNCATE ledger_snapshots")
	modelstest.Exec(t, h.DB, `INSERT INTO ledger_doubts (kind, id)
		SELECT 'snapshot', account_id || '/test/' || through_id FROM ledger_snapshots WHERE `+one(old))
	refused("in doubt", "DELETE FROM ledger_snapshots WHERE "+one(old))
	h.thin(time.Now())
	if got := h.left(old)[0]; got != 0 {
		t.Errorf("the snapshot in doubt was deleted: the first of its hour that is left is %s later", got)
	}
	modelstest.Exec(t, h.DB, "DELETE FROM ledger_doubts")
	modelstest.Exec(t, h.DB, "DELETE FROM ledger_snapshots WHERE "+one(old)) // the program's role may, too
}

// The only snapshot of an account stays, although the next row of the table is of the same hour: it is of another
// account or environment.
func TestThin_Neighbors(t *testing.T) {
	t.Parallel()
	h := newMovedAccounts(t)
	modelstest.Exec(t, h.DB, `INSERT INTO ledger_snapshots (account_id, livemode, through_id, gross, fee, refunded,
			withdrawn, pending, available, reserved, blocked, taken_at)
		SELECT 'acc_' || account, live, id, 0, 0, 0, 0, 0, 0, 0, 0, '2024-03-04T05:00:00Z'
		FROM (VALUES ('1', false, 1), ('1', true, 2), ('2', false, 3), ('2', false, 4)) AS s (account, live, id)`)
	h.prove("SELECT 1000")
	for _, id := range []int{1, 2, 4} {
		if _, err := h.DB.Pool.Exec(t.Context(), "DELETE FROM ledger_snapshots WHERE through_id = $1", id); err == nil {
			t.Errorf("snapshot %d was deleted", id)
		}
	}
	h.thin(time.Now())
	got := modelstest.Column[int64](t, h.DB, "SELECT through_id FROM ledger_snapshots ORDER BY through_id")
	if diff := cmp.Diff([]int64{1, 2, 4}, got); diff != "" {
		t.Errorf("snapshots that are left (-want +got)\n%s", diff)
	}
}

// The books, their proofs and withdrawals agree with thinned snapshots as with all of them.
func TestThin_Agrees(t *testing.T) {
	t.Parallel()
	g := busy(t)
	for range 5 { // the clock of the test is many days behind that of the database
		g.Fund(t, models.Test, 10_00)
		g.Clock.Advance(time.Minute)
		if err := g.SnapshotLedger(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if drift, err := g.CheckBooks(t.Context()); err != nil || len(drift) > 0 {
		t.Fatalf("before: %q, %v", drift, err)
	}
	const snapshots = "SELECT count(*)::int FROM ledger_snapshots"
	before := modelstest.One[int](t, g.DB, snapshots)
	if err := jobs.ThinSnapshots(t.Context(), g.DB.Pool, g.Clock.Now().Add(2*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if left := modelstest.One[int](t, g.DB, snapshots); before < 5 || left >= before {
		t.Errorf("%d of %d snapshots are left", left, before)
	}
	g.Fund(t, models.Test, 10_00)
	if err := g.SnapshotLedger(t.Context()); err != nil {
		t.Fatal(err)
	}
	if drift, err := g.CheckBooks(t.Context()); err != nil || len(drift) > 0 {
		t.Errorf("the proof after: %q, %v", drift, err)
	}
	if drift, err := ledger.Check(t.Context(), g.DB.Pool); err != nil || len(drift) > 0 {
		t.Errorf("all after: %q, %v", drift, err)
	}
}
