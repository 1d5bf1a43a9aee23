package models

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// provenAtOnce limits the ids that one proof covers.
const provenAtOnce = 5_000

// LedgerProof says that the transfers after one id and up to another were compared with the
// rows that require them. Its hash is chained to that of the previous proof.
type LedgerProof struct {
	Number, AfterID, ThroughID, Transfers int64
	Hash                                  []byte
	ProvenAt                              time.Time
}

// LastProof returns the newest proof, the zero value if there is no proof.
func LastProof(ctx context.Context, q Reader) (p LedgerProof, err error) {
	rows, err := q.Query(ctx,
		"SELECT number, after_id, through_id, transfers, hash, proven_at FROM ledger_proofs "+
			"ORDER BY number DESC LIMIT 1")
	if err != nil {
		return p, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[LedgerProof])
	if err != nil || len(found) == 0 {
		return p, err
	}
	return found[0], nil
}

// ProveLedger compares the next transfers, up to the id through, with the rows that require
// them, stores disagreements as doubts, and chains a proof. It returns nil if no transfers are
// left up to through, which comes from DecidedTransfers. Only concurrent calls wait for its
// transaction. It also reads the transfers of the newest proof again: if they have changed,
// that is a doubt too.
func ProveLedger(ctx context.Context, db *DB, through int64, now time.Time) (proof *LedgerProof, err error) {
	err = db.inPiece(ctx, func(ctx context.Context, conn Querier) error {
		if _, err := conn.Exec(ctx, "LOCK TABLE ledger_proofs IN SHARE ROW EXCLUSIVE MODE"); err != nil {
			return err
		}
		last, err := LastProof(ctx, conn)
		if err != nil || last.ThroughID >= through {
			return err
		}
		next := LedgerProof{
			Number: last.Number + 1, AfterID: last.ThroughID,
			ThroughID: min(through, last.ThroughID+provenAtOnce), ProvenAt: now,
		}
		found, err := subjectsOf(ctx, conn, next.AfterID, next.ThroughID)
		if err != nil {
			return err
		}
		if last.Number > 0 {
			found.add(SubjectProof, strconv.FormatInt(last.Number, 10))
		}
		if err := found.compare(ctx, conn); err != nil {
			return err
		}
		err = conn.QueryRow(ctx, `WITH before AS (SELECT hash FROM ledger_proofs WHERE number = $1 - 1),
				now AS (SELECT count(*) AS transfers, `+transfersContent+` AS content
					FROM ledger_transfers t WHERE t.id > $2 AND t.id <= $3)
			INSERT INTO ledger_proofs (number, after_id, through_id, transfers, content, hash, proven_at)
			SELECT $1, $2, $3, now.transfers, now.content, `+chainedHash+`now.content), $4
				FROM now LEFT JOIN before ON true
			RETURNING transfers, hash`,
			next.Number, next.AfterID, next.ThroughID, next.ProvenAt).Scan(&next.Transfers, &next.Hash)
		proof = &next
		return err
	})
	return proof, err
}

// byIndex makes the planner, which cannot know how few rows are new, use indexes instead of
// reading whole tables, until the transaction ends.
const byIndex = "SET LOCAL enable_seqscan = off; SET LOCAL jit = off; SET LOCAL max_parallel_workers_per_gather = 0"

// inPiece runs a piece of a comparison in a transaction of its own.
func (db *DB) inPiece(ctx context.Context, fn func(ctx context.Context, q Querier) error) error {
	return pgx.BeginTxFunc(ctx, db.Background, pgx.TxOptions{IsoLevel: pgx.ReadCommitted}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, byIndex); err != nil {
			return err
		}
		return fn(ctx, tx)
	})
}

// compareFound compares the subjects that a query finds, in a piece.
func (db *DB) compareFound(ctx context.Context, query string, args ...any) error {
	return db.inPiece(ctx, func(ctx context.Context, q Querier) error {
		found, err := collectSubjects(ctx, q, query, args...)
		if err != nil {
			return err
		}
		return found.compare(ctx, q)
	})
}

// subjects are ids to compare, by kind.
type subjects map[SubjectKind][]string

func (s subjects) add(kind SubjectKind, ids ...string) { s[kind] = append(s[kind], ids...) }

// compare compares the subjects and stores those that do not agree as doubts.
func (s subjects) compare(ctx context.Context, q Querier) error {
	for kind, ids := range s {
		for len(ids) > 0 {
			n := min(len(ids), comparedAtOnce)
			drift, err := DriftOf(ctx, q, kind, ids[:n])
			if err == nil {
				err = InsertDoubts(ctx, q, kind, drift)
			}
			if err != nil {
				return err
			}
			ids = ids[n:]
		}
	}
	return nil
}

// subjectsOf returns the rows for which the transfers after one id and up to another were
// posted, and the snapshots among those ids.
func subjectsOf(ctx context.Context, q Querier, after, through int64) (subjects, error) {
	return collectSubjects(ctx, q, `WITH f AS (
			SELECT fact, `+factParts+` FROM (SELECT DISTINCT fact FROM ledger_transfers WHERE id > $1 AND id <= $2) t
		)
		SELECT DISTINCT CASE WHEN NOT `+knownFact+` THEN 'fact' WHEN kind IN ('exception', 'settlement') THEN 'payment'
			ELSE kind END,
			CASE WHEN NOT `+knownFact+` THEN f.fact
				WHEN kind = 'settlement' THEN (SELECT p.id FROM payments p WHERE p.checkout_id = f.id AND p.settles)
					ELSE f.id END
		FROM f
		UNION ALL
		SELECT 'snapshot', account_id || CASE WHEN livemode THEN '/live/' ELSE '/test/' END || through_id
		FROM ledger_snapshots WHERE through_id > $1 AND through_id <= $2`, after, through)
}

func collectSubjects(ctx context.Context, q Querier, query string, args ...any) (subjects, error) {
	rows, err := q.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	found, kind, id := subjects{}, "", ""
	_, err = pgx.ForEachRow(rows, []any{&kind, &id}, func() error {
		found.add(SubjectKind(kind), id)
		return nil
	})
	return found, err
}

// CompareRowsSince compares rows that were written since a time with the books, including rows
// without a posting, and stores those that do not agree as doubts. It selects rows by their
// own times, so since should be well before the last comparison. It reads payments in several
// pieces: by their times up to now, and then the later ones.
func CompareRowsSince(ctx context.Context, db *DB, since, now time.Time, pieces int) error {
	if _, err := db.Background.Exec(ctx, "SELECT brin_summarize_new_values('payments_by_recording')"); err != nil {
		return err
	}
	each := now.Sub(since) / time.Duration(pieces)
	for i := range pieces {
		from, until := since.Add(each*time.Duration(i)), since.Add(each*time.Duration(i+1))
		if i == pieces-1 {
			until = statementEnd
		}
		err := db.compareFound(ctx, `SELECT 'payment', id FROM payments p WHERE recorded_at >= $1 AND recorded_at < $2
			AND (SELECT true FROM ledger_transfers WHERE fact = 'payment/' || p.id AND line = 0) IS NULL`, from, until)
		if err != nil {
			return err
		}
	}
	return db.compareFound(ctx, `SELECT 'withdrawal', id FROM withdrawals WHERE updated_at >= $1
		UNION ALL SELECT 'refund', id FROM refunds WHERE created_at >= $1 OR ended_at >= $1
		UNION ALL SELECT 'block', id FROM blocked_amounts WHERE coalesce(released_at, created_at) >= $1
		UNION ALL SELECT 'dispute', id FROM disputes WHERE created_at >= $1 OR closed_at >= $1
		UNION ALL SELECT 'dispute', d.id FROM refunds r JOIN disputes d ON d.payment_id = r.payment_id
			WHERE r.ended_at >= $1 AND r.status = 'FAILED'
		UNION ALL SELECT 'payment', payment_id FROM payment_exceptions WHERE decided_at >= $1
		UNION ALL SELECT 'payment', payment_id FROM payment_exceptions WHERE return_ended_at >= $1`, since)
}

// ComparePaidSince is CompareRowsSince for PAID checkouts without a payment, a hundred
// projects at a time.
func ComparePaidSince(ctx context.Context, db *DB, since time.Time) error {
	for after := ""; ; {
		var last *string
		err := db.Background.QueryRow(ctx,
			"SELECT max(id) FROM (SELECT id FROM projects WHERE id > $1 ORDER BY id LIMIT 100) p",
			after).Scan(&last)
		if err != nil || last == nil {
			return err
		}
		err = db.compareFound(ctx, `SELECT 'checkout', c.id FROM projects j
			CROSS JOIN (VALUES (true), (false)) AS e (livemode)
			CROSS JOIN LATERAL (SELECT id FROM checkouts
				WHERE project_id = j.id AND livemode = e.livemode AND status = 'PAID' AND paid_at >= $3) c
			WHERE j.id > $1 AND j.id <= $2
				AND (SELECT true FROM payments WHERE checkout_id = c.id AND settles) IS NULL`,
			after, *last, since)
		if err != nil {
			return err
		}
		after = *last
	}
}
