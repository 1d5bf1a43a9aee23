package models

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
)

// restNow computes two sums for each of the accounts $1 ("acc_…/live"). The first, rest, is
// the money in the account's books besides pending, plus what left it uncovered, plus the
// amounts of its COMPLETED checkouts, minus what was settled since its first proof. No
// operation changes rest, because each adds to one term what it takes from another. So if the
// account's settled checkouts once agreed with the books and rest has not changed, they still
// agree and need not be added up. The second sum is what was settled up to the transfer $2.
const restNow = `WITH a AS MATERIALIZED ` + accountIDs + `, ` + heldNow + `, moved AS (
		SELECT a.id, a.account_id, a.livemode, b.through_id IS NOT NULL AS known, b.rest,
			coalesce(b.settled, 0) +
			(SELECT coalesce(sum(amount), 0) FROM ledger_moved(a.id || '/available', coalesce(b.through_id, $2), $2)
				WHERE other = a.id || '/pending') AS settled,
			(SELECT coalesce(sum(amount), 0) FROM ledger_moved(a.id || '/available', $2, 9223372036854775807)
				WHERE other = a.id || '/pending') AS later
		FROM a LEFT JOIN account_proofs b ON b.account_id = a.account_id AND b.livemode = a.livemode)
	SELECT m.id, m.account_id, m.livemode, m.settled::bigint, m.known AND m.rest = r.rest AND r.least >= 0, r.rest
	FROM moved m LEFT JOIN account_books k ON k.account_id = m.account_id AND k.livemode = m.livemode
	CROSS JOIN LATERAL (
		SELECT min(h.balance) AS least,
			(sum(h.balance) FILTER (WHERE h.kind <> 'pending') + coalesce(k.uncovered, 0) + coalesce(k.completed, 0)
			- m.settled - m.later)::bigint AS rest
		FROM held h WHERE h.id = m.id) r`

// CompareAccounts compares the accounts that moved since the last comparison, up to the newest
// proof. It looks for books below zero, and adds up settled checkouts only if rest has changed
// or is not known yet.
func CompareAccounts(ctx context.Context, db *DB) error {
	proof, err := LastProof(ctx, db.Background)
	if err != nil {
		return err
	}
	var after int64
	if err := db.Background.QueryRow(ctx, "SELECT accounts_through FROM ledger_pass").Scan(&after); err != nil {
		return err
	}
	moved := map[string]bool{}
	for from := after; from < proof.ThroughID; from += hoursAtOnce {
		if err := movedAccounts(ctx, db.Background, from, min(from+hoursAtOnce, proof.ThroughID), moved); err != nil {
			return err
		}
	}
	for ids := range slices.Chunk(slices.Sorted(maps.Keys(moved)), accountsAtOnce) {
		err := db.inPiece(ctx, func(ctx context.Context, q Querier) error {
			return compareAccounts(ctx, q, ids, proof.ThroughID)
		})
		if err != nil {
			return err
		}
	}
	_, err = db.Background.Exec(ctx,
		"UPDATE ledger_pass SET accounts_through = greatest(accounts_through, $1)",
		proof.ThroughID)
	return err
}

// accountsAtOnce limits the number of accounts per statement.
const accountsAtOnce = 100

// movedAccounts adds the accounts that have transfers after one id and up to another.
func movedAccounts(ctx context.Context, q Querier, after, through int64, to map[string]bool) error {
	rows, err := q.Query(ctx, `SELECT DISTINCT substring(book FROM '^acc_[0-9a-f]+/[a-z]+') FROM ledger_transfers t
		CROSS JOIN LATERAL (VALUES (t.from_book), (t.to_book)) AS b (book)
		WHERE t.id > $1 AND t.id <= $2 AND starts_with(book, 'acc_')`, after, through)
	if err != nil {
		return err
	}
	var id string
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error { to[id] = true; return nil })
	return err
}

func compareAccounts(ctx context.Context, q Querier, ids []string, through int64) error {
	type account struct {
		ID, AccountID string
		Environment   Environment
		Settled       int64
		Agrees        bool
		Rest          int64
	}
	rows, err := q.Query(ctx, restNow, ids, through)
	if err != nil {
		return err
	}
	accounts, err := pgx.CollectRows(rows, pgx.RowToStructByPos[account])
	if err != nil {
		return err
	}
	found := subjects{}
	for _, a := range accounts {
		if !a.Agrees {
			found.add(SubjectAccount, a.ID)
		}
		_, err := q.Exec(ctx, `INSERT INTO account_proofs (account_id, livemode, through_id, settled, rest)
			VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (account_id, livemode) DO UPDATE
				SET through_id = excluded.through_id, settled = excluded.settled, rest = excluded.rest
			WHERE account_proofs.through_id <= excluded.through_id`,
			a.AccountID, a.Environment, through, a.Settled, a.Rest)
		if err != nil {
			return err
		}
	}
	return found.compare(ctx, q)
}
