// Package ledger is the only writer of money.
//
// The ledger is double entry and append-only. A transfer takes an amount from one
// book and gives it to another, so the books together always sum to zero; what a
// book holds is the sum of its transfers. A posting names the fact it records
// ("payment/pay_…"), and a fact is posted once: whoever repeats it changes nothing.
// PostgreSQL enforces all of this again (migrations/00003_ledger.sql).
package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"garoupa/models"
	"garoupa/money"
)

// Book is a pot of money of one owner in one environment.
type Book string

// Kind is what an account's book is for (decisions, 6).
type Kind string

const (
	Pending   Kind = "pending"   // received, not yet free to withdraw
	Available Kind = "available" // free to withdraw
	Reserved  Kind = "reserved"  // asked for by withdrawals under way
	Blocked   Kind = "blocked"   // held back by ops or the institution
)

// Account returns an account's book.
func Account(accountID string, livemode bool, kind Kind) Book {
	return Book(accountID + "/" + environment(livemode) + "/" + string(kind))
}

// Clearing is the world outside: it gives what buyers pay, so it runs below zero.
func Clearing(livemode bool) Book { return Book("platform/" + environment(livemode) + "/clearing") }

// Fees is what the installation earned.
func Fees(livemode bool) Book { return Book("platform/" + environment(livemode) + "/fees") }

// Suspense holds payments that changed no checkout until ops decide on them.
func Suspense(livemode bool) Book { return Book("platform/" + environment(livemode) + "/suspense") }

func environment(livemode bool) string {
	if livemode {
		return "live"
	}
	return "test"
}

// Transfer moves an amount, in centavos, from one book to another.
type Transfer struct {
	From, To Book
	Amount   money.Cents
}

// ErrPartial reports a fact that was posted before with other lines: more, fewer,
// or of other books or amounts.
var ErrPartial = errors.New("ledger: the fact was posted before in another form")

// Post writes the transfers of one fact, all or none. Posting the fact again
// changes nothing and reports false. Transfers of zero, such as the fee on one
// centavo, are left out. A concurrent posting of the same fact is waited for.
func Post(tx *models.Tx, fact string, at time.Time, transfers ...Transfer) (posted bool, err error) {
	transfers = slices.DeleteFunc(slices.Clone(transfers), func(t Transfer) bool { return t.Amount == 0 })
	if len(transfers) == 0 {
		return false, fmt.Errorf("ledger: %s moves nothing", fact)
	}
	lines := make([]models.LedgerTransfer, len(transfers))
	for i, t := range transfers {
		lines[i] = models.LedgerTransfer{
			Fact: fact, Line: i, FromBook: string(t.From), ToBook: string(t.To), Amount: t.Amount, RecordedAt: at,
		}
	}
	written, err := models.InsertLedgerTransfers(tx, lines)
	switch {
	case err != nil:
		return false, fmt.Errorf("ledger: post %s: %w", fact, err)
	case written == len(lines):
		return true, nil
	case written > 0:
		return false, fmt.Errorf("ledger: post %s: %w", fact, ErrPartial)
	}
	before, err := models.LedgerTransfersOf(tx, fact)
	if err != nil {
		return false, fmt.Errorf("ledger: read %s: %w", fact, err)
	}
	if !slices.EqualFunc(before, lines, sameMovement) {
		return false, fmt.Errorf("ledger: post %s: %w", fact, ErrPartial)
	}
	return false, nil
}

// sameMovement compares all but when a line was recorded.
func sameMovement(a, b models.LedgerTransfer) bool {
	a.RecordedAt, b.RecordedAt = time.Time{}, time.Time{}
	return a == b
}

// Balance returns what the book holds.
func Balance(ctx context.Context, q models.Querier, book Book) (money.Cents, error) {
	balance, err := models.LedgerBalance(ctx, q, string(book))
	if err != nil {
		return 0, fmt.Errorf("ledger: balance of %s: %w", book, err)
	}
	return balance, nil
}

// BalanceOf returns what an account received, paid in fees and has in its books,
// all at one moment.
func BalanceOf(ctx context.Context, q models.Querier, accountID string, livemode bool) (models.Balance, error) {
	book := func(kind Kind) string { return string(Account(accountID, livemode, kind)) }
	balance, err := models.LedgerBalances(ctx, q, models.Books{
		Clearing: string(Clearing(livemode)), Fees: string(Fees(livemode)),
		Pending: book(Pending), Available: book(Available), Reserved: book(Reserved), Blocked: book(Blocked),
	})
	if err != nil {
		return balance, fmt.Errorf("ledger: balance of %s: %w", accountID, err)
	}
	return balance, nil
}
