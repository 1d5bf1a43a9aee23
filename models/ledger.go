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

// LedgerTransfersOf returns the lines of a fact in their order, none if it was not
// posted.
func LedgerTransfersOf(tx *Tx, fact string) (lines []LedgerTransfer, err error) {
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `SELECT fact, line, from_book, to_book, amount, recorded_at
			FROM ledger_transfers WHERE fact = $1 ORDER BY line`, fact)
		if err != nil {
			return err
		}
		lines, err = pgx.CollectRows(rows, pgx.RowToStructByPos[LedgerTransfer])
		return err
	})
	return lines, err
}

// Drift is a row that the books do not agree with.
type Drift struct {
	ID   string // of the row, or the fact that was posted for it
	What string
	Want money.Cents // what the row says
	Got  money.Cents // what the books say
}

// LedgerDrift finds movements of money that are missing, of another amount, between
// other books or without a row that asks for them; and checkouts whose state or
// settlement is not that of their payment.
func LedgerDrift(ctx context.Context, q Querier) ([]Drift, error) {
	rows, err := q.Query(ctx, `
		WITH paid AS (
			SELECT p.*, CASE WHEN p.livemode THEN '/live/' ELSE '/test/' END AS env, j.account_id, c.status, c.settlement_status
			FROM payments p LEFT JOIN checkouts c ON c.id = p.checkout_id LEFT JOIN projects j ON j.id = c.project_id
		), wanted AS (
			SELECT 'payment/' || id AS fact, 'platform' || env || 'clearing' AS from_book,
				CASE WHEN settles THEN account_id || env || 'pending' ELSE 'platform' || env || 'suspense' END AS to_book, amount
			FROM paid
			UNION ALL
			SELECT 'payment/' || id, account_id || env || 'pending', 'platform' || env || 'fees', fee FROM paid WHERE settles AND fee > 0
			UNION ALL
			SELECT 'settlement/' || checkout_id, account_id || env || 'pending', account_id || env || 'available', amount - fee
			FROM paid WHERE settles AND settlement_status <> 'PENDING' AND amount > fee
		), posted AS (
			SELECT fact, from_book, to_book, sum(amount)::bigint AS amount FROM ledger_transfers GROUP BY fact, from_book, to_book)
		SELECT fact, from_book || ' to ' || to_book, coalesce(w.amount, 0), coalesce(l.amount, 0)
		FROM wanted w FULL JOIN posted l USING (fact, from_book, to_book) WHERE w.amount IS DISTINCT FROM l.amount
		UNION ALL
		SELECT c.id, 'what was paid', CASE WHEN c.status = 'PAID' THEN c.amount ELSE 0 END, coalesce(p.amount, 0)
		FROM checkouts c LEFT JOIN payments p ON p.checkout_id = c.id AND p.settles
		WHERE (c.status = 'PAID' OR p.id IS NOT NULL) AND (c.status <> 'PAID' OR p.amount IS DISTINCT FROM c.amount)
		UNION ALL
		SELECT c.id, 'what was settled', c.settlement_amount, p.amount - p.fee
		FROM checkouts c JOIN payments p ON p.checkout_id = c.id AND p.settles WHERE c.settlement_amount <> p.amount - p.fee
		ORDER BY 1, 2`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Drift])
}
