package models

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	// sealedAtOnce limits the number of lines that one seal covers.
	sealedAtOnce = 1000
	// sealsAtOnce limits the number of seals that are compared at a time.
	sealsAtOnce = 100
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

// AuditFlaw is one disagreement of the log with its seals. What is one of the Audit constants.
type AuditFlaw struct {
	What string
	ID   int64 // of the line, or the number of the seal
}

// The values of AuditFlaw.What.
const (
	AuditLineChanged = "line_changed"
	AuditLineMissing = "line_missing"
	AuditLineAdded   = "line_added" // after its seal was made
	AuditSealChanged = "seal_changed"
	AuditSealMissing = "seal_missing"
)

// String returns f in the form that ParseAuditFlaw reads.
func (f AuditFlaw) String() string { return f.What + " " + strconv.FormatInt(f.ID, 10) }

// ParseAuditFlaw parses the result of String.
func ParseAuditFlaw(text string) (f AuditFlaw, err error) {
	_, err = fmt.Sscanf(text, "%s %d", &f.What, &f.ID)
	return f, err
}

// CheckAudit compares the log with its seals, and each seal with the one before it. It reads
// the whole log, some seals at a time, and stops once it has found limit flaws.
func CheckAudit(ctx context.Context, q Querier, limit int) (flaws []AuditFlaw, err error) {
	before := AuditSeal{Through: math.MinInt64} // only the database's owner can write an id below 1
	for len(flaws) < limit {
		rows, err := q.Query(ctx, `SELECT number, through, lines, hash, sealed_at FROM audit_seals
			WHERE number > $1 ORDER BY number LIMIT $2`, before.Number, sealsAtOnce)
		if err != nil {
			return nil, err
		}
		seals, err := pgx.CollectRows(rows, pgx.RowToStructByPos[AuditSeal])
		if err != nil {
			return nil, err
		}
		if len(seals) == 0 {
			return flaws, nil
		}
		through := before.Through
		for _, seal := range seals {
			through = max(through, seal.Through)
		}
		stand, err := sealedLines(ctx, q, before.Through, through, 0)
		if err != nil {
			return nil, err
		}
		for _, seal := range seals {
			flaws = append(flaws, checkSeal(before, seal, stand)...)
			before = seal
		}
	}
	return flaws[:limit], nil
}

// checkSeal compares a seal with the one before it and with the lines that it covers. stand has the current lines
// around it.
func checkSeal(before, seal AuditSeal, stand []byte) (flaws []AuditFlaw) {
	if len(seal.Lines) == 0 || len(seal.Lines)%sealedLine != 0 {
		return []AuditFlaw{{AuditSealChanged, seal.Number}}
	}
	after := before.Through
	if seal.Number != before.Number+1 {
		flaws = append(flaws, AuditFlaw{AuditSealMissing, before.Number + 1})
		after = lineID(seal.Lines) - 1 // the lines between are unknown
	} else if !bytes.Equal(seal.Hash, sealHash(before.Hash, seal.Lines)) ||
		lineID(seal.Lines[len(seal.Lines)-sealedLine:]) != seal.Through {
		flaws = append(flaws, AuditFlaw{AuditSealChanged, seal.Number})
	}
	from := linesUpTo(stand, after)
	return append(flaws, compareLines(seal.Lines, stand[from:max(from, linesUpTo(stand, seal.Through))])...)
}

// linesUpTo returns the length of the lines with ids up to one, in bytes.
func linesUpTo(lines []byte, id int64) int {
	return sealedLine * sort.Search(len(lines)/sealedLine,
		func(i int) bool { return lineID(lines[i*sealedLine:]) > id })
}

// compareLines compares the sealed lines with the current ones, both ordered by id.
func compareLines(sealed, stand []byte) (flaws []AuditFlaw) {
	for len(sealed)+len(stand) > 0 {
		switch {
		case len(stand) == 0 || len(sealed) > 0 && lineID(sealed) < lineID(stand):
			flaws, sealed = append(flaws, AuditFlaw{AuditLineMissing, lineID(sealed)}), sealed[sealedLine:]
		case len(sealed) == 0 || lineID(stand) < lineID(sealed):
			flaws, stand = append(flaws, AuditFlaw{AuditLineAdded, lineID(stand)}), stand[sealedLine:]
		default:
			if !bytes.Equal(sealed[:sealedLine], stand[:sealedLine]) {
				flaws = append(flaws, AuditFlaw{AuditLineChanged, lineID(sealed)})
			}
			sealed, stand = sealed[sealedLine:], stand[sealedLine:]
		}
	}
	return flaws
}
