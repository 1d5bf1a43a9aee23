package models

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// EventStreamStart is the position before a project's first event. Any other position is the
// id of the event before it.
const EventStreamStart = "start"

// sawNothing is a snapshot in which no event is visible.
const sawNothing = "1:1:"

// eventEpoch is the SQL expression for the current epoch.
const eventEpoch = "(SELECT max(epoch) FROM event_epochs)"

// eventPage limits the events that one call of EventStream.Next returns.
const eventPage = 100

// EventStream reads the test events of a project as they become visible: each one exactly
// once, however late its transaction commits and whatever its time is.
//
// It works in passes. A pass reads the events that are visible now and were not visible to the
// previous pass. It returns them by the age of their transactions, then by time and id.
type EventStream struct {
	projectID string
	seen      eventView
	now       eventView  // view of the pass in progress; empty between passes
	last      eventPlace // position within that pass
	resumed   eventPlace // in the first pass, the last event that the client has
}

// eventView says which events are visible: all of earlier epochs, and those of the view's own
// epoch whose transactions had ended according to PostgreSQL's pg_snapshot. An epoch holds the
// events of one PostgreSQL cluster, because each cluster numbers transactions itself.
type eventView struct {
	epoch    *int
	snapshot *string
}

// eventPlace is a place in the order of a pass. Its fields are nil at the beginning.
type eventPlace struct {
	epoch *int
	tx    *string
	at    *time.Time
	id    *string
}

// NewEventStream returns a stream of the events that become visible from now on. after is a
// position for ResumeEventStream that misses none of them: the id of an existing event, or
// EventStreamStart.
func NewEventStream(ctx context.Context, q Querier, projectID string) (s *EventStream, after string, err error) {
	s = &EventStream{projectID: projectID}
	err = q.QueryRow(ctx, `SELECT `+eventEpoch+`, pg_current_snapshot()::text,
		coalesce((SELECT id FROM events WHERE project_id = $1 AND NOT livemode AND NOT test
			ORDER BY created_at DESC, id DESC LIMIT 1), $2)`,
		projectID, EventStreamStart).Scan(&s.seen.epoch, &s.seen.snapshot, &after)
	if err != nil {
		return nil, "", fmt.Errorf("models: begin an event stream: %w", err)
	}
	return s, after, nil
}

// ResumeEventStream returns a stream of the events after one that a client has, or after
// EventStreamStart. No event is missed. Events of transactions that were in progress when that
// event was written are returned, even if the client received them before it. If the project
// has no event with the id, it returns ErrNotFound.
func ResumeEventStream(ctx context.Context, q Querier, projectID, after string) (*EventStream, error) {
	s := &EventStream{projectID: projectID, seen: eventView{new(0), new(sawNothing)}}
	if after == EventStreamStart {
		return s, nil
	}
	if !eventShape.fits(after) {
		return nil, ErrNotFound
	}
	err := q.QueryRow(ctx, `SELECT coalesce(seen::text, $3), epoch, tx::text, created_at, id FROM events
		WHERE id = $1 AND project_id = $2 AND NOT livemode AND NOT test`, after, projectID, sawNothing).
		Scan(&s.seen.snapshot, &s.resumed.epoch, &s.resumed.tx, &s.resumed.at, &s.resumed.id)
	if err != nil {
		return nil, notFound(err)
	}
	s.seen.epoch = s.resumed.epoch
	return s, nil
}

// Next returns the next events, at most eventPage, or none if all visible ones have been
// returned.
func (s *EventStream) Next(ctx context.Context, q Querier) ([]Event, error) {
	// ORDER BY uses e.tx, because a bare tx would mean the selected text, in which 10 comes
	// before 9.
	rows, err := q.Query(ctx, `WITH pass AS (SELECT coalesce($4::integer, `+eventEpoch+`) AS epoch,
			coalesce($5::pg_snapshot, pg_current_snapshot()) AS snapshot)
		SELECT e.id, e.type, e.body, e.created_at, e.epoch, e.tx::text, pass.epoch, pass.snapshot::text
		FROM events e, pass
		WHERE e.project_id = $1 AND NOT e.livemode AND NOT e.test
			AND (e.epoch, e.tx)
				>= (coalesce($6::integer, $2), coalesce($7::xid8, pg_snapshot_xmin($3::pg_snapshot)))
			AND (e.epoch > $2::integer OR NOT pg_visible_in_snapshot(e.tx, $3::pg_snapshot))
			AND (e.epoch < pass.epoch OR e.epoch = pass.epoch AND pg_visible_in_snapshot(e.tx, pass.snapshot))
			AND ((e.epoch, e.tx, e.created_at, e.id) <= ($6::integer, $7::xid8, $8::timestamptz, $9::text)) IS NOT TRUE
			AND ((e.epoch, e.tx) = ($10::integer, $11::xid8)
				AND (e.created_at, e.id) <= ($12::timestamptz, $13::text)) IS NOT TRUE
		ORDER BY e.epoch, e.tx, e.created_at, e.id LIMIT $14`,
		s.projectID, s.seen.epoch, s.seen.snapshot, s.now.epoch, s.now.snapshot,
		s.last.epoch, s.last.tx, s.last.at, s.last.id,
		s.resumed.epoch, s.resumed.tx, s.resumed.at, s.resumed.id, eventPage)
	if err != nil {
		return nil, fmt.Errorf("models: read an event stream: %w", err)
	}
	events, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (e Event, err error) {
		s.last = eventPlace{new(int), new(string), &e.CreatedAt, &e.ID}
		return e, row.Scan(&e.ID, &e.Type, &e.Body, &e.CreatedAt, s.last.epoch, s.last.tx,
			&s.now.epoch, &s.now.snapshot)
	})
	if err != nil {
		return nil, fmt.Errorf("models: read an event stream: %w", err)
	}
	if len(events) < eventPage && s.now.snapshot != nil { // the pass is over
		s.seen, s.now, s.last, s.resumed = s.now, eventView{}, eventPlace{}, eventPlace{}
	}
	return events, nil
}
