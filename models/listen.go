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

// ListenChanges is Listen for what changes: ids of checkouts, at every change of
// their status, and of projects, when they have new events of the test environment.
func ListenChanges(ctx context.Context, db *DB, listening func(), changed func(id string)) error {
	return Listen(ctx, db, changeChannel, listening, func(payload string) {
		for id := range strings.FieldsSeq(payload) {
			changed(id)
		}
	})
}

// NotifyChanges tells who listens to changes of some ids, as Notify does.
func NotifyChanges(ctx context.Context, q Querier, ids ...string) error {
	return Notify(ctx, q, changeChannel, strings.Join(ids, " "))
}
