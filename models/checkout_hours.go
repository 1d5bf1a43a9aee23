package models

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// CheckoutHour counts the checkouts of a scope that were created and paid within an hour.
type CheckoutHour struct {
	Hour    time.Time
	Created int
	Paid    int         // by the institution's time of payment
	Volume  money.Cents // of the paid checkouts
}

// countHours is the join that counts the hours of a row span (project_id, livemode, since,
// until).
const countHours = ` CROSS JOIN LATERAL (
	SELECT date_trunc('hour', at) AS hour, count(*) FILTER (WHERE NOT paid) AS created,
		count(*) FILTER (WHERE paid) AS paid, coalesce(sum(amount), 0)::bigint AS volume
	FROM (
		SELECT c.created_at AS at, false AS paid, 0::bigint AS amount FROM checkouts c
		WHERE c.project_id = span.project_id AND c.livemode = span.livemode AND c.created_at >= span.since
			AND c.created_at < span.until
		UNION ALL
		SELECT c.paid_at, true, c.amount FROM checkouts c
		WHERE c.project_id = span.project_id AND c.livemode = span.livemode AND c.status = 'PAID'
			AND c.paid_at >= span.since AND c.paid_at < span.until
	) happened GROUP BY 1) h `

// CheckoutHours returns the hours of the scope from since on, which must be a whole hour, in
// no order and without empty ones. Hours that are rolled up are read, later ones are counted:
// one or two as a rule, more if the roll-up is late.
func CheckoutHours(ctx context.Context, q Querier, scope Scope, since time.Time) ([]CheckoutHour, error) {
	rows, err := q.Query(ctx, `SELECT hour, created, paid, volume FROM checkout_hours
		WHERE project_id = $1 AND livemode = $2 AND hour >= $3 AND hour < (SELECT until FROM checkout_hours_until)
		UNION ALL SELECT h.hour, h.created, h.paid, h.volume
		FROM (SELECT $1::text AS project_id, $2::boolean AS livemode, greatest(until, $3) AS since,
			'infinity'::timestamptz AS until
			FROM checkout_hours_until) span`+countHours, scope.ProjectID, scope.Environment, since)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[CheckoutHour])
}

const (
	// rolledUpAtOnce limits the time span that one transaction rolls up.
	rolledUpAtOnce = 24 * time.Hour
	// rolledUpBack is how far back the first roll-up goes: further than any page shows.
	rolledUpBack = 35 * 24 * time.Hour
	// settling is how long a transaction may take to commit a row after the row's time.
	settling = time.Minute
)

// RollUpHours counts the hours that have ended by now, at most one day of them, and counts
// again the hours for which a payment was recorded since. It reports whether there is more to
// do. If another process is rolling up, it does nothing.
func RollUpHours(tx *Tx, now time.Time) (more bool, err error) {
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		var until, recorded time.Time
		err := conn.QueryRow(ctx,
			"SELECT until, recorded FROM checkout_hours_until FOR UPDATE SKIP LOCKED").Scan(&until, &recorded)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		} else if err != nil {
			return err
		}
		ended := now.Add(-settling).Truncate(time.Hour)
		if first := ended.Add(-rolledUpBack); until.Before(first) { // the first roll-up
			until, recorded = first, first
		}
		next := until.Add(rolledUpAtOnce)
		if more = next.Before(ended); !more {
			next = ended
		}
		const write = `INSERT INTO checkout_hours (project_id, livemode, hour, created, paid, volume)
			SELECT span.project_id, span.livemode, h.hour, h.created, h.paid, h.volume FROM `
		const again = ` ON CONFLICT (project_id, livemode, hour) DO UPDATE
			SET created = EXCLUDED.created, paid = EXCLUDED.paid, volume = EXCLUDED.volume`
		if next.After(until) {
			_, err := conn.Exec(ctx,
				write+`(SELECT p.id AS project_id, l.livemode, $1::timestamptz AS since, $2::timestamptz AS until
				FROM projects p CROSS JOIN (VALUES (true), (false)) l (livemode)) span`+countHours+again, until, next)
			if err != nil {
				return err
			}
		} else {
			next = until
		}
		_, err = conn.Exec(ctx,
			write+`(SELECT DISTINCT c.project_id, c.livemode, date_trunc('hour', p.paid_at) AS since,
				date_trunc('hour', p.paid_at) + interval '1 hour' AS until
			FROM payments p JOIN checkouts c ON c.id = p.checkout_id
			WHERE p.recorded_at >= $1 AND p.settles AND p.paid_at < $2) span`+countHours+again, recorded, next)
		if err != nil {
			return err
		}
		_, err = conn.Exec(ctx, "UPDATE checkout_hours_until SET until = $1, recorded = greatest(recorded, $2)", next,
			now.Add(-settling))
		return err
	})
	return more, err
}
