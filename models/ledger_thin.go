package models

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// thinnedAtOnce limits the snapshots at which one statement looks, apart from those of one moment. It is a text because
// the planner must know it.
const thinnedAtOnce = "2000"

// ThinSnapshots returns a function that deletes a batch of the snapshots of balances that were taken before a time,
// except the last of each account in each period, an hour, day or month, and reports whether there may be more
// (docs/decisions/0089). The database lets it delete no others: none that is too young for the period, or that no
// proof of the books has compared yet. If another process is doing this, it does nothing.
//
// It compares and sorts triples, because only the primary key can do that: by the id alone the planner would search for
// the next snapshot of a quiet account among those of all others.
func ThinSnapshots(period string) func(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	age := map[string]string{"hour": "1 day", "day": "32 days", "month": "400 days"}[period]
	return func(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
		err = q.QueryRow(ctx, `WITH began AS (
				SELECT through_id FROM ledger_thinned WHERE period = $1 FOR UPDATE SKIP LOCKED
			), looked AS MATERIALIZED (
				SELECT s.* FROM began CROSS JOIN LATERAL (
					SELECT ctid AS row, through_id, taken_at FROM ledger_snapshots
					WHERE through_id > began.through_id ORDER BY through_id
					FETCH FIRST `+thinnedAtOnce+` ROWS WITH TIES) s
			), proven AS MATERIALIZED (
				SELECT coalesce(max(through_id), 0) AS id FROM ledger_proofs
			), ends AS MATERIALIZED (
				SELECT least(max(through_id), (SELECT id FROM proven),
						min(through_id) FILTER (WHERE taken_at >= least($2, now() - $3::interval)) - 1) AS through_id,
					count(*) >= `+thinnedAtOnce+` AS full_batch
				FROM looked HAVING count(*) > 0
			), gone AS (
				DELETE FROM ledger_snapshots s USING proven
				WHERE s.ctid = ANY (ARRAY(SELECT l.row FROM looked l, ends WHERE l.through_id <= ends.through_id))
					AND (SELECT (n.account_id, n.livemode) = (s.account_id, s.livemode) AND n.through_id <= proven.id
						AND ledger_thins($1, s.taken_at, s.through_id, n.taken_at, n.through_id)
						FROM ledger_snapshots n
						WHERE (n.account_id, n.livemode, n.through_id) > (s.account_id, s.livemode, s.through_id)
						ORDER BY n.account_id, n.livemode, n.through_id LIMIT 1)
					AND NOT EXISTS (SELECT FROM ledger_doubts WHERE kind = 'snapshot'
						AND id = s.account_id || CASE WHEN s.livemode THEN '/live/' ELSE '/test/' END || s.through_id)
			)
			UPDATE ledger_thinned t SET through_id = ends.through_id FROM ends
			WHERE t.period = $1 AND t.through_id < ends.through_id RETURNING ends.full_batch`, period, before,
			age).Scan(&more)
		if errors.Is(err, pgx.ErrNoRows) {
			return false, nil
		}
		return more, err
	}
}
