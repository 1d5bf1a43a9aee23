package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/internal/money"
	"garoupa/models"
)

// ErrShort reports that a book of the account holds less than the amount to take.
var ErrShort = errors.New("ledger: the book holds less")

// Spend posts a fact that takes money from the account's books. If a book would fall below
// zero, it writes nothing and fails with ErrShort. It returns the balance before. All
// spending of one account and environment happens one after the other, and each call sees
// what the calls before it left. Credits that arrive meanwhile do not wait, and do not
// count. If the fact was posted before, Spend fails with ErrPosted: the caller must hold
// the lock of the row that it posts for.
func Spend(tx *models.Tx, accountID string, environment models.Environment, fact string, at time.Time,
	transfers ...Transfer) (before models.Balance, err error) {
	before, err = models.LockLedgerBalances(tx, accountID, environment, booksOf(accountID, environment))
	if err != nil {
		return before, fmt.Errorf("ledger: lock the books of %s: %w", accountID, err)
	}
	holds := map[Book]money.Cents{
		Account(accountID, environment, Pending):   before.Pending,
		Account(accountID, environment, Available): before.Available,
		Account(accountID, environment, Reserved):  before.Reserved,
		Account(accountID, environment, Blocked):   before.Blocked,
	}
	for _, t := range transfers {
		if held, own := holds[t.From]; own && held < t.Amount {
			return before, fmt.Errorf("ledger: %s takes %s from %s: %w", fact, t.Amount.Decimal(), t.From, ErrShort)
		}
		if _, own := holds[t.From]; own {
			holds[t.From] -= t.Amount
		}
		if _, own := holds[t.To]; own {
			holds[t.To] += t.Amount
		}
	}
	return before, Post(tx, at, Posting{fact, transfers})
}

// Shortfall locks the account's books, as Spend does, and returns what Available lacks for an amount. The
// caller may post the amount afterwards, although Available falls below zero: money that the buyer has
// back already, or must get back, is not there for other uses.
func Shortfall(tx *models.Tx, accountID string, environment models.Environment,
	amount money.Cents) (short money.Cents, before models.Balance, err error) {
	before, err = models.LockLedgerBalances(tx, accountID, environment, booksOf(accountID, environment))
	if err != nil {
		return 0, before, fmt.Errorf("ledger: lock the books of %s: %w", accountID, err)
	}
	return max(0, amount-max(0, before.Available)), before, nil
}

// BalanceOf returns what an account received, was paid, and has in each of its books, all
// at one moment.
func BalanceOf(ctx context.Context, q models.Querier, accountID string,
	environment models.Environment) (models.Balance, error) {
	balance, err := models.LedgerBalances(ctx, q, accountID, environment, booksOf(accountID, environment))
	if err != nil {
		return balance, fmt.Errorf("ledger: balance of %s: %w", accountID, err)
	}
	return balance, nil
}

func booksOf(accountID string, environment models.Environment) (books [4]string) {
	for i, kind := range [4]Kind{Pending, Available, Reserved, Blocked} {
		books[i] = string(Account(accountID, environment, kind))
	}
	return books
}
