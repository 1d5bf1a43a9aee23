package models

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// wordedAtOnce limits the checkouts whose words one transaction writes.
const wordedAtOnce = 1000

// wordedSpan limits the time that one transaction looks through for them.
const wordedSpan = 10 * time.Minute

// writeWords writes the words of up to wordedAtOnce checkouts created from $1 to before $2, and of all others created
// at the same time as the last of them. It returns their number and the time of the last one. Its verbs are the order,
// the limit and the aggregate.
const writeWords = `WITH these AS MATERIALIZED (
	SELECT project_id, livemode, created_at, id, customer_name, external_id FROM checkouts
	WHERE created_at >= $1 AND created_at < $2 ORDER BY created_at %s FETCH FIRST %d ROWS WITH TIES
), written AS (
	INSERT INTO checkout_words (checkout_id, words)
	SELECT id, checkout_vector(project_id, livemode, customer_name, external_id) FROM these
	ON CONFLICT DO NOTHING
) SELECT count(*), %s(created_at) FROM these`

// WriteWords writes the words of checkouts created until shortly before now, and then those of older ones, the latest
// first; of each a limited number. It reports whether there is more to do. If another process is writing, it does
// nothing.
func WriteWords(tx *Tx, now time.Time) (more bool, err error) {
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		var since, until *time.Time
		var first time.Time
		err := conn.QueryRow(ctx, `SELECT since, until, (SELECT coalesce(min(created_at), $1) FROM accounts)
			FROM checkout_words_until FOR UPDATE SKIP LOCKED`, now).Scan(&since, &until, &first)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		} else if err != nil {
			return err
		}
		ended := now.Add(-settling)
		if until == nil {
			since, until = &ended, &ended
		}
		forward, err := wordsForward(ctx, conn, *until, ended)
		if err != nil {
			return err
		}
		back, err := wordsBack(ctx, conn, *since, first)
		if err != nil {
			return err
		}
		more = forward.Before(ended) || back.After(first)
		_, err = conn.Exec(ctx, "UPDATE checkout_words_until SET since = $1, until = $2", back, forward)
		return err
	})
	return more, err
}

// wordsForward writes the words of checkouts from a moment on, and returns up to which one it did.
func wordsForward(ctx context.Context, conn Querier, from, ended time.Time) (time.Time, error) {
	if !from.Before(ended) {
		return from, nil
	}
	until := earlier(from.Add(wordedSpan), ended)
	n, last, err := wordsOf(ctx, conn, from, until, "ASC", "max")
	if n >= wordedAtOnce {
		until = last.Add(time.Microsecond)
	}
	return until, err
}

// wordsBack writes the words of checkouts before a moment, and returns back to which one it did.
func wordsBack(ctx context.Context, conn Querier, from, first time.Time) (time.Time, error) {
	if !from.After(first) {
		return from, nil
	}
	since := later(from.Add(-wordedSpan), first)
	n, last, err := wordsOf(ctx, conn, since, from, "DESC", "min")
	if err != nil {
		return from, err
	}
	if n >= wordedAtOnce {
		return last, nil
	}
	if n > 0 {
		return since, nil
	}
	created, err := latestBefore(ctx, conn, since)
	if err != nil || created == nil {
		return first, err
	}
	return later(created.Add(time.Microsecond), first), nil
}

// latestBefore returns the time of creation of the latest checkout before a moment. It returns nil if no checkout is
// older.
func latestBefore(ctx context.Context, q Querier, moment time.Time) (created *time.Time, err error) {
	err = q.QueryRow(ctx, `SELECT max(c.created_at) FROM projects p CROSS JOIN (VALUES (true), (false)) l (livemode)
		CROSS JOIN LATERAL (SELECT c.created_at FROM checkouts c WHERE c.project_id = p.id AND c.livemode = l.livemode
			AND c.created_at < $1 ORDER BY c.created_at DESC LIMIT 1) c`, moment).Scan(&created)
	return created, err
}

func wordsOf(ctx context.Context, conn Querier, since, until time.Time, order, last string) (n int, at time.Time,
	err error) {
	var edge *time.Time
	err = conn.QueryRow(ctx, fmt.Sprintf(writeWords, order, wordedAtOnce, last), since, until).Scan(&n, &edge)
	if edge != nil {
		at = *edge
	}
	return n, at, err
}

// WriteWordsAgain lets WriteWords begin again, for a transaction that wrote checkouts with times in the past.
func WriteWordsAgain(tx *Tx) error {
	return tx.exec("UPDATE checkout_words_until SET since = until")
}
