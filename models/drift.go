package models

import (
	"context"

	"github.com/jackc/pgx/v5"

	"garoupa/money"
)

// Drift is a row that the books do not agree with.
type Drift struct {
	ID   string // of the row, or the fact that was posted for it
	What string
	Want money.Cents // what the row says
	Got  money.Cents // what the books say
}

// LedgerDrift finds movements of money that are missing, of another amount, between
// other books or without a row that asks for them; books of accounts below zero;
// snapshots that are not the sum of their movements; and checkouts whose state or
// settlement is not that of their payment and of what was withdrawn. It reads every
// movement that there ever was, all at one moment.
func LedgerDrift(ctx context.Context, q Querier) ([]Drift, error) {
	rows, err := q.Query(ctx, "WITH "+wantedMovements+`, posted AS (
			SELECT fact, from_book, to_book, sum(amount)::bigint AS amount FROM ledger_transfers GROUP BY fact, from_book, to_book
		), `+booksByAccount+`
		SELECT fact, from_book || ' to ' || to_book, coalesce(w.amount, 0), coalesce(l.amount, 0)
		FROM wanted w FULL JOIN posted l USING (fact, from_book, to_book) WHERE w.amount IS DISTINCT FROM l.amount
		UNION ALL `+checkoutDrift+`
		UNION ALL `+snapshotDrift+`
		UNION ALL `+coverDrift+`
		UNION ALL
		SELECT book, 'at least', 0, balance FROM books WHERE balance < 0
		ORDER BY 1, 2`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Drift])
}

// wantedMovements are what payments, exceptions, settlements, withdrawals, refunds
// and blocks ask the ledger for.
const wantedMovements = `paid AS (
		SELECT p.*, CASE WHEN p.livemode THEN '/live/' ELSE '/test/' END AS env, j.account_id, c.settlement_status
		FROM payments p LEFT JOIN checkouts c ON c.id = p.checkout_id LEFT JOIN projects j ON j.id = c.project_id
	), decided AS (
		SELECT 'exception/' || p.id AS fact, p.env, p.amount, x.fee, x.decision, x.account_id
		FROM payment_exceptions x JOIN paid p ON p.id = x.payment_id WHERE x.decision IS NOT NULL
	), wanted AS (
		SELECT 'payment/' || id AS fact, 'platform' || env || 'clearing' AS from_book,
			CASE WHEN settles THEN account_id || env || 'pending' ELSE 'platform' || env || 'suspense' END AS to_book, amount
		FROM paid
		UNION ALL
		SELECT 'payment/' || id, account_id || env || 'pending', 'platform' || env || 'fees', fee FROM paid WHERE settles AND fee > 0
		UNION ALL
		SELECT 'settlement/' || checkout_id, account_id || env || 'pending', account_id || env || 'available', amount - fee
		FROM paid WHERE settles AND settlement_status <> 'PENDING' AND amount > fee
		UNION ALL
		SELECT fact, 'platform' || env || 'suspense', CASE decision WHEN 'ACCEPTED' THEN account_id || env || 'available'
			WHEN 'REFUNDED' THEN 'platform' || env || 'refunds' ELSE 'platform' || env || 'written_off' END, amount FROM decided
		UNION ALL
		SELECT fact, account_id || env || 'available', 'platform' || env || 'fees', fee FROM decided WHERE fee > 0
		UNION ALL
		SELECT 'withdrawal/' || id, account_id || '/live/available', account_id || '/live/reserved', amount FROM withdrawals
		UNION ALL
		SELECT 'withdrawal/' || id || '/released', account_id || '/live/reserved', account_id || '/live/available', amount
		FROM withdrawals WHERE status IN ('CANCELLED', 'REJECTED', 'FAILED')
		UNION ALL
		SELECT 'withdrawal/' || id || '/completed', account_id || '/live/reserved', 'platform/live/paid_out', amount - fee
		FROM withdrawals WHERE status IN ('COMPLETED', 'RETURNED')
		UNION ALL
		SELECT 'withdrawal/' || id || '/completed', account_id || '/live/reserved', 'platform/live/fees', fee
		FROM withdrawals WHERE status IN ('COMPLETED', 'RETURNED') AND fee > 0
		UNION ALL
		SELECT 'withdrawal/' || id || '/returned', 'platform/live/paid_out', account_id || '/live/available', amount - fee
		FROM withdrawals WHERE status = 'RETURNED'
		UNION ALL
		SELECT 'refund/' || id, account_id || CASE WHEN livemode THEN '/live/' ELSE '/test/' END || 'available',
			'platform' || CASE WHEN livemode THEN '/live/' ELSE '/test/' END || 'refunds', amount FROM refunds
		UNION ALL
		SELECT 'block/' || id, account_id || CASE WHEN livemode THEN '/live/' ELSE '/test/' END || 'available',
			account_id || CASE WHEN livemode THEN '/live/' ELSE '/test/' END || 'blocked', amount FROM blocked_amounts
		UNION ALL
		SELECT 'block/' || id || '/released', account_id || CASE WHEN livemode THEN '/live/' ELSE '/test/' END || 'blocked',
			account_id || CASE WHEN livemode THEN '/live/' ELSE '/test/' END || 'available', amount FROM blocked_amounts WHERE released_at IS NOT NULL)`

// booksByAccount are what every account's book holds, and what a transfer of one
// centavo from one book to another does to an account's balance.
const booksByAccount = `ways AS MATERIALIZED (
		SELECT from_book, to_book, sum(amount) AS amount FROM ledger_transfers GROUP BY from_book, to_book
	), sides AS (
		SELECT from_book, to_book, to_book AS book, from_book AS other, 1 AS amount, amount AS total FROM ways WHERE starts_with(to_book, 'acc_')
		UNION ALL
		SELECT from_book, to_book, from_book, to_book, -1, -amount FROM ways WHERE starts_with(from_book, 'acc_')
	), books AS (
		SELECT book, sum(total)::bigint AS balance FROM sides GROUP BY book
	), effects AS MATERIALIZED (
		SELECT from_book, to_book, split_part(book, '/', 1) AS account_id, split_part(book, '/', 2) = 'live' AS livemode, ` + moves + `
		FROM sides GROUP BY 1, 2, 3, 4)`

// checkoutDrift compares checkouts with the payments that paid them.
const checkoutDrift = `
		SELECT c.id, 'what was paid', CASE WHEN c.status = 'PAID' THEN c.amount ELSE 0 END, coalesce(p.amount, 0)
		FROM checkouts c LEFT JOIN payments p ON p.checkout_id = c.id AND p.settles
		WHERE (c.status = 'PAID' OR p.id IS NOT NULL) AND (c.status <> 'PAID' OR p.amount IS DISTINCT FROM c.amount)
		UNION ALL
		SELECT c.id, 'what was settled', c.settlement_amount, p.amount - p.fee
		FROM checkouts c JOIN payments p ON p.checkout_id = c.id AND p.settles WHERE c.settlement_amount <> p.amount - p.fee
		UNION ALL
		SELECT c.id, 'what no date settles', 0, p.amount - p.fee
		FROM checkouts c JOIN payments p ON p.checkout_id = c.id AND p.settles
		WHERE c.status = 'PAID' AND c.settlement_status = 'PENDING' AND c.settles_at IS NULL AND p.amount > p.fee`

// snapshotDrift compares every snapshot, amount by amount, with the movements up to
// it: one pass over both in the order of ids, with running sums.
const snapshotDrift = `
		SELECT account_id || CASE WHEN livemode THEN '/live' ELSE '/test' END || ' up to ' || id, 'the snapshot of ' || named.name, named.says, named.sums
		FROM (SELECT account_id, livemode, id, says, sum(gross) OVER w AS gross, sum(fee) OVER w AS fee, sum(refunded) OVER w AS refunded,
				sum(withdrawn) OVER w AS withdrawn, sum(pending) OVER w AS pending, sum(available) OVER w AS available,
				sum(reserved) OVER w AS reserved, sum(blocked) OVER w AS blocked
			FROM (
				SELECT e.account_id, e.livemode, t.id, NULL::ledger_snapshots AS says, t.amount * e.gross AS gross, t.amount * e.fee AS fee,
					t.amount * e.refunded AS refunded, t.amount * e.withdrawn AS withdrawn, t.amount * e.pending AS pending,
					t.amount * e.available AS available, t.amount * e.reserved AS reserved, t.amount * e.blocked AS blocked
				FROM ledger_transfers t JOIN effects e USING (from_book, to_book)
				UNION ALL
				SELECT account_id, livemode, through_id, s, 0, 0, 0, 0, 0, 0, 0, 0 FROM ledger_snapshots s) both_kinds
			WINDOW w AS (PARTITION BY account_id, livemode ORDER BY id)) s
		CROSS JOIN LATERAL (VALUES ('gross', (says).gross, gross), ('fee', (says).fee, fee), ('refunded', (says).refunded, refunded),
			('withdrawn', (says).withdrawn, withdrawn), ('pending', (says).pending, pending), ('available', (says).available, available),
			('reserved', (says).reserved, reserved), ('blocked', (says).blocked, blocked)) AS named (name, says, sums)
		WHERE s.says IS NOT NULL AND named.says <> named.sums`

// coverDrift compares what an account has besides its pending money with the
// settled checkouts that nothing covers yet.
const coverDrift = `
		SELECT account_id || CASE WHEN livemode THEN '/live' ELSE '/test' END, 'settled and not withdrawn', sum(settled)::bigint, sum(held)::bigint
		FROM (
			SELECT split_part(book, '/', 1) AS account_id, split_part(book, '/', 2) = 'live' AS livemode, balance AS held, 0 AS settled
			FROM books WHERE book !~ '/pending$'
			UNION ALL
			SELECT account_id, livemode, uncovered, 0 FROM account_books
			UNION ALL
			SELECT j.account_id, c.livemode, 0, c.settlement_amount FROM checkouts c JOIN projects j ON j.id = c.project_id
			WHERE c.settlement_status = 'AVAILABLE') amounts
		GROUP BY account_id, livemode HAVING sum(settled) <> sum(held)`
