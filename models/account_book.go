package models

import (
	"context"

	"garoupa/internal/money"
)

// LockLedgerBalances is LedgerBalances for a caller that is about to spend. It locks the
// account's row of account_books until tx ends; all spending takes this lock.
func LockLedgerBalances(tx *Tx, accountID string, environment Environment, books [4]string) (b Balance, err error) {
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		tag, err := conn.Exec(ctx, "SELECT FROM account_books WHERE account_id = $1 AND livemode = $2 FOR UPDATE",
			accountID, environment)
		if err == nil && tag.RowsAffected() == 0 { // the account's first spending
			_, err = conn.Exec(ctx, `INSERT INTO account_books (account_id, livemode) VALUES ($1, $2)
				ON CONFLICT (account_id, livemode) DO UPDATE SET livemode = excluded.livemode`, accountID, environment)
		}
		if err != nil {
			return err
		}
		b, err = LedgerBalances(ctx, conn, accountID, environment,
			books) // a new statement, which sees what earlier transactions spent
		return err
	})
	return b, err
}

// AddUncovered adds the amount that left the account, and marks the book because settled
// checkouts may therefore become COMPLETED. A negative amount came back, or came in without a
// checkout. The caller must hold the lock of the account's book.
func AddUncovered(tx *Tx, accountID string, environment Environment, amount money.Cents) error {
	return tx.exec(`UPDATE account_books SET uncovered = uncovered + $3, covering = covering OR $3 > 0
		WHERE account_id = $1 AND livemode = $2`, accountID, environment, amount)
}

// MarkCovering marks the books of those accounts whose uncovered money covers their oldest AVAILABLE checkout, so
// that CoverCheckouts changes it. Other books are only read. Books that another transaction has locked are left out,
// or, if patient, waited for; then each wait of tx for a lock is short.
func MarkCovering(tx *Tx, accountIDs []string, environment Environment, patient bool) error {
	locks, condition := "SKIP LOCKED", ""
	if patient {
		locks, condition = "", briefly+" AND "
	}
	return tx.exec(`WITH due AS (
			SELECT b.account_id FROM account_books b WHERE `+condition+`b.account_id = ANY($1) AND b.livemode = $2
				AND NOT b.covering AND b.uncovered >= (
					SELECT c.settlement_amount FROM projects j CROSS JOIN LATERAL (
						SELECT id, settlement_amount, paid_at FROM checkouts
						WHERE project_id = j.id AND livemode = $2 AND settlement_status = 'AVAILABLE'
						ORDER BY paid_at, id LIMIT 1) c
					WHERE j.account_id = b.account_id ORDER BY c.paid_at, c.id LIMIT 1)
			ORDER BY b.account_id FOR UPDATE OF b `+locks+`)
		UPDATE account_books b SET covering = true FROM due WHERE b.account_id = due.account_id AND b.livemode = $2`,
		accountIDs, environment)
}

// CoveringBook is a book of an account with settled checkouts that may be covered by the money
// that left the account.
type CoveringBook struct {
	AccountID   string
	Environment Environment
	Uncovered   money.Cents
}

// LockCoveringBook locks the next CoveringBook after the given one, in order of accounts, and
// skips books that other transactions have locked. It returns ErrNotFound if there is none.
// Afterwards, each wait of tx for a lock is short.
func LockCoveringBook(tx *Tx, after CoveringBook) (*CoveringBook, error) {
	var b CoveringBook
	err := tx.Scan(`SELECT account_id, livemode, uncovered FROM account_books b
		WHERE `+briefly+` AND covering AND (account_id, livemode) > ($1, $2)
		ORDER BY account_id, livemode LIMIT 1 FOR UPDATE OF b SKIP LOCKED`,
		[]any{after.AccountID, after.Environment}, &b.AccountID, &b.Environment, &b.Uncovered)
	if err != nil {
		return nil, err
	}
	return &b, nil
}

// CoverCheckouts changes up to limit AVAILABLE checkouts of the book to COMPLETED, in the
// order in which they were paid, while the uncovered amount covers them in full, and subtracts
// their amounts from it. It returns the number of those checkouts: fewer than limit means that
// the book is done. The caller must hold the lock of the book.
func CoverCheckouts(tx *Tx, b *CoveringBook, limit int) (covered int, err error) {
	err = tx.Scan(`WITH oldest AS (
			SELECT c.id, c.settlement_amount AS amount, c.paid_at FROM projects j CROSS JOIN LATERAL (
				SELECT id, settlement_amount, paid_at FROM checkouts
				WHERE project_id = j.id AND livemode = $2 AND settlement_status = 'AVAILABLE'
				ORDER BY paid_at, id LIMIT $4) c
			WHERE j.account_id = $1 ORDER BY c.paid_at, c.id LIMIT $4
		), reach AS (
			SELECT id, amount, sum(amount) OVER (ORDER BY paid_at, id) AS total FROM oldest
		), completed AS (
			UPDATE checkouts c SET settlement_status = 'COMPLETED' FROM reach
			WHERE c.id = reach.id AND reach.total <= $3 AND c.settlement_status = 'AVAILABLE' RETURNING reach.amount
		), done AS (SELECT count(*) AS n, coalesce(sum(amount), 0) AS amount FROM completed), saved AS (
			UPDATE account_books SET uncovered = uncovered - done.amount,
				completed = completed + done.amount, covering = done.n >= $4
			FROM done WHERE account_id = $1 AND livemode = $2)
		SELECT n FROM done`, []any{b.AccountID, b.Environment, b.Uncovered, limit}, &covered)
	return covered, err
}
