package models

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// AuditStream says how far the audit log was handed to its receiver.
type AuditStream struct {
	Seal         int64 // the last seal that the receiver has; 0 for none
	SentAt       *time.Time
	FailingSince *time.Time // nil if the last attempt succeeded
	Failure      string     // of the last attempt
}

// LeaseAuditStream reserves the streaming for holder until the lease ends. It returns nil if another holder has it,
// or if the pause after a failure lasts.
func LeaseAuditStream(ctx context.Context, q Querier, holder string, now, until time.Time) (*AuditStream, error) {
	stream, err := one[AuditStream](ctx, q, `INSERT INTO audit_stream AS s (seal, leased_by, leased_until)
		VALUES (0, $1, $3)
		ON CONFLICT (one) DO UPDATE SET leased_by = $1, leased_until = $3 WHERE s.leased_until <= $2
		RETURNING seal, sent_at, failing_since, failure`, holder, now, until)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return stream, err
}

// SaveAuditStream records that the receiver has the seal, and extends the lease. It reports false if the holder has
// lost the lease.
func SaveAuditStream(ctx context.Context, q Querier, holder string, seal int64, now, until time.Time) (saved bool,
	err error) {
	tag, err := q.Exec(ctx, `UPDATE audit_stream SET seal = $2, sent_at = $3, leased_until = $4, failing_since = NULL,
		failure = '' WHERE leased_by = $1`, holder, seal, now, until)
	return tag.RowsAffected() == 1, err
}

// FailAuditStream records a failure and begins a pause, unless the holder has lost the lease.
func FailAuditStream(ctx context.Context, q Querier, holder, failure string, now, until time.Time) error {
	_, err := q.Exec(ctx, `UPDATE audit_stream SET failing_since = coalesce(failing_since, $3), failure = $2,
		leased_until = $4 WHERE leased_by = $1`, holder, failure, now, until)
	return err
}

// ReleaseAuditStream ends the holder's lease, if it still has it.
func ReleaseAuditStream(ctx context.Context, q Querier, holder string, now time.Time) error {
	_, err := q.Exec(ctx, "UPDATE audit_stream SET leased_until = least(leased_until, $2) WHERE leased_by = $1", holder,
		now)
	return err
}

// AuditStreamLag returns how far the log was streamed, and the lines that the receiver does not have yet.
func AuditStreamLag(ctx context.Context, q Querier) (s AuditStream, w Waiting, err error) {
	found, err := one[AuditStream](ctx, q, "SELECT seal, sent_at, failing_since, failure FROM audit_stream")
	if err != nil && !errors.Is(err, ErrNotFound) {
		return s, w, err
	}
	if err == nil {
		s = *found
	}
	err = q.QueryRow(ctx, `SELECT count(*), min(at) FROM (
			SELECT at FROM audit_log WHERE id > coalesce(
				(SELECT through FROM audit_seals WHERE number <= $1 ORDER BY number DESC LIMIT 1), 0)
			ORDER BY id LIMIT $2
		) waiting`, s.Seal, HealthCountsTo).Scan(&w.Count, &w.Oldest)
	return s, w, err
}

// AuditSealDue reports whether there are lines without a seal, and the last seal was made before a time.
func AuditSealDue(ctx context.Context, q Querier, before time.Time) (due bool, err error) {
	err = q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM audit_log WHERE id > coalesce(max(through), 0))
			AND coalesce(max(sealed_at) < $1, true)
		FROM (SELECT through, sealed_at FROM audit_seals ORDER BY number DESC LIMIT 1) last`, before).Scan(&due)
	return due, err
}

// SealedAuditLine is a line of the audit log under a seal, with all that the seal covers.
type SealedAuditLine struct {
	ID                    int64
	At                    time.Time
	Actor, ActorRole      string
	AccountID             *string
	Action, ObjectID      string
	Detail, Before, After json.RawMessage
	IP, RequestID         string
	Sealed                []byte `db:"-"` // the SHA-256 of the line when it was sealed
}

// AuditSealAfter returns the seal that follows the one with a number, or nil; the hash of the one before it; and the
// lines that it covers and that still exist, in order.
func AuditSealAfter(ctx context.Context, q Querier, number int64) (seal *AuditSeal, previous []byte,
	lines []SealedAuditLine, err error) {
	rows, err := q.Query(ctx, `SELECT number, through, lines, hash, sealed_at FROM audit_seals WHERE number > $1
		ORDER BY number LIMIT 1`, number)
	if err != nil {
		return nil, nil, nil, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[AuditSeal])
	if err != nil || len(found) == 0 {
		return nil, nil, nil, err
	}
	seal = &found[0]
	err = notFound(q.QueryRow(ctx, "SELECT hash FROM audit_seals WHERE number = $1", seal.Number-1).Scan(&previous))
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, nil, nil, err
	}
	sealed := map[int64][]byte{}
	var ids []int64
	for rest := seal.Lines; len(rest) >= sealedLine; rest = rest[sealedLine:] {
		ids = append(ids, lineID(rest))
		sealed[lineID(rest)] = rest[8:sealedLine]
	}
	lines, err = collect[SealedAuditLine](ctx, q, `SELECT id, at, actor, actor_role, account_id, action, object_id,
		detail, before, after, ip, request_id FROM audit_log WHERE id = ANY($1) ORDER BY id`, ids)
	for i := range lines {
		lines[i].Sealed = sealed[lines[i].ID]
	}
	return seal, previous, lines, err
}
