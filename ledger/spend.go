package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/models"
	"garoupa/money"
)

// ErrShort reports that a book of the account holds less than was to be taken.
var ErrShort = errors.New("ledger: the book holds less")

// Spend posts a fact that takes from the account's books, unless one of them would
// fall below zero: then it fails with ErrShort, having written nothing. It returns
// the balance before. Spendings of one account and environment happen one after
// the other, each seeing what those before left; what comes in meanwhile waits for
// nobody and is not counted on. A fact that was posted before is ErrPosted: the
// caller holds the row that it posts for.
func Spend(tx *models.Tx, accountID string, livemode bool, fact string, at time.Time, transfers ...Transfer) (before models.Balance, err error) {
	before, err = models.LockLedgerBalances(tx, accountID, livemode, booksOf(accountID, livemode))
	if err != nil {
		return before, fmt.Errorf("ledger: lock the books of %s: %w", accountID, err)
	}
	holds := map[Book]money.Cents{
		Account(accountID, livemode, Pending): before.Pending, Account(accountID, livemode, Available): before.Available,
		Account(accountID, livemode, Reserved): before.Reserved, Account(accountID, livemode, Blocked): before.Blocked,
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

// BalanceOf returns what an account received, paid and has in its books, all at one
// moment.
func BalanceOf(ctx context.Context, q models.Querier, accountID string, livemode bool) (models.Balance, error) {
	balance, err := models.LedgerBalances(ctx, q, accountID, livemode, booksOf(accountID, livemode))
	if err != nil {
		return balance, fmt.Errorf("ledger: balance of %s: %w", accountID, err)
	}
	return balance, nil
}

func booksOf(accountID string, livemode bool) (books [4]string) {
	for i, kind := range [4]Kind{Pending, Available, Reserved, Blocked} {
		books[i] = string(Account(accountID, livemode, kind))
	}
	return books
}
