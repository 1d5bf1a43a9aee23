package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/money"
)

// AccountTotals are what an account did, for who decides about it.
type AccountTotals struct {
	PaidTest, PaidLive int         // checkouts, ever
	Volume             money.Cents // paid in live since the time asked for
	Withdrawals        int         // completed
	Withdrawn          money.Cents
	OpenExceptions     int // of live
}

// TotalsOf adds up what an account did.
func TotalsOf(ctx context.Context, q Querier, accountID string, volumeSince time.Time) (t AccountTotals, err error) {
	err = q.QueryRow(ctx, `WITH mine AS (SELECT id FROM projects WHERE account_id = $1), paid AS (
			SELECT count(*) FILTER (WHERE NOT c.livemode) AS test, count(*) FILTER (WHERE c.livemode) AS live,
				coalesce(sum(c.amount) FILTER (WHERE c.livemode AND c.paid_at >= $2), 0)::bigint AS volume
			FROM checkouts c WHERE c.project_id IN (SELECT id FROM mine) AND c.status = 'PAID'
		), out AS (
			SELECT count(*) AS n, coalesce(sum(amount), 0)::bigint AS amount FROM withdrawals WHERE account_id = $1 AND status = 'COMPLETED'
		), open AS (
			SELECT count(*) AS n FROM payment_exceptions x JOIN payments p ON p.id = x.payment_id JOIN checkouts c ON c.id = p.checkout_id
			WHERE x.decision IS NULL AND p.livemode AND c.project_id IN (SELECT id FROM mine)
		)
		SELECT paid.test, paid.live, paid.volume, out.n, out.amount, open.n FROM paid, out, open`, accountID, volumeSince).
		Scan(&t.PaidTest, &t.PaidLive, &t.Volume, &t.Withdrawals, &t.Withdrawn, &t.OpenExceptions)
	return t, err
}

// AccountMember is a member with who it is.
type AccountMember struct {
	UserID, Name, Email string
	Role                Role
	Staff               bool
	CreatedAt           time.Time
}

// AccountMembers lists the members of an account, the oldest first.
func AccountMembers(ctx context.Context, q Querier, accountID string) ([]AccountMember, error) {
	rows, err := q.Query(ctx, `SELECT u.id, u.name, u.email, m.role, u.staff_role IS NOT NULL, m.created_at
		FROM members m JOIN users u ON u.id = m.user_id WHERE m.account_id = $1 ORDER BY m.created_at, u.id`, accountID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[AccountMember])
}
