package models

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// EventStreamStart stands for the place before a project's first event, as the id of
// an event stands for the place after that one.
const EventStreamStart = "start"

// sawNothing is a snapshot in which no event is visible.
const sawNothing = "1:1:"

// eventPage bounds what EventStream.Next returns at once.
const eventPage = 100

// EventStream reads the test events of a project as they become visible: each once,
// and none left out, however late its transaction commits and whatever its time says.
//
// It remembers the snapshot that its last pass was made with (PostgreSQL's pg_snapshot:
// which transactions had ended) and next asks for what that one did not see. Events
// that became visible together come by their transactions' age, then by time and id.
type EventStream struct {
	projectID string
	seen      string     // the snapshot of the last pass
	now       *string    // the snapshot of the pass under way; nil between passes
	last      eventPlace // where that pass stands
	resumed   eventPlace // the event that a client had seen, in the first pass
}

// eventPlace is a place in the order of a pass; nil at its beginning.
type eventPlace struct {
	tx *string
	at *time.Time
	id *string
}

// NewEventStream begins after what there is now. It returns also the id of an event
// that is there, or EventStreamStart: what ResumeEventStream takes to leave nothing out
// after now.
func NewEventStream(ctx context.Context, q Querier, projectID string) (s *EventStream, after string, err error) {
	s = &EventStream{projectID: projectID}
	err = q.QueryRow(ctx, `SELECT pg_current_snapshot()::text, coalesce((SELECT id FROM events WHERE project_id = $1 AND NOT livemode
		AND NOT test ORDER BY created_at DESC, id DESC LIMIT 1), $2)`, projectID, EventStreamStart).Scan(&s.seen, &after)
	if err != nil {
		return nil, "", fmt.Errorf("models: begin an event stream: %w", err)
	}
	return s, after, nil
}

// ResumeEventStream begins after an event that a client has, or at EventStreamStart.
// Nothing is left out; what was under way when that event was written may have come to
// the client before it, and comes again. An id of no event of the project is
// ErrNotFound.
func ResumeEventStream(ctx context.Context, q Querier, projectID, after string) (*EventStream, error) {
	s := &EventStream{projectID: projectID, seen: sawNothing}
	if after == EventStreamStart {
		return s, nil
	}
	if !wellFormed(after, "evt_", 24) {
		return nil, ErrNotFound
	}
	err := q.QueryRow(ctx, `SELECT coalesce(seen::text, $3), tx::text, created_at, id FROM events
		WHERE id = $1 AND project_id = $2 AND NOT livemode AND NOT test`, after, projectID, sawNothing).Scan(&s.seen, &s.resumed.tx, &s.resumed.at, &s.resumed.id)
	if err != nil {
		return nil, notFound(err)
	}
	return s, nil
}

// Next returns the next events, up to a hundred; none when all that is visible has
// been returned.
func (s *EventStream) Next(ctx context.Context, q Querier) ([]Event, error) {
	// ORDER BY takes a bare tx for the text that is selected, in which 10 comes before 9.
	rows, err := q.Query(ctx, `SELECT id, type, body, created_at, tx::text, coalesce($3::pg_snapshot, pg_current_snapshot())::text FROM events
		WHERE project_id = $1 AND NOT livemode AND NOT test
			AND tx >= greatest(pg_snapshot_xmin($2::pg_snapshot), $4::xid8) AND NOT pg_visible_in_snapshot(tx, $2::pg_snapshot)
			AND pg_visible_in_snapshot(tx, coalesce($3::pg_snapshot, pg_current_snapshot()))
			AND ((tx, created_at, id) <= ($4::xid8, $5::timestamptz, $6::text)) IS NOT TRUE
			AND (tx = $7::xid8 AND (created_at, id) <= ($8::timestamptz, $9::text)) IS NOT TRUE
		ORDER BY events.tx, created_at, id LIMIT $10`,
		s.projectID, s.seen, s.now, s.last.tx, s.last.at, s.last.id, s.resumed.tx, s.resumed.at, s.resumed.id, eventPage)
	if err != nil {
		return nil, fmt.Errorf("models: read an event stream: %w", err)
	}
	events, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (e Event, err error) {
		s.last = eventPlace{new(string), &e.CreatedAt, &e.ID}
		return e, row.Scan(&e.ID, &e.Type, &e.Body, &e.CreatedAt, s.last.tx, &s.now)
	})
	if err != nil {
		return nil, fmt.Errorf("models: read an event stream: %w", err)
	}
	if len(events) < eventPage && s.now != nil { // the pass is over
		s.seen, s.now, s.last, s.resumed = *s.now, nil, eventPlace{}, eventPlace{}
	}
	return events, nil
}

// ForgetForeignOrder puts all events before those to come if some were written by
// transactions that this PostgreSQL has yet to count up to: a backup was restored into
// a younger one. Streams would else tell of them when it gets there.
func ForgetForeignOrder(ctx context.Context, db *DB) error {
	const foreign = `SELECT EXISTS (SELECT FROM projects p WHERE EXISTS (SELECT FROM events e
		WHERE e.project_id = p.id AND NOT e.livemode AND e.tx >= pg_snapshot_xmax(pg_current_snapshot())))`
	var found bool
	if err := db.Pool.QueryRow(ctx, foreign).Scan(&found); err != nil || !found {
		return err
	}
	return db.InTx(ctx, func(tx *Tx) error {
		// Other processes that start now wait, and find nothing to do.
		if err := tx.Exec("LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE").Error; err != nil {
			return err
		}
		if err := tx.Raw(foreign).Row().Scan(&found); err != nil || !found {
			return err
		}
		return tx.Exec("UPDATE events SET tx = '1', seen = NULL WHERE tx <> '1'").Error
	})
}
