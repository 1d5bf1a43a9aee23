package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/money"
)

// LedgerTransfer is one movement of money, final once written. Package ledger
// alone writes it.
type LedgerTransfer struct {
	Fact       string // names the posting, "payment/pay_…"
	Line       int
	FromBook   string
	ToBook     string
	Amount     money.Cents
	RecordedAt time.Time
}

// InsertLedgerTransfers writes the lines of facts and returns how many were new: those
// of facts that were posted before are not.
func InsertLedgerTransfers(tx *Tx, lines []LedgerTransfer) (written int, err error) {
	n := len(lines)
	facts, numbers := make([]string, n), make([]int16, n)
	from, to, amounts, times := make([]string, n), make([]string, n), make([]int64, n), make([]time.Time, n)
	for i, l := range lines {
		facts[i], numbers[i], from[i], to[i] = l.Fact, int16(l.Line), l.FromBook, l.ToBook
		amounts[i], times[i] = int64(l.Amount), l.RecordedAt
	}
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		tag, err := conn.Exec(ctx, `INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount, recorded_at)
			SELECT * FROM unnest($1::text[], $2::smallint[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[]) AS t
			ON CONFLICT (fact, line) DO NOTHING`, facts, numbers, from, to, amounts, times)
		written = int(tag.RowsAffected())
		return err
	})
	return written, err
}

// LedgerBalance returns what the book holds: all that came in less all that went out.
func LedgerBalance(ctx context.Context, q Querier, book string) (money.Cents, error) {
	var balance money.Cents
	err := q.QueryRow(ctx, `SELECT (SELECT coalesce(sum(amount), 0) FROM ledger_transfers WHERE to_book = $1)::bigint
		- (SELECT coalesce(sum(amount), 0) FROM ledger_transfers WHERE from_book = $1)::bigint`, book).Scan(&balance)
	return balance, err
}
