package models

import (
	"context"
	"time"
)

// MakeEventMonths makes the tables of events for the month of now and the next one, unless they exist. An event of a
// month without tables lies in the tables "other" (docs/decisions/0060). If the tables are in use for too long, it
// makes none and inUse reports true.
func MakeEventMonths(ctx context.Context, q Querier, now time.Time) (inUse bool, err error) {
	for later := range 2 {
		_, err := q.Exec(ctx, "SELECT make_event_month($1)", firstOfMonth(now, later))
		if err != nil {
			return gaveUp(err)
		}
	}
	return false, nil
}

// DropEventMonths drops the tables of each month whose events were all created before a time, unless a delivery or
// a resend of one is still to be made. It leaves those that are in use to the next call.
func DropEventMonths(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return false, eachMonth(ctx, q, "events", before, func(suffix string) error {
		_, err := q.Exec(ctx, "SELECT drop_event_month($1, $2)", suffix, before)
		return err
	})
}

// DropAnswerMonths drops the beginnings of the answers to attempts of each month that ended before a time. It
// leaves those that are in use to the next call.
func DropAnswerMonths(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return false, eachMonth(ctx, q, "webhook_answers", before, func(suffix string) error {
		_, err := q.Exec(ctx, "SELECT drop_answer_month($1)", suffix)
		return err
	})
}

// DeleteOtherEvents deletes events of months without tables that were created before a time, with their deliveries
// and attempts, a batch at a time, unless a delivery or a resend is still to be made.
func DeleteOtherEvents(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	tag, err := q.Exec(ctx, `WITH gone AS MATERIALIZED (
			SELECT v.id FROM events_other v WHERE v.created_at < $1 AND NOT EXISTS (
				SELECT FROM webhook_deliveries_other d WHERE d.event_id = v.id AND (d.status = 'PENDING' OR EXISTS (
					SELECT FROM webhook_resends r WHERE r.delivery_id = d.id AND r.finished_at IS NULL)))
			LIMIT $2
		), ended AS (
			DELETE FROM webhook_deliveries_other WHERE event_id IN (SELECT id FROM gone) AND status <> 'PENDING'
			RETURNING id
		), attempts AS (
			DELETE FROM webhook_attempts WHERE delivery_id IN (SELECT id FROM ended)
		)
		DELETE FROM events_other WHERE id IN (SELECT id FROM gone)`, before, deletedAtOnce)
	return tag.RowsAffected() == deletedAtOnce, err
}

// DeleteOtherAnswers deletes the beginnings of answers in months without a table, to attempts before a time, a batch
// at a time.
func DeleteOtherAnswers(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return deleteSome(ctx, q, "webhook_answers_other", "(delivery_id, number, started_at)",
		"SELECT delivery_id, number, started_at FROM webhook_answers_other WHERE started_at < $1 LIMIT $2", before)
}
