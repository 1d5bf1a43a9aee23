package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/models/modelstest"
)

// folded is a line of the statement as a simple loop over all transfers computes it.
type folded struct {
	ID               int64
	At               time.Time
	Kind             models.MovementKind
	Total, Available money.Cents
}

// keepsStatement posts random transfers for two accounts, minutes apart on both sides of
// midnight, and returns the statement lines of account, oldest first.
func keepsStatement(t *testing.T, db *models.DB, random *rand.Rand, account string) (lines []folded) {
	t.Helper()
	midnight := time.Date(2026, 3, 2, 3, 0, 0, 0, time.UTC) // in São Paulo
	var total, free, pending, reserved money.Cents
	clear := ledger.Clearing(models.Live)
	book := func(kind ledger.Kind) ledger.Book { return ledger.Account(account, models.Live, kind) }
	for i := range 300 {
		at := midnight.Add(time.Duration(i-150)*time.Minute + time.Duration(random.IntN(30)-15)*time.Minute)
		if random.IntN(40) == 0 {
			at = at.Add(time.Duration(random.IntN(9)-4) * 24 * time.Hour) // a clock that is days wrong
		}
		at = at.Truncate(time.Microsecond)
		amount := money.Cents(1 + random.IntN(100_00))
		fact, transfers := fmt.Sprint("payment/", i),
			[]ledger.Transfer{{From: clear, To: book(ledger.Pending), Amount: amount}}
		kinds := []models.MovementKind{models.MovementPayment}
		switch choice := random.IntN(8); {
		case choice < 3:
			transfers = append(transfers,
				ledger.Transfer{From: book(ledger.Pending), To: ledger.Fees(models.Live), Amount: 1},
				ledger.Transfer{From: book(ledger.Pending), To: book(ledger.Available), Amount: (amount - 1) / 2})
			kinds = append(kinds, models.MovementFee, models.MovementSettlement)
		case choice < 5 && free > 0:
			amount = 1 + amount%free
			fact, kinds[0] = fmt.Sprint("withdrawal/", i), models.MovementReservation
			transfers[0] = ledger.Transfer{From: book(ledger.Available), To: book(ledger.Reserved), Amount: amount}
		case choice < 6 && reserved > 0:
			amount = 1 + amount%reserved
			fact, kinds[0] = fmt.Sprint("withdrawal/", i, "/completed"), models.MovementWithdrawal
			transfers[0] = ledger.Transfer{From: book(ledger.Reserved), To: ledger.PaidOut(models.Live), Amount: amount}
		}
		err := db.InTx(t.Context(), func(tx *models.Tx) error {
			return ledger.Post(tx, at, ledger.Posting{Fact: fmt.Sprint("other/", i), Transfers: []ledger.Transfer{
				{From: clear, To: ledger.Account(theirs, models.Live, ledger.Pending), Amount: 1},
			}}, ledger.Posting{Fact: fact, Transfers: transfers})
		})
		if err != nil {
			t.Fatal(err)
		}
		for line, x := range transfers {
			if x.Amount == 0 {
				continue
			}
			for _, side := range []struct {
				book ledger.Book
				sum  money.Cents
			}{{x.From, -x.Amount}, {x.To, x.Amount}} {
				for _, held := range []struct {
					kind ledger.Kind
					sum  *money.Cents
				}{{ledger.Pending, &pending}, {ledger.Available, &free}, {ledger.Reserved, &reserved}} {
					if side.book == book(held.kind) {
						*held.sum += side.sum
						total += side.sum
					}
				}
			}
			lines = append(lines, folded{At: at, Kind: kinds[line], Total: total, Available: free})
		}
		if random.IntN(20) == 0 {
			if _, err := ledger.Snapshot(t.Context(), db.Pool,
				at.Add(time.Duration(random.IntN(20)-10)*time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return lines
}

// randomFilter returns a filter of days from day on, of times within those days, and of
// kinds. Each part may be missing.
func randomFilter(random *rand.Rand, day time.Time) (f models.StatementFilter) {
	kinds := []models.MovementKind{models.MovementPayment, models.MovementFee, models.MovementSettlement,
		models.MovementReservation, models.MovementWithdrawal}
	if random.IntN(4) > 0 {
		f.From = day.AddDate(0, 0, random.IntN(6))
	}
	if random.IntN(4) > 0 {
		f.Until = day.AddDate(0, 0, 1+random.IntN(6))
	}
	if random.IntN(3) == 0 { // not a whole hour
		f.Until = day.Add(time.Duration(random.IntN(6*24*3600)) * time.Second)
	}
	if random.IntN(2) == 0 {
		f.Kinds = kinds[:1+random.IntN(len(kinds))]
	}
	return f
}

// For every filter, a statement has the same lines and balances as a simple loop over all
// transfers, however the times of lines and snapshots are arranged.
func TestStatement_Property(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	account := models.NewAccountID()
	modelstest.Exec(t, db, "INSERT INTO accounts (id, name) VALUES ($1, 'x')", account)
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 1))
	lines := keepsStatement(t, db, random, account)
	day := time.Date(2026, 2, 27, 3, 0, 0, 0, time.UTC)
	for range 60 {
		f := randomFilter(random, day)
		var want []folded
		for _, l := range slices.Backward(lines) {
			if !l.At.Before(f.From) && (f.Until.IsZero() || l.At.Before(f.Until)) &&
				(len(f.Kinds) == 0 || slices.Contains(f.Kinds, l.Kind)) {
				want = append(want, l)
			}
		}
		read := func(size int) (got []folded) {
			for f := (models.StatementFilter{From: f.From, Until: f.Until, Kinds: f.Kinds, Limit: size}); ; {
				page, err := models.Statement(t.Context(), db.Pool, account, models.Live, f)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range page {
					got, f.Before = append(got, folded{m.ID, m.At.UTC(), m.Kind, m.Total, m.Available}), m.ID
				}
				if len(page) < size {
					return got
				}
			}
		}
		check := func(how string, got []folded) {
			t.Helper()
			before := int64(1 << 62)
			for i := range got {
				if got[i].ID >= before {
					t.Errorf("seed %d: %s: the order is wrong at line %d", seed, how, i)
				}
				before, got[i].ID = got[i].ID, 0
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("seed %d: %s of %+v (-want +got)\n%s", seed, how, f, diff)
			}
		}
		check("all at once", read(10_000))
		check("by pages", read(1+random.IntN(30)))
		var streamed []folded
		err := models.StreamStatement(t.Context(), db, account, models.Live, f, func(m models.Movement) error {
			streamed = append(streamed, folded{m.ID, m.At.UTC(), m.Kind, m.Total, m.Available})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		check("as a file", streamed)
	}
}

// A file contains only lines before the first one that an open transaction may still add. A
// transaction that is open at the start is in the file whole or not at all, and does not
// change the totals of the other lines.
func TestStreamStatement_OpenTransaction(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	if err := post(t, db, "payment/1", receipt...); err != nil {
		t.Fatal(err)
	}
	snapshot(t, db)
	open := begin(t, db, pgx.ReadCommitted)
	if err := spendRaw(t.Context(), open, "payment/2", clearing, pending, 5); err != nil {
		t.Fatal(err)
	}
	if err := post(t, db, "payment/3", receipt...); err != nil {
		t.Fatal(err)
	}
	totals := func() (totals []money.Cents) {
		err := models.StreamStatement(t.Context(), db, mine, models.Test, models.StatementFilter{},
			func(m models.Movement) error {
				totals = append(totals, m.Total)
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
		return totals
	}
	if got := totals(); !slices.Equal(got, []money.Cents{99_01, 100_00}) {
		t.Errorf("the file while a transaction is open: %v", got)
	}
	if err := open.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := totals(); !slices.Equal(got, []money.Cents{198_07, 199_06, 99_06, 99_01, 100_00}) {
		t.Errorf("afterwards: %v", got)
	}
}

// A page of an old day, or of one kind, reads only the rows around that day, and not the
// rows before or after.
func TestStatement_Reads(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	day := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	const days, daily, page = 20, 1_000, 25
	for d := range days {
		_, err := db.Pool.Exec(t.Context(), `INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount,
			recorded_at)
			SELECT 'payment/' || $1::int || '/' || i, 0, 'platform/test/clearing', $2, 1,
			$3::timestamptz + i * interval '1 minute' FROM generate_series(1, $4) i`,
			d, string(pending), day.AddDate(0, 0, d), daily)
		if err != nil {
			t.Fatal(err)
		}
		snapshot(t, db)
	}
	modelstest.Exec(t, db, "ANALYZE ledger_transfers")
	const counted = `SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables
		WHERE relname = 'ledger_transfers'`
	for name, f := range map[string]models.StatementFilter{
		"an old day": {From: day.AddDate(0, 0, 2), Until: day.AddDate(0, 0, 3)},
		"an old day's kinds": {From: day.AddDate(0, 0, 2), Until: day.AddDate(0, 0, 3),
			Kinds: []models.MovementKind{models.MovementPayment}},
		"the newest":  {},
		"since a day": {From: day.AddDate(0, 0, 15)},
		"until a day": {Until: day.AddDate(0, 0, 5)},
	} {
		for range 8 { // the plan may change after some executions
			f.Limit = page
			err := db.InTx(t.Context(), func(tx *models.Tx) error {
				return tx.PGX(func(ctx context.Context, conn models.Querier) error {
					var before, after int
					if err := conn.QueryRow(ctx, counted).Scan(&before); err != nil {
						return err
					}
					lines, err := models.Statement(ctx, conn, mine, models.Test, f)
					if err != nil || len(lines) != page {
						return errors.Join(fmt.Errorf("%d lines", len(lines)), err)
					}
					if err := conn.QueryRow(ctx, counted).Scan(&after); err != nil {
						return err
					}
					if read := after - before; read > 3*daily {
						return fmt.Errorf("Statement read %d of %d transfers", read, days*daily)
					}
					return nil
				})
			})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}
