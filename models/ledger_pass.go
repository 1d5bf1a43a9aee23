package models

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// comparedAtOnce limits the subjects that one statement compares.
const comparedAtOnce = 2_000

// LedgerPass is the progress of a pass over the whole history of the books. The zero value is
// its beginning.
type LedgerPass struct {
	Stage    int
	After    string // position within the stage
	Compared int64  // number of subjects and transfers so far
}

// passStages are the parts of a pass: the kind of subjects that each compares, and the query
// for the next of them, after $1 and at most $2.
var passStages = []struct {
	kind SubjectKind
	next string
}{
	{SubjectPayment, "SELECT id FROM payments WHERE id > $1 ORDER BY id LIMIT $2"},
	{SubjectCheckout, "SELECT id FROM checkouts WHERE id > $1 AND status = 'PAID' ORDER BY id LIMIT $2"},
	{SubjectWithdrawal, "SELECT id FROM withdrawals WHERE id > $1 ORDER BY id LIMIT $2"},
	{SubjectRefund, "SELECT id FROM refunds WHERE id > $1 ORDER BY id LIMIT $2"},
	{SubjectBlock, "SELECT id FROM blocked_amounts WHERE id > $1 ORDER BY id LIMIT $2"},
	{SubjectDispute, "SELECT id FROM disputes WHERE id > $1 ORDER BY id LIMIT $2"},
	// $1 is the id of a transfer, see nextFacts.
	{SubjectFact, "SELECT fact FROM ledger_transfers WHERE id > $1 ORDER BY id LIMIT $2"},
	{SubjectProof, "SELECT number::text FROM ledger_proofs " +
		"WHERE number > (0 || $1)::bigint ORDER BY number LIMIT $2 / 1000"},
	{SubjectSnapshot, `SELECT account_id || CASE WHEN livemode THEN '/live/' ELSE '/test/' END || through_id
		FROM ledger_snapshots
		WHERE (account_id, livemode, through_id)
			> (split_part($1, '/', 1), split_part($1, '/', 2) = 'live',
				(0 || split_part($1, '/', 3))::bigint)
		ORDER BY account_id, livemode, through_id LIMIT $2`},
	{SubjectAccount, `SELECT a.id || e.name FROM accounts a CROSS JOIN (VALUES ('/live'), ('/test')) e (name)
		WHERE a.id > split_part($1, '/', 1)
			OR a.id = split_part($1, '/', 1) AND a.id || e.name > $1
		ORDER BY 1 LIMIT $2 / 100`},
}

// Done reports whether the pass has compared everything.
func (p *LedgerPass) Done() bool { return p.Stage >= len(passStages) }

// Of returns the kind of subjects that the pass compares next.
func (p *LedgerPass) Of() SubjectKind {
	if p.Done() {
		return ""
	}
	return passStages[p.Stage].kind
}

// Step compares the next piece and advances the pass. It returns the subjects that do not
// agree, all of one kind.
func (p *LedgerPass) Step(ctx context.Context, q Querier) (kind SubjectKind, drift []Drift, err error) {
	kind = p.Of()
	var ids []string
	if kind == SubjectFact {
		ids, err = p.nextFacts(ctx, q)
	} else {
		ids, err = p.nextSubjects(ctx, q)
	}
	if err == nil && len(ids) == 0 {
		p.Stage, p.After = p.Stage+1, ""
	} else if err == nil {
		drift, err = DriftOf(ctx, q, kind, ids)
	}
	return kind, drift, err
}

func (p *LedgerPass) nextSubjects(ctx context.Context, q Querier) ([]string, error) {
	rows, err := q.Query(ctx, passStages[p.Stage].next, p.After, comparedAtOnce)
	if err != nil {
		return nil, err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err == nil && len(ids) > 0 {
		p.After, p.Compared = ids[len(ids)-1], p.Compared+int64(len(ids))
	}
	return ids, err
}

// nextFacts returns the facts of the next transfers, which it reads in the order of their ids.
func (p *LedgerPass) nextFacts(ctx context.Context, q Querier) (facts []string, err error) {
	after, _ := strconv.ParseInt(p.After, 10, 64) // an empty text gives 0
	if p.After == "" {
		after = -1 << 63 // only an owner can write an id below 1
	}
	var last *int64
	err = q.QueryRow(ctx, `SELECT array_agg(DISTINCT fact), max(id) FROM (
		SELECT id, fact FROM ledger_transfers WHERE id > $1 ORDER BY id LIMIT $2) t`,
		after, comparedAtOnce).Scan(&facts, &last)
	if err == nil && last != nil {
		p.After, p.Compared = strconv.FormatInt(*last, 10), p.Compared+int64(len(facts))
	}
	return facts, err
}

// SavedPass is a pass that is stored between its pieces.
type SavedPass struct {
	LedgerPass
	BeganAt *time.Time // nil if no pass is in progress
}

// LastPass returns the progress of the current pass, or the zero value if none is in progress.
func LastPass(ctx context.Context, q Reader) (p SavedPass, err error) {
	err = q.QueryRow(ctx, "SELECT stage, after, compared, began_at FROM ledger_pass").
		Scan(&p.Stage, &p.After, &p.Compared, &p.BeganAt)
	return p, err
}

// ContinuePass compares the next piece of the current pass, or begins a new pass, and stores
// disagreements as doubts. It returns ErrNotFound if another process is running the pass.
func ContinuePass(ctx context.Context, db *DB, now time.Time) (done bool, err error) {
	err = db.inPiece(ctx, func(ctx context.Context, q Querier) error {
		var p SavedPass
		err := q.QueryRow(ctx, "SELECT stage, after, compared, began_at FROM ledger_pass FOR UPDATE SKIP LOCKED").
			Scan(&p.Stage, &p.After, &p.Compared, &p.BeganAt)
		if err != nil {
			return notFound(err)
		}
		if p.BeganAt == nil {
			p = SavedPass{BeganAt: &now}
		}
		kind, drift, err := p.Step(ctx, q)
		if err == nil {
			err = InsertDoubts(ctx, q, kind, drift)
		}
		if err != nil {
			return err
		}
		if done = p.Done(); done {
			p = SavedPass{}
		}
		_, err = q.Exec(ctx, "UPDATE ledger_pass SET stage = $1, after = $2, compared = $3, began_at = $4",
			p.Stage, p.After, p.Compared, p.BeganAt)
		return err
	})
	return done, err
}

// maxDoubts limits the stored doubts. When it is reached, some must be corrected first.
const maxDoubts = 1_000

// InsertDoubts stores subjects that did not agree, to be compared again.
func InsertDoubts(ctx context.Context, q Querier, kind SubjectKind, drift []Drift) error {
	if len(drift) == 0 {
		return nil
	}
	ids := make([]string, len(drift))
	for i, d := range drift {
		ids[i] = d.Of
	}
	_, err := q.Exec(ctx, `INSERT INTO ledger_doubts (kind, id) SELECT DISTINCT $1, id FROM unnest($2::text[]) AS id
		WHERE (SELECT count(*) FROM ledger_doubts) < $3 ON CONFLICT DO NOTHING`, string(kind), ids, maxDoubts)
	return err
}

// RecheckDoubts compares the stored doubts again, deletes those that agree now, and returns
// the rest.
func RecheckDoubts(ctx context.Context, q Querier) (drift []Drift, err error) {
	for kind := range driftSQL {
		rows, err := q.Query(ctx, "SELECT id FROM ledger_doubts WHERE kind = $1 ORDER BY id", string(kind))
		if err != nil {
			return nil, err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return nil, err
		}
		found, err := DriftOf(ctx, q, kind, ids)
		if err != nil {
			return nil, err
		}
		wrong := make([]string, len(found))
		for i, d := range found {
			wrong[i] = d.Of
		}
		if _, err := q.Exec(ctx, "DELETE FROM ledger_doubts WHERE kind = $1 AND id = ANY($2) AND id <> ALL($3)",
			string(kind), ids, wrong); err != nil {
			return nil, err
		}
		drift = append(drift, found...)
	}
	return drift, nil
}
