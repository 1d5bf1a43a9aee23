package models

import (
	"context"
	"strings"
	"time"
)

const (
	// UsageChannel is the NOTIFY channel by which instances share their rate limits.
	UsageChannel = "rate_usage"
	// DeliveriesChannel is the NOTIFY channel that says that deliveries are waiting.
	DeliveriesChannel = "deliveries"
	// changeChannel is the NOTIFY channel for changes. A message is a list of ids separated by
	// spaces.
	changeChannel = "checkout_status"
)

// notifyWithin limits the time to send a message. A late message is of little use, because
// listeners also look by themselves from time to time.
const notifyWithin = 5 * time.Second

// Notify sends a message to all hearers of the channel, in its own transaction, which does
// not wait for the disk. It takes a few seconds at most.
func Notify(ctx context.Context, q Querier, channel, payload string) error {
	ctx, cancel := context.WithTimeout(ctx, notifyWithin)
	defer cancel()
	_, err := q.Exec(ctx, "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)", channel, payload)
	return err
}

// everyID means all ids. A switch of an account affects all its open checkouts, which may be
// too many for one message.
const everyID = "*"

// HearChanges hears of changes of objects until ctx ends. It calls changed with the id of a
// checkout at each change of its status, and with a scope's Changes when the scope has new charges
// or events. It calls anything when all of them may have changed, for example once it
// is listening, and lost when it may miss changes.
func HearChanges(ctx context.Context, db *DB, anything, lost func(), changed func(id string)) {
	db.Hear(ctx, Hearer{Channel: changeChannel, Listening: anything, Lost: lost, Heard: func(payload string) {
		for id := range strings.FieldsSeq(payload) {
			if id == everyID {
				anything()
			} else {
				changed(id)
			}
		}
	}})
}

// notifyAll notifies all listeners of changes that any object may have changed, when tx
// commits.
func notifyAll(tx *Tx) error {
	return tx.exec("SELECT pg_notify($1, $2)", changeChannel, everyID)
}

// NotifyChanges notifies listeners of changes about the ids, in the way of Notify.
func NotifyChanges(ctx context.Context, q Querier, ids ...string) error {
	return Notify(ctx, q, changeChannel, strings.Join(ids, " "))
}
