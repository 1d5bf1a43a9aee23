package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/internal/money"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/models/modelstest"
)

func snapshot(t *testing.T, db *models.DB) int64 {
	t.Helper()
	n, err := ledger.Snapshot(t.Context(), db.Pool, at)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func balanceOf(t *testing.T, db *models.DB, account string) models.Balance {
	t.Helper()
	b, err := ledger.BalanceOf(t.Context(), db.Pool, account, models.Test)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A balance is the same before and after each snapshot, and is read from the newest
// snapshot.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	if n := snapshot(t, db); n != 0 {
		t.Errorf("an empty ledger has %d snapshots", n)
	}
	other := ledger.Account(theirs, models.Test, ledger.Pending)
	want := models.Balance{}
	for i := range 5 {
		settled := append(slices.Clone(receipt), ledger.Transfer{From: pending, To: available, Amount: 50_00})
		if err := post(t, db, fmt.Sprint("payment/", i), settled...); err != nil {
			t.Fatal(err)
		}
		want.Gross, want.Fee = want.Gross+100_00, want.Fee+99
		want.Pending, want.Available = want.Pending+49_01, want.Available+50_00
		if got := balanceOf(t, db, mine); got != want {
			t.Errorf("balance %d before the snapshot is %+v, want %+v", i, got, want)
		}
		if n := snapshot(t, db); n != 1 {
			t.Errorf("%d snapshots", n)
		}
		if n := snapshot(t, db); n != 0 {
			t.Errorf("%d snapshots without new transfers", n)
		}
		if got := balanceOf(t, db, mine); got != want {
			t.Errorf("balance %d after the snapshot is %+v, want %+v", i, got, want)
		}
	}
	if err := post(t, db, "payment/x", ledger.Transfer{From: clearing, To: other, Amount: 7}); err != nil {
		t.Fatal(err)
	}
	if n := snapshot(t, db); n != 1 {
		t.Errorf("%d snapshots, want only the other account's", n)
	}
	if got := balanceOf(t, db, theirs); got.Pending != 7 || got.Gross != 7 {
		t.Errorf("the other account's balance is %+v", got)
	}
	var rows int
	if err := db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM ledger_snapshots").Scan(&rows); err != nil ||
		rows != 6 {
		t.Errorf("%d rows, %v", rows, err)
	}
	// Transfers before the newest snapshot are not added up again.
	err := db.InTx(t.Context(), func(tx *models.Tx) error {
		if _, err := tx.Exec("SET LOCAL session_replication_role = replica"); err != nil {
			return err
		}
		_, err := tx.Exec(`DELETE FROM ledger_transfers
			WHERE from_book LIKE 'acc_%1/%' OR to_book LIKE 'acc_%1/%'`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := balanceOf(t, db, mine); got != want {
		t.Errorf("the balance without the old transfers is %+v, want %+v", got, want)
	}
}

// A transfer with a lower id that commits after the snapshot began is counted, because the
// snapshot waits for it. If it takes too long there is no snapshot.
func TestSnapshot_LateTransfer(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	drawn, commit, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- db.InTx(t.Context(), func(tx *models.Tx) error {
			if err := postIn(tx, "payment/late", receipt...); err != nil {
				return err
			}
			close(drawn)
			<-commit
			return nil
		})
	}()
	<-drawn
	if err := post(t, db, "payment/early", receipt...); err != nil { // has a higher id, and commits at once
		t.Fatal(err)
	}
	if _, err := models.DecidedTransfers(t.Context(), db.Pool, 20*time.Millisecond); !errors.Is(err,
		models.ErrUndecided) {
		t.Errorf("Snapshot while a transaction is open: %v", err)
	}
	var waiting errgroup.Group
	waiting.Go(func() error { // what Snapshot does, with a longer wait for slow machines
		id, err := models.DecidedTransfers(t.Context(), db.Pool, time.Minute)
		if err != nil {
			return err
		}
		if n, err := models.InsertLedgerSnapshots(t.Context(), db.Pool, id, at); n != 1 || err != nil {
			return fmt.Errorf("%d snapshots, %v", n, err)
		}
		return nil
	})
	time.AfterFunc(50*time.Millisecond, func() { close(commit) })
	if err := post(t, db, "payment/next", receipt...); err != nil { // the snapshot blocks no posting
		t.Fatal(err)
	}
	if err := errors.Join(waiting.Wait(), <-done); err != nil {
		t.Fatal(err)
	}
	if got := balanceOf(t, db, mine); got.Gross != 300_00 || got.Pending != 3*99_01 {
		t.Errorf("after the commit the balance is %+v", got)
	}
	if n := snapshot(t, db); n > 1 {
		t.Errorf("%d snapshots", n)
	}
	if got := balanceOf(t, db, mine); got.Gross != 300_00 {
		t.Errorf("after the next snapshot it is %+v", got)
	}
}

// Several instances take snapshots while many sessions post and some of them roll back. No
// balance ever changes.
func TestSnapshot_Concurrent(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	stop := make(chan struct{})
	var snapshots errgroup.Group
	for range 2 {
		snapshots.Go(func() error {
			for {
				select {
				case <-stop:
					return nil
				default:
				}
				if _, err := ledger.Snapshot(t.Context(), db.Pool, at); err != nil {
					return err
				}
			}
		})
	}
	var posting errgroup.Group
	rollback := errors.New("roll back")
	for worker := range 8 {
		posting.Go(func() error {
			for i := range 40 {
				err := db.InTx(t.Context(), func(tx *models.Tx) error {
					if err := postIn(tx, fmt.Sprint("payment/", worker, "/", i), receipt...); err != nil {
						return err
					}
					time.Sleep(time.Duration(rand.IntN(3)) * time.Millisecond) // keep the ids uncommitted for a while
					if i%5 == 0 {
						return rollback
					}
					return nil
				})
				if err != nil && !errors.Is(err, rollback) {
					return err
				}
			}
			return nil
		})
	}
	err := posting.Wait()
	close(stop)
	if err := errors.Join(err, snapshots.Wait()); err != nil {
		t.Fatal(err)
	}
	const n = 8 * 32
	if got := balanceOf(t, db, mine); got.Gross != n*100_00 || got.Fee != n*99 || got.Pending != n*99_01 {
		t.Errorf("%+v", got)
	}
	var drift []string
	rows, err := models.LedgerDrift(t.Context(), db.Pool)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if strings.Contains(r.What, "snapshot") {
			drift = append(drift, fmt.Sprint(r))
		}
	}
	if len(drift) > 0 {
		t.Errorf("the snapshots have drift: %v", drift)
	}
}

// Concurrent spending never takes a book below zero. Each call sees the credits that committed
// before it.
func TestSpend(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	account := models.NewAccountID()
	modelstest.Exec(t, db, "INSERT INTO accounts (id, name) VALUES ($1, 'x')", account)
	from := ledger.Account(account, models.Test, ledger.Available)
	to := ledger.Account(account, models.Test, ledger.Reserved)
	if err := post(t, db, "payment/1", ledger.Transfer{From: clearing, To: from, Amount: 10_00}); err != nil {
		t.Fatal(err)
	}
	var group errgroup.Group
	results := make([]error, 40)
	for i := range results {
		group.Go(func() error {
			results[i] = db.InTx(t.Context(), func(tx *models.Tx) error {
				_, err := ledger.Spend(tx, account, models.Test, fmt.Sprint("withdrawal/", i), at,
					ledger.Transfer{From: from, To: to, Amount: 3_00})
				return err
			})
			return nil
		})
	}
	_ = group.Wait()
	short := 0
	for _, err := range results {
		if errors.Is(err, ledger.ErrShort) {
			short++
		} else if err != nil {
			t.Error(err)
		}
	}
	holds(t, db, map[ledger.Book]money.Cents{from: 1_00, to: 9_00})
	if short != 37 {
		t.Errorf("%d of 40 were refused, want 37", short)
	}
	for name, tc := range map[string]struct {
		transfers []ledger.Transfer
		want      error
	}{
		"two lines that together are too much": {[]ledger.Transfer{{From: from, To: to, Amount: 60},
			{From: from, To: fees, Amount: 41}}, ledger.ErrShort},
		"in and out again": {[]ledger.Transfer{{From: to, To: from, Amount: 9_00},
			{From: from, To: fees, Amount: 10_00}}, nil},
		"a fact again": {[]ledger.Transfer{{From: clearing, To: from, Amount: 1}}, ledger.ErrPosted},
	} {
		fact := "spend/" + name
		if errors.Is(tc.want, ledger.ErrPosted) {
			fact = "payment/1"
		}
		err := db.InTx(t.Context(), func(tx *models.Tx) error {
			_, err := ledger.Spend(tx, account, models.Test, fact, at, tc.transfers...)
			if err != nil || name != "in and out again" {
				return err
			}
			return errors.New("undo")
		})
		if tc.want != nil && !errors.Is(err, tc.want) || tc.want == nil && err.Error() != "undo" {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
	holds(t, db, map[ledger.Book]money.Cents{from: 1_00, to: 9_00})
}

// history posts n transfers of 1.00 into the book, and as many for other accounts.
func history(tb testing.TB, db *models.DB, fact string, book ledger.Book, n int) {
	tb.Helper()
	modelstest.Exec(tb, db, `INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount,
		recorded_at)
		SELECT $1 || i, 0, 'platform/test/clearing', CASE WHEN i % 2 = 0 THEN $2
			ELSE 'acc_' || lpad(to_hex(i % 97 + 16), 20, '0') || '/test/pending' END, 100, now()
		FROM generate_series(1, $3) i`, fact, string(book), 2*n)
	modelstest.Exec(tb, db, "ANALYZE ledger_transfers")
}

// A balance reads only the transfers since its snapshot, whatever the number before it.
func TestBalanceOf_Reads(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	const before, since = 20_000, 10
	history(t, db, "payment/", pending, before)
	const counted = `SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables
		WHERE relname = 'ledger_transfers'`
	read := func() int {
		t.Helper()
		var earlier, now int // the connection's counters are cumulative
		err := db.InTx(t.Context(), func(tx *models.Tx) error {
			return tx.PGX(func(ctx context.Context, conn models.Querier) error {
				if err := conn.QueryRow(ctx, counted).Scan(&earlier); err != nil {
					return err
				}
				b, err := ledger.BalanceOf(ctx, conn, mine, models.Test)
				if err != nil || b.Total() != before*1_00 {
					return errors.Join(fmt.Errorf("the balance is %+v", b), err)
				}
				return conn.QueryRow(ctx, counted).Scan(&now)
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		return now - earlier
	}
	if n := read(); n < before {
		t.Errorf("without a snapshot BalanceOf read %d transfers", n)
	}
	snapshot(t, db)
	for i := range since {
		in := ledger.Transfer{From: clearing, To: pending, Amount: 1}
		out := ledger.Transfer{From: pending, To: fees, Amount: 1}
		if err := post(t, db, fmt.Sprint("small/", i), in, out); err != nil {
			t.Fatal(err)
		}
	}
	history(t, db, "later/", ledger.Account(theirs, models.Test, ledger.Pending), before) // another account is busy
	// The plan may change after some executions.
	for range 10 {
		if n := read(); n > 10*since {
			t.Fatalf("with a snapshot BalanceOf read %d transfers; %d are newer", n, since)
		}
	}
}

// BenchmarkBalanceOf measures a balance with a million transfers, before and after a
// snapshot.
func BenchmarkBalanceOf(b *testing.B) {
	db := modelstest.NewDB(b)
	history(b, db, "payment/", pending, 1_000_000) // and a million of other accounts
	modelstest.Exec(b, db, "VACUUM (ANALYZE) ledger_transfers")
	balance := func(b *testing.B) {
		for b.Loop() {
			if got, err := ledger.BalanceOf(b.Context(), db.Pool, mine, models.Test); err != nil ||
				got.Pending != 1_000_000_00 {
				b.Fatalf("%+v, %v", got, err)
			}
		}
	}
	b.Run("added up", balance)
	if _, err := ledger.Snapshot(b.Context(), db.Pool, at); err != nil {
		b.Fatal(err)
	}
	b.Run("from a snapshot", balance)
}
