package models

import (
	"context"
	"fmt"
)

// BeginEventEpoch begins a new epoch of events if the current epoch has events of transactions
// whose numbers this PostgreSQL has not reached yet, because a backup was restored into a
// younger cluster. Without a new epoch, streams would send those events again when the numbers
// are reached. No event is rewritten. Every program calls it before it writes.
func BeginEventEpoch(ctx context.Context, db *DB) error {
	const foreign = `SELECT EXISTS (SELECT FROM projects p WHERE EXISTS (SELECT FROM events e
		WHERE e.project_id = p.id AND NOT e.livemode AND e.epoch = ` + eventEpoch + `
			AND e.tx >= pg_snapshot_xmax(pg_current_snapshot())))`
	var found bool
	if err := db.Pool.QueryRow(ctx, foreign).Scan(&found); err != nil {
		return fmt.Errorf("models: look for events of another PostgreSQL: %w", err)
	}
	if !found {
		return nil
	}
	err := db.InTx(ctx, func(tx *Tx) error {
		// While the table is locked, no transaction can write into the epoch that ends. Other
		// processes that start now wait, and then find nothing to do.
		if err := tx.exec("LOCK TABLE events IN ACCESS EXCLUSIVE MODE"); err != nil {
			return err
		}
		if err := tx.Scan(foreign, nil, &found); err != nil || !found {
			return err
		}
		var epoch int
		const next = "INSERT INTO event_epochs (epoch) SELECT max(epoch) + 1 FROM event_epochs RETURNING epoch"
		if err := tx.Scan(next, nil, &epoch); err != nil {
			return err
		}
		return tx.exec(fmt.Sprintf("ALTER TABLE events ALTER COLUMN epoch SET DEFAULT %d", epoch))
	})
	if err != nil {
		return fmt.Errorf("models: begin an epoch of events: %w", err)
	}
	return nil
}
