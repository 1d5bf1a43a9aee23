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

// InsertLedgerTransfers writes the lines of one fact and returns how many were
// new: none when the fact was posted before.
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
			SELECT * FROM unnest($1::text[], $2::smallint[], $3::text[], $4::text[], $5::bigint[], $6::timestamptz[])
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

// Drift is a row that the books do not agree with.
type Drift struct {
	ID   string // of the row
	What string
	Want money.Cents // what the row says
	Got  money.Cents // what the books say
}

// LedgerDrift finds payments whose postings are missing, of another amount or fee,
// or too many, and checkouts that are PAID without the payment that settles them
// or the reverse.
func LedgerDrift(ctx context.Context, q Querier) ([]Drift, error) {
	rows, err := q.Query(ctx, `
		WITH posted AS (
			SELECT fact, sum(amount) FILTER (WHERE from_book LIKE 'platform/%/clearing') AS received,
				sum(amount) FILTER (WHERE to_book LIKE 'platform/%/fees') AS fee
			FROM ledger_transfers WHERE fact LIKE 'payment/%' GROUP BY fact)
		SELECT p.id, 'the amount', p.amount, coalesce(l.received, 0)::bigint
		FROM payments p LEFT JOIN posted l ON l.fact = 'payment/' || p.id WHERE p.amount <> coalesce(l.received, 0)
		UNION ALL
		SELECT p.id, 'the fee', p.fee, coalesce(l.fee, 0)::bigint
		FROM payments p LEFT JOIN posted l ON l.fact = 'payment/' || p.id WHERE p.fee <> coalesce(l.fee, 0)
		UNION ALL
		SELECT substr(l.fact, 9), 'the amount of a payment that is not there', 0, coalesce(l.received, 0)::bigint
		FROM posted l WHERE NOT EXISTS (SELECT FROM payments p WHERE l.fact = 'payment/' || p.id)
		UNION ALL
		SELECT c.id, 'what was paid', CASE WHEN c.status = 'PAID' THEN c.amount ELSE 0 END, coalesce(p.amount, 0)
		FROM checkouts c LEFT JOIN payments p ON p.checkout_id = c.id AND p.settles
		WHERE (c.status = 'PAID' OR p.id IS NOT NULL) AND (c.status <> 'PAID' OR p.amount IS DISTINCT FROM c.amount)`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Drift])
}
