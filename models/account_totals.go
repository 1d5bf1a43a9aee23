package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// AccountTotals sum up an account's activity, for staff who decide about the account.
type AccountTotals struct {
	PaidTest, PaidLive int         // number of checkouts since the given hour
	Volume             money.Cents // paid in live since that hour
	Withdrawals        int         // completed withdrawals of all time
	Withdrawn          money.Cents
	OpenExceptions     int // in live
}

// TotalsOf returns the totals of accounts, by account id; since must be a whole hour. Besides
// the roll-up it counts no more checkouts than CheckoutHours does.
func TotalsOf(ctx context.Context, q Reader, since time.Time, accountIDs ...string) (map[string]AccountTotals, error) {
	rows, err := q.Query(ctx, `SELECT a.id, t.* FROM unnest($1::text[]) a (id) CROSS JOIN LATERAL (
		WITH mine AS (SELECT id FROM projects WHERE account_id = a.id), hours AS (
			SELECT livemode, paid, volume FROM checkout_hours
			WHERE project_id IN (SELECT id FROM mine) AND hour >= $2 AND hour < (SELECT until FROM checkout_hours_until)
			UNION ALL SELECT span.livemode, h.paid, h.volume
			FROM (SELECT mine.id AS project_id, l.livemode, greatest(u.until, $2) AS since,
				'infinity'::timestamptz AS until
				FROM mine CROSS JOIN (VALUES (true), (false)) l (livemode) CROSS JOIN checkout_hours_until u) span`+
		countHours+`
		), paid AS (
			SELECT coalesce(sum(paid) FILTER (WHERE NOT livemode), 0) AS test,
				coalesce(sum(paid) FILTER (WHERE livemode), 0) AS live,
				coalesce(sum(volume) FILTER (WHERE livemode), 0)::bigint AS volume
			FROM hours
		), out AS (
			SELECT count(*) AS n, coalesce(sum(amount), 0)::bigint AS amount FROM withdrawals
			WHERE account_id = a.id AND status = 'COMPLETED'
		), open AS (
			SELECT count(*) AS n FROM payment_exceptions x JOIN payments p ON p.id = x.payment_id
				JOIN checkouts c ON c.id = p.checkout_id
			WHERE x.decision IS NULL AND p.livemode AND c.project_id IN (SELECT id FROM mine)
		)
		SELECT paid.test, paid.live, paid.volume, out.n, out.amount, open.n FROM paid, out, open) t`, accountIDs, since)
	if err != nil {
		return nil, err
	}
	totals := map[string]AccountTotals{}
	var id string
	var t AccountTotals
	_, err = pgx.ForEachRow(rows, []any{&id, &t.PaidTest, &t.PaidLive, &t.Volume, &t.Withdrawals, &t.Withdrawn,
		&t.OpenExceptions}, func() error {
		totals[id] = t
		return nil
	})
	return totals, err
}

// AccountMember is a member with the user's name and login data.
type AccountMember struct {
	UserID, Name, Email string
	Role                Role
	Staff               bool
	CreatedAt           time.Time
}

// AccountMembers lists the members of an account, oldest first.
func AccountMembers(ctx context.Context, q Querier, accountID string) ([]AccountMember, error) {
	rows, err := q.Query(ctx, `SELECT u.id, u.name, u.email, m.role, u.staff_role IS NOT NULL, m.created_at
		FROM members m JOIN users u ON u.id = m.user_id WHERE m.account_id = $1 ORDER BY m.created_at, u.id`, accountID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[AccountMember])
}
