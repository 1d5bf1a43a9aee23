package models

import (
	"context"
	"fmt"
)

// presenceClass is the class of advisory locks of HoldPresence.
const presenceClass = 0x6761726f // "garo"

// HoldPresence shows to all processes of this database, until ctx ends or the connection is
// lost, that the process with this name is running. It calls held once that is visible. It
// uses its own connection, and an advisory lock that PostgreSQL drops with the connection:
// other processes see at once, without a clock, that a killed process is gone. The lock is
// shared, so that a process that lost its connection does not wait for the old lock.
func HoldPresence(ctx context.Context, db *DB, name string, held func()) error {
	c, err := db.ownConnection(ctx, db.Pool)
	if err != nil {
		return fmt.Errorf("models: hold presence: %w", err)
	}
	defer c.close()
	if err := c.exec(ctx, "SELECT pg_advisory_lock_shared($1, hashtext($2))", presenceClass, name); err != nil {
		return fmt.Errorf("models: hold presence: %w", err)
	}
	held()
	return fmt.Errorf("models: hold presence: %w", c.wait(ctx, func(string) {}))
}

// ReleaseJobs returns the jobs of the processes in gone to the queue, if they are absent now
// too. It returns the names of the processes that run jobs or lead River's maintenance and are
// absent now. self is the calling process, which is never absent.
func ReleaseJobs(ctx context.Context, q Querier, self string, gone []string) (absent []string, err error) {
	err = q.QueryRow(ctx, `WITH present AS (
			SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objsubid = 2 AND granted
				AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
		), working AS (
			SELECT DISTINCT attempted_by[array_upper(attempted_by, 1)] AS process FROM river_job WHERE state = 'running'
			UNION SELECT leader_id FROM river_leader
		), gone AS (
			SELECT process FROM working
			WHERE process <> $3 AND (hashtext(process)::bigint & 4294967295)::oid NOT IN (SELECT objid FROM present)
		), released AS (
			UPDATE river_job SET state = 'available' FROM gone
			WHERE state = 'running' AND attempted_by[array_upper(attempted_by, 1)] = gone.process
				AND gone.process = ANY($2)
		), resigned AS (
			DELETE FROM river_leader USING gone WHERE leader_id = gone.process AND gone.process = ANY($2)
		)
		SELECT coalesce(array_agg(process), '{}') FROM gone`, presenceClass, gone, self).Scan(&absent)
	return absent, err
}
