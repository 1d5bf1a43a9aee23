// Package ledger is the only writer of money.
//
// The ledger is double entry and append-only. A transfer takes an amount from one
// book and gives it to another, so the books together always sum to zero; what a
// book holds is the sum of its transfers. A posting names the fact it records
// ("payment/pay_…"), and a fact is posted once: whoever repeats it is refused.
// PostgreSQL enforces all of this again (migrations/00003_ledger.sql).
package ledger

import (
	"context"
	"errors"
	"fmt"
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

// PaidOut is what withdrawals brought to merchants.
func PaidOut(livemode bool) Book { return Book("platform/" + environment(livemode) + "/paid_out") }

// Refunds is what went back to buyers.
func Refunds(livemode bool) Book { return Book("platform/" + environment(livemode) + "/refunds") }

// WrittenOff is what was paid and belongs to nobody.
func WrittenOff(livemode bool) Book {
	return Book("platform/" + environment(livemode) + "/written_off")
}

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

// ErrPosted reports a fact that was posted before.
var ErrPosted = errors.New("ledger: the fact was posted before")

// Posting is a fact and what it moves.
type Posting struct {
	Fact      string
	Transfers []Transfer
}

// Post writes facts, none of which was posted before, in one statement: all of them or
// none. It fails with ErrPosted if one was posted, or is being posted at the same
// time, which is waited for: then the caller did not hold what it posts for.
// Transfers of zero, such as the fee on one centavo, are left out.
func Post(tx *models.Tx, at time.Time, postings ...Posting) error {
	var lines []models.LedgerTransfer
	for _, p := range postings {
		own := linesOf(p, at)
		if len(own) == 0 {
			return fmt.Errorf("ledger: %s moves nothing", p.Fact)
		}
		lines = append(lines, own...)
	}
	if len(lines) == 0 {
		return nil
	}
	written, err := models.InsertLedgerTransfers(tx, lines)
	if err == nil && written != len(lines) {
		err = ErrPosted
	}
	if err != nil {
		return fmt.Errorf("ledger: post %d facts from %s on: %w", len(postings), postings[0].Fact, err)
	}
	return nil
}

func linesOf(p Posting, at time.Time) (lines []models.LedgerTransfer) {
	for _, t := range p.Transfers {
		if t.Amount != 0 {
			lines = append(lines, models.LedgerTransfer{
				Fact: p.Fact, Line: len(lines), FromBook: string(t.From), ToBook: string(t.To), Amount: t.Amount, RecordedAt: at,
			})
		}
	}
	return lines
}

// Balance returns what the book holds.
func Balance(ctx context.Context, q models.Querier, book Book) (money.Cents, error) {
	balance, err := models.LedgerBalance(ctx, q, string(book))
	if err != nil {
		return 0, fmt.Errorf("ledger: balance of %s: %w", book, err)
	}
	return balance, nil
}
