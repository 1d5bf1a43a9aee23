package ledger_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"garoupa/internal/money"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/models/modelstest"
)

const (
	mine   = "acc_00000000000000000001"
	theirs = "acc_00000000000000000002"
)

var (
	at        = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clearing  = ledger.Clearing(models.Test)
	fees      = ledger.Fees(models.Test)
	pending   = ledger.Account(mine, models.Test, ledger.Pending)
	available = ledger.Account(mine, models.Test, ledger.Available)
)

// receipt is a payment of 100.00 with a fee of 0.99.
var receipt = []ledger.Transfer{{From: clearing, To: pending, Amount: 100_00}, {From: pending, To: fees, Amount: 99}}

func post(t *testing.T, db *models.DB, fact string, transfers ...ledger.Transfer) error {
	t.Helper()
	return db.InTx(t.Context(), func(tx *models.Tx) error { return postIn(tx, fact, transfers...) })
}

func postIn(tx *models.Tx, fact string, transfers ...ledger.Transfer) error {
	return ledger.Post(tx, at, ledger.Posting{Fact: fact, Transfers: transfers})
}

func holds(t *testing.T, db *models.DB, want map[ledger.Book]money.Cents) {
	t.Helper()
	for book, amount := range want {
		if got := modelstest.Held(t, db, book); got != amount {
			t.Errorf("%s holds %s, want %s", book, got.Decimal(), amount.Decimal())
		}
	}
}

func lines(t *testing.T, db *models.DB) (n int) {
	t.Helper()
	if err := db.Pool.QueryRow(t.Context(), "SELECT count(*) FROM ledger_transfers").Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestBooks(t *testing.T) {
	t.Parallel()
	for got, want := range map[ledger.Book]ledger.Book{
		ledger.Account(mine, models.Test, ledger.Pending):   mine + "/test/pending",
		ledger.Account(mine, models.Live, ledger.Available): mine + "/live/available",
		ledger.Account(mine, models.Live, ledger.Reserved):  mine + "/live/reserved",
		ledger.Account(mine, models.Test, ledger.Blocked):   mine + "/test/blocked",
		ledger.Clearing(models.Live):                        "platform/live/clearing",
		ledger.Fees(models.Test):                            "platform/test/fees",
		ledger.Suspense(models.Live):                        "platform/live/suspense",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestPost(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	if err := post(t, db, "payment/1", receipt...); err != nil {
		t.Fatal(err)
	}
	holds(t, db, map[ledger.Book]money.Cents{
		clearing: -100_00, pending: 99_01, fees: 99, available: 0,
		ledger.Clearing(models.Live): 0, ledger.Account(mine, models.Live, ledger.Pending): 0,
		ledger.Account(theirs, models.Test, ledger.Pending): 0,
	})
	if err := post(t, db, "payment/1", receipt...); !errors.Is(err, ledger.ErrPosted) {
		t.Errorf("again: %v", err)
	}
	if err := post(t, db, "payment/2", receipt...); err != nil {
		t.Errorf("posting another fact: %v", err)
	}
	holds(t, db, map[ledger.Book]money.Cents{clearing: -200_00, pending: 198_02, fees: 198})
}

// Post writes many facts at once, or none.
func TestPost_Many(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	all := func(facts ...string) error {
		return db.InTx(t.Context(), func(tx *models.Tx) error {
			var postings []ledger.Posting
			for _, fact := range facts {
				postings = append(postings, ledger.Posting{Fact: fact, Transfers: receipt})
			}
			return ledger.Post(tx, at, postings...)
		})
	}
	if err := errors.Join(all(), all("payment/1", "payment/2")); err != nil {
		t.Fatal(err)
	}
	if err := all("payment/3", "payment/2"); !errors.Is(err, ledger.ErrPosted) {
		t.Errorf("posting facts of which one was posted before: %v", err)
	}
	if n := lines(t, db); n != 4 {
		t.Errorf("%d lines", n)
	}
	holds(t, db, map[ledger.Book]money.Cents{pending: 2 * 99_01, fees: 2 * 99})
}

// Transfers of zero are left out; a fact without any other transfer is an error.
func TestPost_Zero(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	given := []ledger.Transfer{{From: pending, To: fees, Amount: 0}, {From: clearing, To: pending, Amount: 50},
		{From: pending, To: fees, Amount: 0}}
	if err := post(t, db, "payment/1", given...); err != nil {
		t.Error(err)
	}
	if given[0].From != pending || given[1].Amount != 50 {
		t.Errorf("the caller's transfers were changed to %v", given)
	}
	for _, nothing := range [][]ledger.Transfer{nil, {}, {{From: clearing, To: pending}}} {
		if err := post(t, db, "payment/2", nothing...); err == nil {
			t.Errorf("%v was posted", nothing)
		}
	}
	holds(t, db, map[ledger.Book]money.Cents{clearing: -50, pending: 50, fees: 0})
	if n := lines(t, db); n != 1 {
		t.Errorf("%d lines, want 1", n)
	}
}

// Forty concurrent postings of one fact post it once.
func TestPost_Concurrent(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	var posted atomic.Int32
	var group errgroup.Group
	for range 40 {
		group.Go(func() error {
			err := post(t, db, "payment/1", receipt...)
			if errors.Is(err, ledger.ErrPosted) {
				return nil
			}
			posted.Add(1)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if posted.Load() != 1 || lines(t, db) != 2 {
		t.Errorf("posted %d times, %d lines; want 1 and 2", posted.Load(), lines(t, db))
	}
	holds(t, db, map[ledger.Book]money.Cents{clearing: -100_00, pending: 99_01, fees: 99})
}

// A posting that is rolled back leaves the fact free.
func TestPost_RolledBack(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	own := errors.New("own")
	err := db.InTx(t.Context(), func(tx *models.Tx) error {
		if err := postIn(tx, "payment/1", receipt...); err != nil {
			t.Error(err)
		}
		return own
	})
	if !errors.Is(err, own) || lines(t, db) != 0 {
		t.Fatalf("%v, %d lines", err, lines(t, db))
	}
	if err := post(t, db, "payment/1", receipt...); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A fact that was posted cannot be posted again with other transfers.
func TestPost_AnotherForm(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	if err := post(t, db, "payment/1", receipt...); err != nil {
		t.Fatal(err)
	}
	other := ledger.Account(theirs, models.Test, ledger.Pending)
	for name, form := range map[string][]ledger.Transfer{
		"an extra line": append(append([]ledger.Transfer{}, receipt...), ledger.Transfer{
			From: clearing, To: pending, Amount: 1,
		}),
		"a missing line":  receipt[:1],
		"another amount":  {receipt[0], {From: pending, To: fees, Amount: 98}},
		"another book":    {{From: clearing, To: other, Amount: 100_00}, {From: other, To: fees, Amount: 99}},
		"another order":   {receipt[1], receipt[0]},
		"the other way":   {{From: pending, To: clearing, Amount: 100_00}, receipt[1]},
		"one line merged": {{From: clearing, To: pending, Amount: 99_01}},
	} {
		if err := post(t, db, "payment/1", form...); !errors.Is(err, ledger.ErrPosted) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := lines(t, db); n != 2 {
		t.Errorf("%d lines, want 2", n)
	}
}

// The database refuses rows that are not a movement between two books of one environment,
// even without our code.
func TestPost_Refused(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	for name, tc := range map[string]struct {
		transfer   ledger.Transfer
		constraint string
	}{
		"a negative amount": {ledger.Transfer{From: clearing, To: pending, Amount: -1},
			"ledger_transfers_amount_check"},
		"one book": {ledger.Transfer{From: pending, To: pending, Amount: 1}, "ledger_two_books"},
		"two environments": {ledger.Transfer{From: clearing, To: ledger.Account(mine, models.Live, ledger.Pending),
			Amount: 1}, "ledger_one_environment"},
		"from an empty book": {ledger.Transfer{From: "", To: pending, Amount: 1}, "ledger_books"},
		"to another kind":    {ledger.Transfer{From: clearing, To: mine + "/test/savings", Amount: 1}, "ledger_books"},
		"to no account":      {ledger.Transfer{From: clearing, To: "acc_1/test/pending", Amount: 1}, "ledger_books"},
		"to no environment":  {ledger.Transfer{From: clearing, To: mine + "/prod/pending", Amount: 1}, "ledger_books"},
		"a merchant's kind":  {ledger.Transfer{From: clearing, To: "platform/test/pending", Amount: 1}, "ledger_books"},
		"a longer name":      {ledger.Transfer{From: clearing, To: pending + "/x", Amount: 1}, "ledger_books"},
		"with a line break":  {ledger.Transfer{From: clearing, To: pending + "\n", Amount: 1}, "ledger_books"},
	} {
		if err := post(t, db, "payment/1", receipt[0], tc.transfer); !models.Violates(err, tc.constraint) {
			t.Errorf("%s: %v; want %s", name, err, tc.constraint)
		}
	}
	_, err := db.Pool.Exec(t.Context(), `INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount,
		recorded_at)
		VALUES ('x', 0, $1, $2, 0, now())`,
		string(clearing), string(pending))
	if !models.Violates(err, "ledger_transfers_amount_check") {
		t.Errorf("posting an amount of zero: %v", err)
	}
	if n := lines(t, db); n != 0 {
		t.Errorf("%d lines", n)
	}
}

// The database refuses to change or delete a posted transfer.
func TestLedger_Final(t *testing.T) {
	t.Parallel()
	db := modelstest.NewDB(t)
	if err := post(t, db, "payment/1", receipt...); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"UPDATE ledger_transfers SET amount = amount + 1", "UPDATE ledger_transfers SET fact = fact WHERE false",
		"DELETE FROM ledger_transfers", "TRUNCATE ledger_transfers",
	} {
		if _, err := db.Pool.Exec(t.Context(), sql); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	holds(t, db, map[ledger.Book]money.Cents{clearing: -100_00, pending: 99_01, fees: 99})
}
