// Package ledger posts every movement of money; no other package does.
//
// The ledger is double entry and append-only. A transfer takes an amount from one book and
// gives it to another, so all books together always sum to zero, and a book holds the sum
// of its transfers. A posting names the fact it records ("payment/pay_…"). A fact is posted
// once: a second posting is refused. PostgreSQL enforces all of this again
// (migrations/00003_ledger.sql).
package ledger

import (
	"errors"
	"fmt"
	"time"

	"garoupa/internal/money"
	"garoupa/models"
)

// Book is a pot of money of one owner in one environment.
type Book string

// Kind is what an account's book is for (docs/rules.md, "Money").
type Kind string

const (
	Pending   Kind = "pending"   // received, not yet free to withdraw
	Available Kind = "available" // free to withdraw
	Reserved  Kind = "reserved"  // requested by withdrawals in progress
	Blocked   Kind = "blocked"   // held back by staff or the institution
)

// Account returns an account's book.
func Account(accountID string, environment models.Environment, kind Kind) Book {
	return Book(accountID + "/" + environment.String() + "/" + string(kind))
}

// Clearing returns the book of the outside world. It gives what buyers pay, so its balance
// is negative.
func Clearing(environment models.Environment) Book { return platform(environment, "clearing") }

// Fees returns the book of the installation's earnings.
func Fees(environment models.Environment) Book { return platform(environment, "fees") }

// Suspense returns the book of payments that changed no checkout, until staff decide about
// them.
func Suspense(environment models.Environment) Book { return platform(environment, "suspense") }

// PaidOut returns the book of the money that withdrawals brought to merchants, or that buyers paid to their own
// bank accounts.
func PaidOut(environment models.Environment) Book { return platform(environment, "paid_out") }

// Refunds returns the book of the money that went back to buyers.
func Refunds(environment models.Environment) Book { return platform(environment, "refunds") }

// WrittenOff returns the book of the payments that staff wrote off: the installation keeps their money.
func WrittenOff(environment models.Environment) Book { return platform(environment, "written_off") }

func platform(environment models.Environment, kind string) Book {
	return Book("platform/" + environment.String() + "/" + kind)
}

// Transfer moves an amount, in centavos, from one book to another.
type Transfer struct {
	From, To Book
	Amount   money.Cents
}

// ErrPosted reports a fact that was posted before.
var ErrPosted = errors.New("ledger: the fact was posted before")

// Posting is one fact and its transfers.
type Posting struct {
	Fact      string
	Transfers []Transfer
}

// Post writes all postings in one statement, or nothing. It fails with ErrPosted if one of
// the facts was posted before. If another transaction is posting the same fact, Post waits
// for it and then fails with ErrPosted: the caller did not hold the lock of the row it
// posts for. Transfers of zero, such as the fee on one centavo, are left out.
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
				Fact: p.Fact, Line: len(lines), FromBook: string(t.From), ToBook: string(t.To), Amount: t.Amount,
				RecordedAt: at,
			})
		}
	}
	return lines
}
