package models

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// UsageChannel is the NOTIFY channel by which instances share their rate limits.
const UsageChannel = "rate_usage"

// changeChannel is the NOTIFY channel for changes. A message is a list of ids separated by
// spaces.
const changeChannel = "checkout_status"

// notifyWithin limits the time to send a message. A late message is of little use, because
// listeners also look by themselves from time to time.
const notifyWithin = 5 * time.Second

// Notify sends a message to all listeners of the channel, in its own transaction, which does
// not wait for the disk. It takes a few seconds at most.
func Notify(ctx context.Context, q Querier, channel, payload string) error {
	ctx, cancel := context.WithTimeout(ctx, notifyWithin)
	defer cancel()
	_, err := q.Exec(ctx, "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)", channel, payload)
	return err
}

// NotifyDeliveries notifies River's workers in every process that deliveries are waiting. It
// is Notify with River's own topic and payload for inserted jobs.
func NotifyDeliveries(ctx context.Context, q Querier) error {
	ctx, cancel := context.WithTimeout(ctx, notifyWithin)
	defer cancel()
	_, err := q.Exec(ctx, `SELECT set_config('synchronous_commit', 'off', true),
		pg_notify(current_schema() || '.river_insert', '{"queue": "`+QueueWebhooks+`"}')`)
	return err
}

const (
	// beatEvery is how long a waiting connection may be silent before it is tested; beatWithin
	// limits the wait for the answer.
	beatEvery  = 5 * time.Second
	beatWithin = 3 * time.Second
	// ListenSilence is the longest time after which Listen or HoldPresence notices that its
	// connection is lost without an error.
	ListenSilence = beatEvery + beatWithin
)

// Listen calls heard for every message of the channel that commits from now on, in any
// process, until ctx ends or the connection is lost. It notices a lost connection within
// ListenSilence. It calls listening once it is listening. It uses its own connection.
func Listen(ctx context.Context, db *DB, channel string, listening func(), heard func(payload string)) error {
	c, err := db.ownConnection(ctx, db.Pool)
	if err != nil {
		return fmt.Errorf("models: listen: %w", err)
	}
	defer c.close()
	if err := c.exec(ctx, "LISTEN "+channel); err != nil {
		return fmt.Errorf("models: listen: %w", err)
	}
	listening()
	return fmt.Errorf("models: listen: %w", c.wait(ctx, heard))
}

// ownConnection is a connection for one task. It listens or holds a session lock, so it
// belongs to no pool.
type ownConnection struct {
	*pgx.Conn
	db       *DB
	renewals int64 // value of watch.renewals when the connection was made
}

// ownConnection opens a connection with the settings of pool.
func (db *DB) ownConnection(ctx context.Context, pool *pgxpool.Pool) (*ownConnection, error) {
	renewals := db.watch.renewals.Load()
	conn, err := pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
	if err != nil {
		return nil, err
	}
	return &ownConnection{conn, db, renewals}, nil
}

// stale reports whether the pools have been reset since the connection was opened, because the
// server was read-only.
func (c *ownConnection) stale() bool { return c.renewals != c.db.watch.renewals.Load() }

func (c *ownConnection) exec(ctx context.Context, sql string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, beatWithin)
	defer cancel()
	_, err := c.Conn.Exec(ctx, sql, args...)
	return err
}

// wait calls heard for each notification until ctx ends or the connection is lost.
func (c *ownConnection) wait(ctx context.Context, heard func(payload string)) error {
	for {
		waiting, cancel := context.WithTimeout(ctx, beatEvery)
		n, err := c.Conn.WaitForNotification(waiting)
		cancel()
		switch {
		case err == nil:
			heard(n.Payload)
		case ctx.Err() != nil || !pgconn.Timeout(err) || c.Conn.IsClosed():
			return err
		case c.stale():
			return errStale
		default:
			if err := c.exec(ctx, "SELECT 1"); err != nil {
				return err
			}
		}
	}
}

// errStale ends a connection to a server that became read-only.
var errStale = errors.New("the database took no writes")

// close closes the connection. It waits at most a second for the server.
func (c *ownConnection) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.Conn.Close(ctx)
}

// everyID means all ids. A switch of an account affects all its open checkouts, which may be
// too many for one message.
const everyID = "*"

// ListenChanges is Listen for changes of objects. It calls changed with the id of a checkout
// at each change of its status, and with the id of a project when it has new events in the
// test environment. It calls anything when all of them may have changed, for example once it
// is listening.
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

// notifyAll notifies all listeners of changes that any object may have changed, when tx
// commits.
func notifyAll(tx *Tx) error {
	return tx.exec("SELECT pg_notify($1, $2)", changeChannel, everyID)
}

// NotifyChanges notifies listeners of changes about the ids, in the way of Notify.
func NotifyChanges(ctx context.Context, q Querier, ids ...string) error {
	return Notify(ctx, q, changeChannel, strings.Join(ids, " "))
}
