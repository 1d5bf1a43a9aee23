package models

import (
	"context"
	"fmt"
	"strings"
)

// ListenStatus tells changed of every change of a checkout's status that commits
// from now on, in any process, until ctx ends or the connection is lost; listening
// is called once it is under way. It holds one connection of the pool.
func ListenStatus(ctx context.Context, db *DB, listening func(), changed func(id string, status CheckoutStatus)) error {
	pooled, err := db.Pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("models: listen: %w", err)
	}
	conn := pooled.Hijack() // it listens now, so it must not return to the pool
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "LISTEN "+StatusChannel); err != nil {
		return fmt.Errorf("models: listen: %w", err)
	}
	listening()
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return fmt.Errorf("models: wait for a change: %w", err)
		}
		if id, status, ok := strings.Cut(n.Payload, " "); ok {
			changed(id, CheckoutStatus(status))
		}
	}
}
