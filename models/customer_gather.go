package models

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// gatheredAtOnce limits the time span of the charges that one transaction gathers: a removal of a buyer waits
	// for it.
	gatheredAtOnce = time.Hour
	// gatheredAgain is how long before the last run each run begins: a checkout at a bank may be written some
	// minutes after its time. What is written later is gathered when it is paid.
	gatheredAgain = 15 * time.Minute
)

// gathering returns the statement that writes the customers of checkouts c.
func gathering(checkouts string) string {
	return `INSERT INTO customers (project_id, livemode, key, checkout_id, last_at, name, email)
	SELECT DISTINCT ON (c.project_id, c.livemode, n.key) c.project_id, c.livemode, n.key, c.id, c.created_at,
		c.customer_name, c.customer_email
	FROM ` + checkouts + ` CROSS JOIN LATERAL (SELECT ` + customerKey + ` AS key) n
	WHERE n.key IS NOT NULL ORDER BY c.project_id, c.livemode, n.key, c.created_at DESC, c.id DESC
	ON CONFLICT (project_id, livemode, key) DO UPDATE SET checkout_id = EXCLUDED.checkout_id,
		last_at = EXCLUDED.last_at, name = EXCLUDED.name, email = EXCLUDED.email
	WHERE (EXCLUDED.last_at, EXCLUDED.checkout_id) > (customers.last_at, customers.checkout_id)`
}

// GatherCustomers writes the customers of charges that were created or paid since the last run, at most an hour of
// them, and of one more hour of older charges. It reports whether there is more to do. Gathering a charge twice changes
// nothing. If another process gathers, it does nothing.
func GatherCustomers(tx *Tx, now time.Time) (more bool, err error) {
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		ended := now.Add(-settling)
		var since, until time.Time
		err := conn.QueryRow(ctx, `SELECT coalesce(since, $1), coalesce(until, $1) FROM customers_until
			FOR UPDATE SKIP LOCKED`, ended).Scan(&since, &until)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		} else if err != nil {
			return err
		}
		next := earlier(until.Add(gatheredAtOnce), later(until, ended))
		if err := gatherSpan(ctx, conn, until.Add(-gatheredAgain), next); err != nil {
			return err
		}
		paidUntil := now
		if next.Before(ended) { // the run that catches up reads each payment once
			paidUntil = next
		}
		if err := gatherPaid(ctx, conn, until.Add(-gatheredAgain), paidUntil); err != nil {
			return err
		}
		before, older, err := gatherBack(ctx, conn, since)
		if err != nil {
			return err
		}
		more = next.Before(ended) || older
		_, err = conn.Exec(ctx, "UPDATE customers_until SET since = $1, until = $2", before, next)
		return err
	})
	return more, err
}

func gatherSpan(ctx context.Context, conn Querier, since, until time.Time) error {
	_, err := conn.Exec(ctx, gathering(everySpan+` CROSS JOIN LATERAL (SELECT c.* FROM checkouts c
		WHERE c.project_id = span.project_id AND c.livemode = span.livemode AND c.created_at >= span.since
			AND c.created_at < span.until) c`), since, until)
	return err
}

// gatherPaid gathers the charges that were paid since a moment.
func gatherPaid(ctx context.Context, conn Querier, since, until time.Time) error {
	_, err := conn.Exec(ctx, gathering(`(SELECT c.* FROM payments p JOIN checkouts c ON c.id = p.checkout_id
		WHERE p.recorded_at >= $1 AND p.recorded_at <= $2 AND p.settles) c`), since, until)
	return err
}

// gatherBack gathers the charges of the last hour before since in which there are any. It returns the beginning of
// that hour, and reports whether there may be earlier charges.
func gatherBack(ctx context.Context, conn Querier, since time.Time) (before time.Time, more bool, err error) {
	last, err := latestBefore(ctx, conn, since)
	if err != nil || last == nil {
		return since, false, err
	}
	before = last.Add(-gatheredAtOnce)
	return before, true, gatherSpan(ctx, conn, before, since)
}

// GatherAgain makes GatherCustomers begin anew at a moment, for a transaction that wrote checkouts with times in the
// past.
func GatherAgain(tx *Tx, since time.Time) error {
	return tx.exec("UPDATE customers_until SET until = least(until, $1)", since)
}
