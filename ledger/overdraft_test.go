package ledger_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"

	"garoupa/internal/money"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
	"garoupa/pix/psp/simulator"
)

var isolationLevels = []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable}

// spender returns a database, and the books of an account with 10.00 available in the test
// environment.
func spender(t *testing.T) (db *models.DB, from, to ledger.Book) {
	t.Helper()
	db = modelstest.NewDB(t)
	account := models.NewAccountID()
	modelstest.Exec(t, db, "INSERT INTO accounts (id, name) VALUES ($1, 'x')", account)
	from = ledger.Account(account, models.Test, ledger.Available)
	to = ledger.Account(account, models.Test, ledger.Reserved)
	if err := post(t, db, "payment/1", ledger.Transfer{From: clearing, To: from, Amount: 10_00}); err != nil {
		t.Fatal(err)
	}
	return db, from, to
}

// spendRaw posts by SQL, without the checks of this package.
func spendRaw(ctx context.Context, q models.Querier, fact string, from, to ledger.Book, amount money.Cents) error {
	_, err := q.Exec(ctx, `INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount, recorded_at)
		VALUES ($1, 0, $2, $3, $4, now())`, fact, string(from), string(to), amount)
	return err
}

// begin opens a transaction. At levels that have a snapshot, the snapshot is taken here.
func begin(t *testing.T, db *models.DB, level pgx.TxIsoLevel) pgx.Tx {
	t.Helper()
	tx, err := db.Pool.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	if _, err := tx.Exec(t.Context(), "SELECT count(*) FROM ledger_transfers"); err != nil {
		t.Fatal(err)
	}
	return tx
}

// awaitBlocked returns when a session of the database waits for a lock.
func awaitBlocked(t *testing.T, db *models.DB) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		var waiting bool
		err := db.Pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
		if waiting {
			return
		}
	}
	t.Fatal("no session waits for a lock")
}

func overdrawn(err error) bool { return models.Violates(err, "ledger_no_overdraft") }

func refusedToSerialize(err error) bool {
	pgErr, ok := err.(*pgconn.PgError)
	return ok && pgErr.Code == "40001"
}

// When two sessions spend the same money at the same time, the second is refused. This
// holds at every isolation level, with and without a lock on the books, and for accounts
// with and without earlier withdrawals.
func TestOverdraft_TwoSessions(t *testing.T) {
	t.Parallel()
	const lock = "SELECT FROM account_books WHERE account_id = split_part($1, '/', 1) FOR UPDATE"
	for _, level := range isolationLevels {
		for _, locks := range []bool{false, true} {
			for _, spentBefore := range []bool{false, true} {
				t.Run(fmt.Sprint(level, " locks=", locks, " before=", spentBefore), func(t *testing.T) {
					t.Parallel()
					db, from, to := spender(t)
					if spentBefore {
						if err := spendRaw(t.Context(), db.Pool, "withdrawal/0", from, to, 1_00); err != nil {
							t.Fatal(err)
						}
					}
					first, second := begin(t, db, level), begin(t, db, level)
					spend := func(tx pgx.Tx, fact string) error {
						if locks {
							if _, err := tx.Exec(t.Context(), lock, string(from)); err != nil {
								return err
							}
						}
						if err := spendRaw(t.Context(), tx, fact, from, to, 9_00); err != nil {
							return err
						}
						return tx.Commit(t.Context())
					}
					if err := spendRaw(t.Context(), first, "withdrawal/1", from, to, 9_00); err != nil {
						t.Fatal(err)
					}
					done := make(chan error, 1)
					go func() { done <- spend(second, "withdrawal/2") }()
					awaitBlocked(t, db)
					if err := first.Commit(t.Context()); err != nil {
						t.Fatal(err)
					}
					err := <-done
					if level == pgx.ReadCommitted && !overdrawn(err) ||
						level != pgx.ReadCommitted && !refusedToSerialize(err) {
						t.Errorf("the second session: %v", err)
					}
					left := money.Cents(1_00)
					if spentBefore {
						left = 0
					}
					holds(t, db, map[ledger.Book]money.Cents{from: left, to: 10_00 - left})
				})
			}
		}
	}
}

// Many sessions spend at once without locks and repeat serialization failures; a book never
// falls below zero.
func TestOverdraft_Many(t *testing.T) {
	t.Parallel()
	for _, level := range isolationLevels {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			db, from, to := spender(t)
			spend := func(fact string) error {
				for {
					err := pgx.BeginTxFunc(t.Context(), db.Pool, pgx.TxOptions{IsoLevel: level}, func(tx pgx.Tx) error {
						return spendRaw(t.Context(), tx, fact, from, to, 3_00)
					})
					if !refusedToSerialize(err) {
						return err
					}
				}
			}
			var group errgroup.Group
			for worker := range 4 {
				group.Go(func() error {
					for i := range 5 {
						if err := spend(fmt.Sprint("withdrawal/", worker, "/", i)); err != nil && !overdrawn(err) {
							return err
						}
					}
					return nil
				})
			}
			if err := group.Wait(); err != nil {
				t.Error(err)
			}
			holds(t, db, map[ledger.Book]money.Cents{from: 1_00, to: 9_00})
		})
	}
}

// The database refuses every way to take more from a book than it holds, and every way to
// falsify the sum that it checks.
func TestOverdraft_Refused(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	c := g.Fund(t, models.Test, 11_00) // settled
	if err := spendRaw(t.Context(), g.DB.Pool, "x/0", ledger.Account(g.Account.ID, models.Test, ledger.Available), fees,
		1_00); err != nil {
		t.Fatal(err)
	}
	unsettled := g.Checkout(t, payments.NewCheckout{Amount: 20_00})
	if err := g.ConfirmPayment(t.Context(), models.Test,
		simulator.Pay(unsettled.TxID, 20_00, g.Clock.Now())); err != nil {
		t.Fatal(err)
	}
	if err := g.SnapshotLedger(t.Context()); err != nil {
		t.Fatal(err)
	}
	var paid string
	if err := g.DB.Pool.QueryRow(t.Context(), "SELECT id FROM payments WHERE checkout_id = $1",
		unsettled.ID).Scan(&paid); err != nil {
		t.Fatal(err)
	}
	replace := strings.NewReplacer("PENDING", g.Account.ID+"/test/pending", "AVAILABLE", g.Account.ID+"/test/available",
		"RESERVED", g.Account.ID+"/test/reserved", "BLOCKED", g.Account.ID+"/test/blocked", "CHARGE", unsettled.ID,
		"SETTLED", c.ID, "PAID", paid, "FEES", "platform/test/fees")
	before := balanceOf(t, g.DB, g.Account.ID)
	const add = "INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount, recorded_at) "
	const overdraft = "ledger_no_overdraft"
	for name, tc := range map[string]struct{ sql, constraint string }{
		"more than is available": {add + "VALUES ('x', 0, 'AVAILABLE', 'RESERVED', 1001, now())", overdraft},
		"twice in one statement": {add + "VALUES ('x', 0, 'AVAILABLE', 'RESERVED', 501, now()), " +
			"('y', 0, 'AVAILABLE', 'RESERVED', 500, now())", overdraft},
		"what is not reserved": {add + "VALUES ('x', 0, 'RESERVED', 'FEES', 1, now())", overdraft},
		"what is not blocked":  {add + "VALUES ('x', 0, 'BLOCKED', 'AVAILABLE', 1, now())", overdraft},
		"pending for nothing":  {add + "VALUES ('x', 0, 'PENDING', 'AVAILABLE', 1, now())", overdraft},
		"a fee afterwards":     {add + "VALUES ('payment/PAID', 2, 'PENDING', 'FEES', 1, now())", overdraft},
		"settled too much": {add + "VALUES ('settlement/CHARGE', 0, 'PENDING', 'AVAILABLE', 2001, now())",
			overdraft},
		"settled in parts":   {add + "VALUES ('settlement/CHARGE', 1, 'PENDING', 'AVAILABLE', 1, now())", overdraft},
		"settled before 0":   {add + "VALUES ('settlement/CHARGE', -1, 'PENDING', 'AVAILABLE', 1, now())", overdraft},
		"settled again":      {add + "VALUES ('settlement/SETTLED', 1, 'PENDING', 'AVAILABLE', 1, now())", overdraft},
		"settled, no charge": {add + "VALUES ('settlement/chk_0', 0, 'PENDING', 'AVAILABLE', 1, now())", overdraft},
		"below a snapshot": {"INSERT INTO ledger_transfers (id, fact, line, from_book, to_book, amount, recorded_at) " +
			"OVERRIDING SYSTEM VALUE VALUES (-1, 'x', 0, 'AVAILABLE', 'RESERVED', 1, now())", overdraft},
		"settled without a posting": {"UPDATE checkouts " +
			"SET settlement_status = 'COMPLETED', settlement_amount = 2000 WHERE id = 'CHARGE'",
			"checkouts_settle_posted"},
		"another payment":       {"UPDATE payments SET checkout_id = 'SETTLED' WHERE id = 'PAID'", ""},
		"books without a count": {"DELETE FROM account_books", ""},
		"books of another":      {"UPDATE account_books SET livemode = true", ""},
	} {
		_, err := g.DB.Pool.Exec(t.Context(), replace.Replace(tc.sql))
		if tc.constraint != "" && !models.Violates(err, tc.constraint) || err == nil ||
			tc.constraint == "" && !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after := balanceOf(t, g.DB, g.Account.ID); after != before || after.Available != 10_00 ||
		after.Pending != 20_00 {
		t.Errorf("the balance was %+v and is %+v", before, after)
	}
	if err := spendRaw(t.Context(), g.DB.Pool, "x", ledger.Account(g.Account.ID, models.Test, ledger.Available), fees,
		10_00); err != nil {
		t.Errorf("spending everything available: %v", err)
	}
}

// Credits do not wait for a session that spends: payments and settlements continue while
// another session has locked the account's books.
func TestOverdraft_CreditsWaitForNoOne(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	g.Fund(t, models.Test, 10_00)
	tx := begin(t, g.DB, pgx.ReadCommitted)
	if err := spendRaw(t.Context(), tx, "x", ledger.Account(g.Account.ID, models.Test, ledger.Available), fees,
		1_00); err != nil {
		t.Fatal(err)
	}
	g.Fund(t, models.Test, 5_00) // paid and settled
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if b := balanceOf(t, g.DB, g.Account.ID); b.Available != 14_00 || b.Pending != 0 {
		t.Errorf("%+v", b)
	}
}
