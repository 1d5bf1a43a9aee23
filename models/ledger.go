package models

import (
	"context"
	"time"

	"garoupa/internal/money"
)

// LedgerTransfer is one movement of money. It never changes after it is written. Only package
// ledger writes transfers.
type LedgerTransfer struct {
	Fact       string // the posting's fact, such as "payment/pay_…"
	Line       int
	FromBook   string
	ToBook     string
	Amount     money.Cents
	RecordedAt time.Time
}

// InsertLedgerTransfers writes the lines of facts and returns how many it wrote. Lines of
// facts that were posted before are not written.
func InsertLedgerTransfers(tx *Tx, lines []LedgerTransfer) (written int, err error) {
	n := len(lines)
	facts, numbers := make([]string, n), make([]int16, n)
	from, to, amounts, times := make([]string, n), make([]string, n), make([]int64, n), make([]time.Time, n)
	for i, l := range lines {
		facts[i], numbers[i], from[i], to[i] = l.Fact, int16(l.Line), l.FromBook, l.ToBook
		amounts[i], times[i] = int64(l.Amount), l.RecordedAt
	}
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		tag, err := conn.Exec(ctx, `INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount, recorded_at)
			SELECT * FROM unnest($1::text[], $2::smallint[], $3::text[], $4::text[], $5::bigint[],
				$6::timestamptz[]) AS t
			ON CONFLICT (fact, line) DO NOTHING`, facts, numbers, from, to, amounts, times)
		written = int(tag.RowsAffected())
		return err
	})
	return written, err
}
