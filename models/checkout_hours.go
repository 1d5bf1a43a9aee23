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
	// Converted is how many of the Created are paid by now.
	Converted int
}

// countHours is the join that counts the hours of a row span (project_id, livemode, since,
// until).
const countHours = ` CROSS JOIN LATERAL (
	SELECT date_trunc('hour', at) AS hour, count(*) FILTER (WHERE what = 'created') AS created,
		count(*) FILTER (WHERE what = 'paid') AS paid,
		coalesce(sum(amount) FILTER (WHERE what = 'paid'), 0)::bigint AS volume,
		count(*) FILTER (WHERE what = 'converted') AS converted,
		coalesce(sum(amount) FILTER (WHERE what = 'created'), 0)::bigint AS created_volume,
		coalesce(sum(amount) FILTER (WHERE what = 'converted'), 0)::bigint AS converted_volume
	FROM (
		SELECT c.created_at AS at, 'created' AS what, c.amount FROM checkouts c
		WHERE c.project_id = span.project_id AND c.livemode = span.livemode AND c.created_at >= span.since
			AND c.created_at < span.until
		UNION ALL
		SELECT c.created_at, 'converted', c.amount FROM checkouts c
		WHERE c.project_id = span.project_id AND c.livemode = span.livemode AND c.status = 'PAID'
			AND c.created_at >= span.since AND c.created_at < span.until
		UNION ALL
		SELECT c.paid_at, 'paid', c.amount FROM checkouts c
		WHERE c.project_id = span.project_id AND c.livemode = span.livemode AND c.status = 'PAID'
			AND c.paid_at >= span.since AND c.paid_at < span.until
	) happened GROUP BY 1) h `

// CheckoutHours returns the hours of the scope from since to before until, which must be whole
// hours, in no order and without empty ones. Hours that are rolled up are read, later ones are
// counted: one or two as a rule, more if the roll-up is late.
func CheckoutHours(ctx context.Context, q Reader, scope Scope, since, until time.Time) ([]CheckoutHour, error) {
	rows, err := q.Query(ctx, `SELECT hour, created, paid, volume, converted FROM checkout_hours
		WHERE project_id = $1 AND livemode = $2 AND hour >= $3 AND hour < $4
			AND hour < (SELECT until FROM checkout_hours_until)
		UNION ALL SELECT h.hour, h.created, h.paid, h.volume, h.converted
		FROM (SELECT $1::text AS project_id, $2::boolean AS livemode, greatest(until, $3) AS since,
			$4::timestamptz AS until
			FROM checkout_hours_until) span`+countHours, scope.ProjectID, scope.Environment, since, until)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[CheckoutHour])
}

const (
	// rolledUpAtOnce limits the time span that one transaction rolls up.
	rolledUpAtOnce = 24 * time.Hour
	// rolledUpBack is how far back the first roll-up begins, so that pages soon show some weeks.
	rolledUpBack = 35 * 24 * time.Hour
	// summedBack is how far back sumBack goes then: further than any chart and what it is compared with.
	summedBack = 190 * 24 * time.Hour
	// settling is how long a transaction may take to commit a row after the row's time.
	settling = time.Minute
)

// writeHours writes the counted hours of the spans that follow, and hoursAgain replaces those that
// are there.
const (
	writeHours = `INSERT INTO checkout_hours (project_id, livemode, hour, created, paid, volume, converted,
		created_volume, converted_volume)
	SELECT span.project_id, span.livemode, h.hour, h.created, h.paid, h.volume, h.converted, h.created_volume,
		h.converted_volume FROM `
	hoursAgain = ` ON CONFLICT (project_id, livemode, hour) DO UPDATE
	SET created = EXCLUDED.created, paid = EXCLUDED.paid, volume = EXCLUDED.volume,
		converted = EXCLUDED.converted, created_volume = EXCLUDED.created_volume,
		converted_volume = EXCLUDED.converted_volume`
	// everySpan is the row of every project and environment for the time from $1 to $2.
	everySpan = `(SELECT p.id AS project_id, l.livemode, $1::timestamptz AS since, $2::timestamptz AS until
		FROM projects p CROSS JOIN (VALUES (true), (false)) l (livemode)) span`
)

// RollUpHours counts the hours that have ended by now, at most one day of them, and counts
// again the hours for which a payment was recorded since, and those in which what it pays was
// created. It reports whether there is more to do. If another process is rolling up, it does nothing.
func RollUpHours(tx *Tx, now time.Time) (more bool, err error) {
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		var until, recorded, converted time.Time
		err := conn.QueryRow(ctx, `SELECT until, recorded, converted FROM checkout_hours_until
			FOR UPDATE SKIP LOCKED`).Scan(&until, &recorded, &converted)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		} else if err != nil {
			return err
		}
		ended := now.Add(-settling).Truncate(time.Hour)
		if first := ended.Add(-rolledUpBack); until.Before(first) { // the first roll-up
			until, recorded = first, first
		}
		if converted.Before(ended.Add(-rolledUpBack)) {
			converted = ended.Add(-rolledUpBack)
		}
		next := until.Add(rolledUpAtOnce)
		if more = next.Before(ended); !more {
			next = ended
		}
		if next.After(until) {
			_, err := conn.Exec(ctx, writeHours+everySpan+countHours+hoursAgain, until, next)
			if err != nil {
				return err
			}
		} else {
			next = until
		}
		_, err = conn.Exec(ctx,
			writeHours+`(SELECT DISTINCT c.project_id, c.livemode, date_trunc('hour', p.paid_at) AS since,
				date_trunc('hour', p.paid_at) + interval '1 hour' AS until
			FROM payments p JOIN checkouts c ON c.id = p.checkout_id
			WHERE p.recorded_at >= $1 AND p.settles AND p.paid_at < $2) span`+countHours+hoursAgain, recorded, next)
		if err != nil {
			return err
		}
		through, late, err := countConverted(ctx, conn, converted, next, now)
		if err != nil {
			return err
		}
		older, err := sumBack(ctx, conn, until, next, ended.Add(-summedBack))
		if err != nil {
			return err
		}
		more = more || late || older
		_, err = conn.Exec(ctx, `UPDATE checkout_hours_until
			SET until = $1, recorded = greatest(recorded, $2), converted = greatest(converted, $3)`, next,
			now.Add(-settling), through)
		return err
	})
	return more, err
}

// countConverted counts again the hours before until whose checkouts were paid by payments that
// were recorded since a moment, of at most a day. It returns through when these are counted, and
// reports whether there are later ones.
func countConverted(ctx context.Context, conn Querier, since, until, now time.Time) (through time.Time, more bool,
	err error) {
	through, before := now.Add(-settling), now.Add(rolledUpAtOnce)
	if day := since.Add(rolledUpAtOnce); day.Before(through) {
		through, before, more = day, day, true
	}
	_, err = conn.Exec(ctx,
		writeHours+`(SELECT DISTINCT c.project_id, c.livemode, date_trunc('hour', c.created_at) AS since,
			date_trunc('hour', c.created_at) + interval '1 hour' AS until
		FROM payments p JOIN checkouts c ON c.id = p.checkout_id
		WHERE p.recorded_at >= $1 AND p.recorded_at < $2 AND p.settles AND c.created_at < $3) span`+
			countHours+hoursAgain, since, before, until)
	return through, more, err
}

// sumBack extends the hours that have sums: by those from until to next, which were just written, by at most a
// day that a program without sums wrote, and by at most a day into the past, back to floor. It reports whether
// there is more to do.
func sumBack(ctx context.Context, conn Querier, until, next, floor time.Time) (more bool, err error) {
	var from, to time.Time
	err = conn.QueryRow(ctx, "SELECT coalesce(summed_from, $1), coalesce(summed_until, $1) FROM checkout_hours_until",
		until).Scan(&from, &to)
	if err != nil {
		return false, err
	}
	count := func(since, until time.Time) error {
		if !since.Before(until) {
			return nil
		}
		_, err := conn.Exec(ctx, writeHours+everySpan+countHours+hoursAgain, since, until)
		return err
	}
	if to.Equal(until) {
		to = next
	} else {
		day := to.Add(rolledUpAtOnce)
		if day.After(next) {
			day = next
		}
		if err := count(to, day); err != nil {
			return false, err
		}
		to = day
	}
	if day := from.Add(-rolledUpAtOnce); from.After(floor) {
		if day.Before(floor) {
			day = floor
		}
		if err := count(day, from); err != nil {
			return false, err
		}
		from = day
	}
	_, err = conn.Exec(ctx, "UPDATE checkout_hours_until SET summed_from = $1, summed_until = $2", from, to)
	return to.Before(next) || from.After(floor), err
}

// RecountHours counts again the hours of a scope from since on that are rolled up, for a transaction that wrote
// checkouts with times in the past. No hour is rolled up until tx ends.
func RecountHours(tx *Tx, scope Scope, since time.Time) error {
	return tx.PGX(func(ctx context.Context, conn Querier) error {
		var until time.Time
		err := conn.QueryRow(ctx, "SELECT until FROM checkout_hours_until FOR UPDATE").Scan(&until)
		if err != nil {
			return err
		}
		_, err = conn.Exec(ctx, writeHours+`(SELECT $1::text AS project_id, $2::boolean AS livemode,
			$3::timestamptz AS since, $4::timestamptz AS until) span`+countHours+hoursAgain,
			scope.ProjectID, scope.Environment, since.Truncate(time.Hour), until)
		return err
	})
}
