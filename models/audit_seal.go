package models

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// sealedAtOnce limits the number of lines that one seal covers.
	sealedAtOnce = 1000
	// sealedLine is the length of a line in a seal: its id and its SHA-256, in bytes.
	sealedLine = 8 + sha256.Size
)

// AuditSeal covers the lines of the audit log after the previous seal, up to the line Through.
type AuditSeal struct {
	Number   int64 // from 1
	Through  int64 // the id of the last line
	Lines    []byte
	Hash     []byte // SHA-256 of the previous seal's hash (32 zeros for the first) and of Lines
	SealedAt time.Time
}

// Count returns how many lines the seal covers.
func (s *AuditSeal) Count() int { return len(s.Lines) / sealedLine }

// AuditSeals says how far the log is sealed. The zero value means not at all.
type AuditSeals struct {
	Number, Lines int64
	Through       int64
	ThroughAt     time.Time // when the line Through was written
	Hash          []byte
	SealedAt      time.Time
}

// sealedContent is the SQL expression for the hash of a line in its seal: the SHA-256 of all
// columns, in the text form of a jsonb array.
const sealedContent = `sha256(convert_to(jsonb_build_array(id, (extract(epoch FROM at) * 1000000)::bigint, actor,
	actor_role, account_id, action, object_id, detail, before, after, ip, request_id)::text, 'UTF8'))`

// SealAudit seals the next lines of the log, up to the id through and at most sealedAtOnce of
// them. It returns the seal, or nil if there is nothing to seal. through comes from
// DecidedAuditLines. A concurrent call waits until this transaction ends.
func SealAudit(tx *Tx, through int64, now time.Time) (seal *AuditSeal, err error) {
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		if _, err := conn.Exec(ctx, "LOCK TABLE audit_seals IN SHARE ROW EXCLUSIVE MODE"); err != nil {
			return err
		}
		last, err := lastSeal(ctx, conn)
		if err != nil {
			return err
		}
		lines, err := sealedLines(ctx, conn, last.Through, through, sealedAtOnce)
		if err != nil || len(lines) == 0 {
			return err
		}
		seal = &AuditSeal{
			Number: last.Number + 1, Through: lineID(lines[len(lines)-sealedLine:]), Lines: lines,
			Hash: sealHash(last.Hash, lines), SealedAt: now,
		}
		_, err = conn.Exec(ctx,
			"INSERT INTO audit_seals (number, through, lines, hash, sealed_at) VALUES ($1, $2, $3, $4, $5)",
			seal.Number, seal.Through, seal.Lines, seal.Hash, seal.SealedAt)
		return err
	})
	return seal, err
}

func lastSeal(ctx context.Context, q Querier) (last AuditSeal, err error) {
	rows, err := q.Query(ctx,
		"SELECT number, through, lines, hash, sealed_at FROM audit_seals ORDER BY number DESC LIMIT 1")
	if err != nil {
		return last, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[AuditSeal])
	if err != nil || len(found) == 0 {
		return last, err
	}
	return found[0], nil
}

// sealedLines returns the lines after one id up to another in the form of AuditSeal.Lines, at
// most limit of them; 0 means no limit.
func sealedLines(ctx context.Context, q Querier, after, through int64, limit int) (lines []byte, err error) {
	rows, err := q.Query(ctx, "SELECT id, "+sealedContent+
		" FROM audit_log WHERE id > $1 AND id <= $2 ORDER BY id LIMIT nullif($3, 0)", after, through, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var content []byte
		if err := rows.Scan(&id, &content); err != nil {
			return nil, err
		}
		lines = append(binary.BigEndian.AppendUint64(lines, uint64(id)), content...)
	}
	return lines, rows.Err()
}

func sealHash(before, lines []byte) []byte {
	if before == nil {
		before = make([]byte, sha256.Size)
	}
	hash := sha256.Sum256(slices.Concat(before, lines))
	return hash[:]
}

func lineID(line []byte) int64 { return int64(binary.BigEndian.Uint64(line)) }

// AuditSealed returns how far the log is sealed.
func AuditSealed(ctx context.Context, q Querier) (s AuditSeals, err error) {
	last, err := lastSeal(ctx, q)
	if err != nil || last.Number == 0 {
		return s, err
	}
	s = AuditSeals{Number: last.Number, Through: last.Through, ThroughAt: last.SealedAt, Hash: last.Hash,
		SealedAt: last.SealedAt}
	err = q.QueryRow(ctx,
		"SELECT sum(octet_length(lines) / $1), coalesce((SELECT at FROM audit_log WHERE id = $2), $3) FROM audit_seals",
		sealedLine, last.Through, last.SealedAt).Scan(&s.Lines, &s.ThroughAt)
	return s, err
}
