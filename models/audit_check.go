package models

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/jackc/pgx/v5"
)

const (
	// sealsAtOnce limits the number of seals that are compared at a time.
	sealsAtOnce = 50
	// linesInTurn is the number of lines after which CheckAuditTurn leaves the rest to the next one.
	linesInTurn = 50_000
)

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

// CheckAudit compares the whole log with its seals, and each seal with the one before it, some seals at a time. It
// stops once it has found limit flaws.
func CheckAudit(ctx context.Context, q Querier, limit int) ([]AuditFlaw, error) {
	whole := auditCheck{q: q, before: noSeal}
	err := whole.run(ctx, func() bool { return len(whole.flaws) < limit })
	return whole.flaws[:min(len(whole.flaws), limit)], err
}

// CheckAuditTurn is CheckAudit for a part of the log: the latest seals, those in which the last examination found
// flaws, and those after its Reached, until they have linesInTurn lines. It returns at most limit flaws and the Reached
// of this examination, so that one examination after the other compares the whole log in turn.
func CheckAuditTurn(ctx context.Context, q Querier, last Examination, limit int) ([]AuditFlaw, int64, error) {
	return checkAuditTurn(ctx, q, last, limit, linesInTurn)
}

func checkAuditTurn(ctx context.Context, q Querier, last Examination, limit, lines int) (flaws []AuditFlaw,
	reached int64, err error) {
	turn, err := newAuditCheck(ctx, q, last.Reached)
	if err != nil {
		return nil, 0, err
	}
	err = turn.run(ctx, func() bool { return turn.lines < lines && len(turn.flaws) < limit })
	if err != nil {
		return nil, 0, err
	}
	if !turn.ended {
		reached = turn.before.Number
	}
	latest, err := checkLatestSeals(ctx, q, last.Reached, turn)
	if err != nil {
		return nil, 0, err
	}
	known, err := checkKnownFlaws(ctx, q, last.Flaws)
	if err != nil {
		return nil, 0, err
	}
	for _, flaw := range slices.Concat(turn.flaws, latest, known) {
		if len(flaws) < limit && !slices.Contains(flaws, flaw) {
			flaws = append(flaws, flaw)
		}
	}
	return flaws, reached, nil
}

// checkLatestSeals compares the newest sealsAtOnce seals with the log. It skips those that turn, which started after
// the seal number began, has compared already.
func checkLatestSeals(ctx context.Context, q Querier, began int64, turn *auditCheck) ([]AuditFlaw, error) {
	last, err := lastSeal(ctx, q)
	if err != nil {
		return nil, err
	}
	after := max(last.Number-sealsAtOnce, 0)
	if began <= after {
		after = max(after, turn.before.Number)
	}
	latest, err := newAuditCheck(ctx, q, after)
	if err != nil {
		return nil, err
	}
	err = latest.next(ctx, sealsAtOnce)
	return latest.flaws, err
}

// checkKnownFlaws compares the seals that flaws of an examination are about.
func checkKnownFlaws(ctx context.Context, q Querier, flaws []string) (found []AuditFlaw, err error) {
	for _, text := range flaws {
		flaw, err := ParseAuditFlaw(text)
		if err != nil {
			continue // not written by this program
		}
		seal := flaw.ID
		if flaw.What != AuditSealChanged && flaw.What != AuditSealMissing {
			err = q.QueryRow(ctx, `SELECT coalesce((SELECT number FROM audit_seals WHERE through >= $1
				ORDER BY through LIMIT 1), (SELECT max(number) FROM audit_seals), 1)`, flaw.ID).Scan(&seal)
			if err != nil {
				return nil, err
			}
		}
		again, err := newAuditCheck(ctx, q, max(seal-1, 0))
		if err == nil {
			err = again.next(ctx, 1)
		}
		if err != nil {
			return nil, err
		}
		found = append(found, again.flaws...)
	}
	return found, nil
}

// noSeal stands before the first seal. Only the database's owner can write a line's id below 1.
var noSeal = AuditSeal{Through: math.MinInt64}

// auditCheck compares seals in their order.
type auditCheck struct {
	q      Querier
	before AuditSeal // the last one that was compared
	lines  int       // that were compared
	ended  bool      // after the last seal
	flaws  []AuditFlaw
}

// newAuditCheck returns a check of the seals after a number.
func newAuditCheck(ctx context.Context, q Querier, number int64) (*auditCheck, error) {
	c := &auditCheck{q: q, before: noSeal}
	if number == 0 {
		return c, nil
	}
	seals, err := sealsFrom(ctx, q, number, 1)
	if err != nil {
		return nil, err
	}
	// Without the seal of that number the next one reports that it is missing.
	c.before.Number = number - 1
	if len(seals) == 1 && seals[0].Number == number {
		c.before = seals[0]
	}
	return c, nil
}

// run compares seals until there are no more, or more reports false.
func (c *auditCheck) run(ctx context.Context, more func() bool) error {
	for more() && !c.ended {
		if err := c.next(ctx, sealsAtOnce); err != nil {
			return err
		}
	}
	return nil
}

// next compares the next seals, at most count of them.
func (c *auditCheck) next(ctx context.Context, count int) error {
	seals, err := sealsFrom(ctx, c.q, c.before.Number+1, count)
	if err != nil {
		return err
	}
	if c.ended = len(seals) < count; len(seals) == 0 {
		return nil
	}
	after, through := c.before.Through, int64(math.MinInt64)
	if c.before.Number > 0 && c.before.Hash == nil { // what came before is unknown
		after = seals[0].firstLine() - 1
	}
	for _, seal := range seals {
		through = max(through, seal.Through)
	}
	stand, err := sealedLines(ctx, c.q, after, through, 0)
	if err != nil {
		return err
	}
	for _, seal := range seals {
		c.flaws = append(c.flaws, checkSeal(c.before, seal, stand)...)
		c.before = seal
		c.lines += seal.Count()
	}
	return nil
}

// sealsFrom returns the seals from a number on, at most count of them.
func sealsFrom(ctx context.Context, q Querier, number int64, count int) ([]AuditSeal, error) {
	rows, err := q.Query(ctx, `SELECT number, through, lines, hash, sealed_at FROM audit_seals
		WHERE number >= $1 ORDER BY number LIMIT $2`, number, count)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[AuditSeal])
}

// firstLine returns the id of the first line that s covers, or Through if s was changed so that it covers none.
func (s *AuditSeal) firstLine() int64 {
	if len(s.Lines) < sealedLine {
		return s.Through
	}
	return lineID(s.Lines)
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
