package models

import (
	"context"
	"time"
)

// AuditCount says how often something happened in a minute, by its source: a person, an address, a
// key, or all of them together.
type AuditCount struct {
	Source string
	Minute time.Time
	Count  int64
}

// CountForAudit counts one more occurrence for each source in the minute of now, and returns their
// counts. It is for occurrences that a stranger can cause in floods: the caller writes a line of the
// audit log only for the first of a minute.
func CountForAudit(tx *Tx, sources []string, now time.Time) ([]AuditCount, error) {
	return within(tx, func(ctx context.Context, q Querier) ([]AuditCount, error) {
		return collect[AuditCount](ctx, q, `INSERT INTO audit_counts (source, minute, count)
			SELECT DISTINCT source, $2::timestamptz, 1 FROM unnest($1::text[]) AS t (source) ORDER BY source
			ON CONFLICT (source, minute) DO UPDATE SET count = audit_counts.count + 1
			RETURNING source, minute, count`, sources, now.Truncate(time.Minute))
	})
}

// TakeAuditCounts deletes counts of minutes that have ended by now and returns them, at most limit.
func TakeAuditCounts(tx *Tx, now time.Time, limit int) ([]AuditCount, error) {
	return within(tx, func(ctx context.Context, q Querier) ([]AuditCount, error) {
		return collect[AuditCount](ctx, q, `DELETE FROM audit_counts WHERE (source, minute) IN (
				SELECT source, minute FROM audit_counts WHERE minute < $1 ORDER BY minute, source LIMIT $2
				FOR UPDATE SKIP LOCKED
			) RETURNING source, minute, count`, now.Truncate(time.Minute), limit)
	})
}
