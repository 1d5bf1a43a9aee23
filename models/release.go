package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// Release is the money of paid checkouts that becomes available on a day.
type Release struct {
	Day        time.Time // its first moment in Brasília
	Count      int
	Gross, Fee money.Cents
	Refunded   money.Cents // from what was pending of these checkouts
}

// Net is what becomes available.
func (r Release) Net() money.Cents { return r.Gross - r.Fee - r.Refunded }

// Releases are the days on which an account's pending money becomes available, soonest first.
type Releases struct {
	Days    []Release
	Pending money.Cents // by the ledger, at the same moment
}

// Rest is what of the pending money is in none of the days.
func (r Releases) Rest() money.Cents {
	rest := r.Pending
	for _, day := range r.Days {
		rest -= day.Net()
	}
	return rest
}

// ReleaseFilter says which checkouts are read.
type ReleaseFilter struct {
	PaidSince time.Time // no checkout is read whose payment is older
	Now       time.Time // what is due already becomes available on its day
	Limit     int       // of checkouts, those paid first
}

// releases reads the days and the pending money at one moment: $3 is the name of the account's pending book.
var releases = `WITH base AS (
		SELECT through_id, pending FROM ledger_snapshots WHERE account_id = $1 AND livemode = $2
		ORDER BY through_id DESC LIMIT 1
	), pending AS (
		SELECT coalesce((SELECT pending FROM base), 0) + coalesce(sum(m.amount), 0) AS amount
		FROM ledger_moved($3, coalesce((SELECT through_id FROM base), 0), 9223372036854775807) m
	), unsettled AS (
		SELECT c.* FROM projects j CROSS JOIN LATERAL (SELECT c.id, c.paid_at, c.settles_at FROM checkouts c
			WHERE c.project_id = j.id AND c.livemode = $2 AND c.status = 'PAID'
				AND c.settlement_status = 'PENDING' AND c.paid_at >= $4 ORDER BY c.paid_at LIMIT $6) c
		WHERE j.account_id = $1 ORDER BY c.paid_at LIMIT $6
	), days AS (
		SELECT ` + sqlDayOf("greatest(c.settles_at, $5)") + ` AS day,
			count(*) AS count, sum(p.amount)::bigint AS gross, sum(p.fee)::bigint AS fee, sum(r.taken)::bigint AS taken
		FROM unsettled c
		CROSS JOIN LATERAL (SELECT p.* FROM payments p WHERE p.checkout_id = c.id AND p.settles LIMIT 1) p
		CROSS JOIN LATERAL (SELECT coalesce(sum(r.from_pending - r.back_to_pending), 0) AS taken FROM refunds r
			WHERE r.payment_id = p.id) r
		GROUP BY 1
	)
	SELECT pending.amount::bigint, d.day, coalesce(d.count, 0), coalesce(d.gross, 0), coalesce(d.fee, 0),
		coalesce(d.taken, 0)
	FROM pending LEFT JOIN days d ON true ORDER BY d.day`

// ReleasesOf reads when an account's pending money becomes available. pendingBook is the name of its book.
func ReleasesOf(ctx context.Context, q Reader, accountID string, environment Environment, pendingBook string,
	f ReleaseFilter) (found Releases, err error) {
	rows, err := q.Query(ctx, releases, accountID, environment, pendingBook, f.PaidSince, f.Now, f.Limit)
	if err != nil {
		return found, err
	}
	var day *time.Time
	var r Release
	_, err = pgx.ForEachRow(rows, []any{&found.Pending, &day, &r.Count, &r.Gross, &r.Fee, &r.Refunded}, func() error {
		if day != nil {
			r.Day = *day
			found.Days = append(found.Days, r)
		}
		return nil
	})
	return found, err
}

// Uncovered are settled checkouts whose net amounts no money covers yet that left their account.
type Uncovered struct {
	Count  int
	Amount money.Cents
	More   bool // there are more than Count; their amounts are unknown
}

// UncoveredOf counts the Uncovered of an account, up to a limit.
func UncoveredOf(ctx context.Context, q Reader, accountID string, environment Environment,
	limit int) (u Uncovered, err error) {
	err = q.QueryRow(ctx, `SELECT count(*), coalesce(sum(settlement_amount), 0)::bigint FROM (
		SELECT c.settlement_amount FROM projects j CROSS JOIN LATERAL (SELECT c.settlement_amount FROM checkouts c
			WHERE c.project_id = j.id AND c.livemode = $2 AND c.settlement_status = 'AVAILABLE'
			ORDER BY c.paid_at, c.id LIMIT $3) c
		WHERE j.account_id = $1 LIMIT $3) few`, accountID, environment, limit+1).Scan(&u.Count, &u.Amount)
	if u.Count > limit {
		u = Uncovered{Count: limit, More: true}
	}
	return u, err
}
