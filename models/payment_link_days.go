package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// writeLinkDays counts the whole days of spans (project_id, livemode, since, until), a table of a FROM clause, and
// writes them, also if they are there. It leaves visits alone, and does not read projects without links.
func writeLinkDays(spans string) string {
	return `INSERT INTO payment_link_days (payment_link_id, day, created, converted, paid, volume)
	SELECT h.payment_link_id, h.day, h.created, h.converted, h.paid, h.volume
	FROM ` + spans + ` span CROSS JOIN LATERAL (
		SELECT payment_link_id, ` + sqlDayOf("at") + ` AS day, count(*) FILTER (WHERE NOT paying) AS created,
			count(*) FILTER (WHERE NOT paying AND status = 'PAID') AS converted, count(*) FILTER (WHERE paying) AS paid,
			coalesce(sum(amount) FILTER (WHERE paying), 0)::bigint AS volume
		FROM (
			SELECT c.payment_link_id, c.created_at AS at, false AS paying, c.status, c.amount FROM checkouts c
			WHERE c.project_id = span.project_id AND c.livemode = span.livemode AND c.payment_link_id IS NOT NULL
				AND c.created_at >= span.since AND c.created_at < span.until
			UNION ALL
			SELECT c.payment_link_id, c.paid_at, true, c.status, c.amount FROM checkouts c
			WHERE c.project_id = span.project_id AND c.livemode = span.livemode AND c.payment_link_id IS NOT NULL
				AND c.status = 'PAID' AND c.paid_at >= span.since AND c.paid_at < span.until
		) happened GROUP BY 1, 2) h
	WHERE EXISTS (SELECT FROM payment_links l WHERE l.project_id = span.project_id AND l.livemode = span.livemode)
	ORDER BY 1, 2
	ON CONFLICT (payment_link_id, day) DO UPDATE SET created = EXCLUDED.created, converted = EXCLUDED.converted,
		paid = EXCLUDED.paid, volume = EXCLUDED.volume`
}

var (
	// writeEveryLinkDay writes the days from $1 to $2 of all links.
	writeEveryLinkDay = writeLinkDays(`(SELECT p.id AS project_id, l.livemode, $1::timestamptz AS since,
		$2::timestamptz AS until FROM projects p CROSS JOIN (VALUES (true), (false)) l (livemode))`)
	// writeLinkDaysAgain writes the days before $2 in which a charge of a link was paid, or was created, whose
	// payment was recorded since $1.
	writeLinkDaysAgain = writeLinkDays(`(SELECT DISTINCT c.project_id, c.livemode, d.day AS since,
			d.day + interval '24 hours' AS until
		FROM payments p JOIN checkouts c ON c.id = p.checkout_id CROSS JOIN LATERAL
			(VALUES (` + sqlDayOf("p.paid_at") + `), (` + sqlDayOf("c.created_at") + `)) d (day)
		WHERE p.recorded_at >= $1 AND p.settles AND c.payment_link_id IS NOT NULL AND d.day < $2)`)
	writeLinkDaysOfScope = writeLinkDays(`(SELECT $1::text AS project_id, $2::boolean AS livemode,
		$3::timestamptz AS since, $4::timestamptz AS until)`)
)

// RollUpLinkDays counts for all payment links the next day that has ended, the days to which a payment recorded
// since the last time belongs, and one more day of the past, back to the first link. It reports whether there is more
// to do. If another process is rolling up, it does nothing.
func RollUpLinkDays(tx *Tx, now time.Time) (more bool, err error) {
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		var since, until, recorded time.Time
		var first time.Time
		settled := now.Add(-settling)
		today := dayOf(settled)
		err := conn.QueryRow(ctx, `SELECT coalesce(since, $1), coalesce(until, $1), coalesce(recorded, $2),
				coalesce((SELECT min(created_at) FROM payment_links), $1)
			FROM payment_link_days_until FOR UPDATE SKIP LOCKED`, today, settled).
			Scan(&since, &until, &recorded, &first)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		} else if err != nil {
			return err
		}
		if until.Before(today) {
			next := until.Add(24 * time.Hour)
			if _, err := conn.Exec(ctx, writeEveryLinkDay, until, next); err != nil {
				return err
			}
			until = next
		}
		if _, err := conn.Exec(ctx, writeLinkDaysAgain, recorded, until); err != nil {
			return err
		}
		if since.After(first) {
			day := since.Add(-24 * time.Hour)
			if _, err := conn.Exec(ctx, writeEveryLinkDay, day, since); err != nil {
				return err
			}
			since = day
		}
		more = until.Before(today) || since.After(first)
		_, err = conn.Exec(ctx, `UPDATE payment_link_days_until
			SET since = $1, until = $2, recorded = greatest(recorded, $3)`, since, until, settled)
		return err
	})
	return more, err
}

// RecountLinkDays counts again the days of a scope from since on that are rolled up, for a transaction that wrote
// checkouts with times in the past. No day is rolled up until tx ends.
func RecountLinkDays(tx *Tx, scope Scope, since time.Time) error {
	return tx.PGX(func(ctx context.Context, conn Querier) error {
		var until *time.Time
		err := conn.QueryRow(ctx, "SELECT until FROM payment_link_days_until FOR UPDATE").Scan(&until)
		if err != nil || until == nil {
			return err
		}
		_, err = conn.Exec(ctx, writeLinkDaysOfScope, scope.ProjectID, scope.Environment, dayOf(since), until)
		return err
	})
}

// LinkVisits counts visits of a payment link's page on a day.
type LinkVisits struct {
	PaymentLinkID string
	Day           time.Time // when it began in Brasília
	N             int64
}

// NewLinkVisits returns n visits at a time.
func NewLinkVisits(paymentLinkID string, at time.Time, n int64) LinkVisits {
	return LinkVisits{PaymentLinkID: paymentLinkID, Day: dayOf(at), N: n}
}

// AddLinkVisits adds counts of visits to those that are stored.
func AddLinkVisits(ctx context.Context, q Querier, visits []LinkVisits) error {
	counted, err := json.Marshal(visits)
	if err != nil {
		return fmt.Errorf("models: visits of links: %w", err)
	}
	_, err = q.Exec(ctx, `INSERT INTO payment_link_days AS d (payment_link_id, day, visits)
		SELECT * FROM jsonb_to_recordset($1) AS t ("PaymentLinkID" text, "Day" timestamptz, "N" bigint)
		ORDER BY 1, 2
		ON CONFLICT (payment_link_id, day) DO UPDATE SET visits = d.visits + excluded.visits`, counted)
	return err
}
