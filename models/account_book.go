package models

import (
	"context"

	"github.com/jackc/pgx/v5"

	"garoupa/money"
)

// LockLedgerBalances is LedgerBalances for whoever is about to spend: it holds the
// account's row of account_books, which everyone who spends holds, until tx ends.
func LockLedgerBalances(tx *Tx, accountID string, livemode bool, books [4]string) (b Balance, err error) {
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		tag, err := conn.Exec(ctx, "SELECT FROM account_books WHERE account_id = $1 AND livemode = $2 FOR UPDATE", accountID, livemode)
		if err == nil && tag.RowsAffected() == 0 { // it spends for the first time
			_, err = conn.Exec(ctx, `INSERT INTO account_books (account_id, livemode) VALUES ($1, $2)
				ON CONFLICT (account_id, livemode) DO UPDATE SET livemode = excluded.livemode`, accountID, livemode)
		}
		if err != nil {
			return err
		}
		b, err = LedgerBalances(ctx, conn, accountID, livemode, books) // a later statement sees what those before have spent
		return err
	})
	return b, err
}

// AddUncovered notes that so much more of an account's money left it (or, below
// zero, came back or came in without a checkout) and that settled checkouts may
// therefore be COMPLETED. The caller holds the account's book.
func AddUncovered(tx *Tx, accountID string, livemode bool, amount money.Cents) error {
	return tx.Exec(`UPDATE account_books SET uncovered = uncovered + ?, covering = covering OR ? > 0
		WHERE account_id = ? AND livemode = ?`, amount, amount, accountID, livemode).Error
}

// CoveringBook is an account's book some of whose settled checkouts may be covered
// by what left it.
type CoveringBook struct {
	AccountID string
	Livemode  bool
	Uncovered money.Cents
}

// LockCoveringBook holds one such book that no other transaction holds, or returns
// ErrNotFound.
func LockCoveringBook(tx *Tx) (*CoveringBook, error) {
	var b CoveringBook
	err := tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT account_id, livemode, uncovered FROM account_books WHERE covering
			ORDER BY account_id, livemode LIMIT 1 FOR UPDATE SKIP LOCKED`).Scan(&b.AccountID, &b.Livemode, &b.Uncovered)
	})
	if err != nil {
		return nil, notFound(err)
	}
	return &b, nil
}

// CoverCheckouts turns up to limit AVAILABLE checkouts of the book COMPLETED, the
// first paid first, for as long as what left the book covers them whole; it takes
// their amounts off that and returns how many they were. If they were fewer than
// limit, the book is done with. The caller holds the book.
func CoverCheckouts(tx *Tx, b *CoveringBook, limit int) (covered int, err error) {
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `WITH oldest AS (
				SELECT c.id, c.settlement_amount AS amount, c.paid_at FROM projects j CROSS JOIN LATERAL (
					SELECT id, settlement_amount, paid_at FROM checkouts
					WHERE project_id = j.id AND livemode = $2 AND settlement_status = 'AVAILABLE' ORDER BY paid_at, id LIMIT $4) c
				WHERE j.account_id = $1 ORDER BY c.paid_at, c.id LIMIT $4
			), reach AS (
				SELECT id, amount, sum(amount) OVER (ORDER BY paid_at, id) AS total FROM oldest
			), completed AS (
				UPDATE checkouts c SET settlement_status = 'COMPLETED' FROM reach
				WHERE c.id = reach.id AND reach.total <= $3 AND c.settlement_status = 'AVAILABLE' RETURNING reach.amount
			), done AS (SELECT count(*) AS n, coalesce(sum(amount), 0) AS amount FROM completed), saved AS (
				UPDATE account_books SET uncovered = uncovered - done.amount, covering = done.n >= $4
				FROM done WHERE account_id = $1 AND livemode = $2)
			SELECT n FROM done`, b.AccountID, b.Livemode, b.Uncovered, limit).Scan(&covered)
	})
	return covered, err
}
