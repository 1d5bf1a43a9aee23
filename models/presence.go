package models

import (
	"context"
	"fmt"
)

// presenceClass sets the locks that HoldPresence takes apart from all others.
const presenceClass = 0x6761726f // "garo"

// HoldPresence shows to every process of this database that the one with this name
// lives, until ctx ends or the connection is lost; held is called once it does. It
// holds a connection of its own, and a lock that PostgreSQL drops with it: a process
// that is killed is known to be dead at once, without a clock.
func HoldPresence(ctx context.Context, db *DB, name string, held func()) error {
	pooled, err := db.Pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("models: hold presence: %w", err)
	}
	conn := pooled.Hijack() // its lock must not return to the pool
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1, hashtext($2))", presenceClass, name); err != nil {
		return fmt.Errorf("models: hold presence: %w", err)
	}
	held()
	for {
		if _, err := conn.WaitForNotification(ctx); err != nil { // none is listened to: it ends with the connection
			return fmt.Errorf("models: hold presence: %w", err)
		}
	}
}

// ReleaseJobs gives jobs back to the queue whose process is absent, and was so
// before: named in absent. It returns the processes that run jobs, or lead River's
// maintenance, and are absent now.
func ReleaseJobs(ctx context.Context, q Querier, absent []string) (absentNow []string, err error) {
	err = q.QueryRow(ctx, `WITH present AS (
			SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objsubid = 2 AND granted
				AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		), working AS (
			SELECT DISTINCT attempted_by[array_upper(attempted_by, 1)] AS process FROM river_job WHERE state = 'running'
			UNION SELECT leader_id FROM river_leader
		), gone AS (
			SELECT process FROM working
			WHERE (hashtext(process)::bigint & 4294967295)::oid NOT IN (SELECT objid FROM present)
		), released AS (
			UPDATE river_job SET state = 'available' FROM gone
			WHERE state = 'running' AND attempted_by[array_upper(attempted_by, 1)] = gone.process AND gone.process = ANY($2)
		), resigned AS (
			DELETE FROM river_leader USING gone WHERE leader_id = gone.process AND gone.process = ANY($2)
		)
		SELECT coalesce(array_agg(process), '{}') FROM gone`, presenceClass, absent).Scan(&absentNow)
	return absentNow, err
}
