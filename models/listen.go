package models

import (
	"context"
	"fmt"
	"strings"
)

// UsageChannel is the NOTIFY channel by which instances share their rate limits.
const UsageChannel = "rate_usage"

// changeChannel is the NOTIFY channel that tells of what changed, by ids with a space
// between them.
const changeChannel = "checkout_status"

// Notify sends a message to whoever listens on the channel, in a transaction of
// its own that waits for no disk.
func Notify(ctx context.Context, q Querier, channel, payload string) error {
	_, err := q.Exec(ctx, "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)", channel, payload)
	return err
}

// Listen hands over every message of the channel that commits from now on, in any
// process, until ctx ends or the connection is lost; listening is called once it
// is under way. It holds a connection of its own.
func Listen(ctx context.Context, db *DB, channel string, listening func(), heard func(payload string)) error {
	pooled, err := db.Pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("models: listen: %w", err)
	}
	conn := pooled.Hijack() // it listens now, so it must not return to the pool
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return fmt.Errorf("models: listen: %w", err)
	}
	listening()
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return fmt.Errorf("models: wait for a notification: %w", err)
		}
		heard(n.Payload)
	}
}

// everyID stands for all ids: one account's switch concerns all its open checkouts, of
// which there may be more than anybody wants to name.
const everyID = "*"

// ListenChanges is Listen for what changes: ids of checkouts, at every change of
// their status, and of projects, when they have new events of the test environment.
// Anything is called when all of them may have changed, as they may once it listens.
func ListenChanges(ctx context.Context, db *DB, anything func(), changed func(id string)) error {
	return Listen(ctx, db, changeChannel, anything, func(payload string) {
		for id := range strings.FieldsSeq(payload) {
			if id == everyID {
				anything()
			} else {
				changed(id)
			}
		}
	})
}

// notifyAll tells everybody who listens to changes, when tx commits, that whatever they
// listen to may have changed.
func notifyAll(tx *Tx) error {
	return tx.Exec("SELECT pg_notify(?, ?)", changeChannel, everyID).Error
}

// NotifyChanges tells who listens to changes of some ids, as Notify does.
func NotifyChanges(ctx context.Context, q Querier, ids ...string) error {
	return Notify(ctx, q, changeChannel, strings.Join(ids, " "))
}
