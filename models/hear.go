package models

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"garoupa/internal/guard"
)

const (
	// beatEvery is how long the listening connection may be silent before it is tested;
	// beatWithin limits the wait for the answer. Together they are the longest time until a
	// process notices that the connection is lost without an error.
	beatEvery  = 5 * time.Second
	beatWithin = 3 * time.Second
	// listenAgain is the pause before a lost connection is replaced.
	listenAgain = time.Second
)

// Hearer is one receiver of the messages of a channel. Its functions are called one at a time,
// and must not wait.
type Hearer struct {
	Channel   string
	Listening func()               // from now on messages arrive; called again after each loss
	Lost      func()               // messages may be missed; may be nil
	Heard     func(payload string) // a message that was committed, by any process
}

// ears listen to the channels of all hearers of a process on one connection, which exists
// while there are hearers.
type ears struct {
	db *DB

	mu        sync.Mutex
	hearers   map[*Hearer]bool   // true: it was told that it is listening
	interrupt context.CancelFunc // ends the wait for a message
	running   bool
}

// Hear makes h hear until ctx ends, and returns at once. All hearers of db share one connection. A connection that is
// lost is replaced, if it is lost without an error within beatEvery plus beatWithin.
func (db *DB) Hear(ctx context.Context, h Hearer) {
	e := db.ears
	e.mu.Lock()
	e.hearers[&h] = false
	if !e.running {
		e.running = true
		guard.Go("listen", e.run)
	} else if e.interrupt != nil {
		e.interrupt()
	}
	e.mu.Unlock()
	context.AfterFunc(ctx, func() { guard.Go("stop hearing", func() { e.leave(&h) }) })
}

// leave removes a hearer.
func (e *ears) leave(h *Hearer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.hearers, h)
	if len(e.hearers) == 0 && e.interrupt != nil {
		e.interrupt()
	}
}

// run listens until there is no hearer.
func (e *ears) run() {
	ctx := context.Background()
	for !e.ended() {
		err := guard.Call("listen", func() error { return e.listen(ctx) })
		e.each(true, func(h *Hearer) {
			if h.Lost != nil {
				h.Lost()
			}
		})
		if err == nil {
			continue
		}
		e.db.LogFailure(ctx, "lost the connection that listens; the process looks by itself meanwhile", err)
		time.Sleep(listenAgain)
	}
}

// ended reports whether there is no hearer. After that, run must not go on.
func (e *ears) ended() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running = len(e.hearers) > 0
	return !e.running
}

// each calls do for the hearers that have been told, or have not been told, that they are
// listening, and turns that over.
func (e *ears) each(told bool, do func(h *Hearer)) {
	e.mu.Lock()
	var chosen []*Hearer
	for h, was := range e.hearers {
		if was == told {
			chosen = append(chosen, h)
			e.hearers[h] = !told
		}
	}
	e.mu.Unlock()
	for _, h := range chosen {
		do(h)
	}
}

// listen listens on a new connection until it is lost, or until there is no hearer.
func (e *ears) listen(ctx context.Context) error {
	c, err := e.db.ownConnection(ctx)
	if err != nil {
		return fmt.Errorf("models: listen: %w", err)
	}
	defer c.close()
	for {
		if err := e.greet(ctx, c); err != nil {
			return fmt.Errorf("models: listen: %w", err)
		}
		n, err := e.wait(ctx, c)
		switch {
		case err != nil:
			return fmt.Errorf("models: listen: %w", err)
		case n != nil:
			e.hand(n)
		case e.none():
			return nil
		}
	}
}

func (e *ears) none() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.hearers) == 0
}

// greet listens to the channels of hearers that are new to the connection.
func (e *ears) greet(ctx context.Context, c *ownConnection) (err error) {
	e.each(false, func(h *Hearer) {
		if err == nil {
			err = c.exec(ctx, "LISTEN "+h.Channel)
		}
		if err == nil {
			h.Listening()
		}
	})
	return err
}

// hand gives a message to the hearers of its channel.
func (e *ears) hand(n *pgconn.Notification) {
	e.mu.Lock()
	var hearers []*Hearer
	for h := range e.hearers {
		if h.Channel == n.Channel {
			hearers = append(hearers, h)
		}
	}
	e.mu.Unlock()
	for _, h := range hearers {
		h.Heard(n.Payload)
	}
}

// wait returns the next message, or nil if the hearers have changed. A connection that is
// silent for long is tested.
func (e *ears) wait(ctx context.Context, c *ownConnection) (*pgconn.Notification, error) {
	for {
		waiting, cancel := context.WithTimeout(ctx, beatEvery)
		if !e.waits(cancel) {
			cancel()
			return nil, nil
		}
		n, err := c.Conn.WaitForNotification(waiting)
		interrupted := errors.Is(waiting.Err(), context.Canceled)
		cancel()
		switch {
		case err == nil:
			return n, nil
		case c.Conn.IsClosed():
			return nil, err
		case interrupted:
			return nil, nil
		case !pgconn.Timeout(err):
			return nil, err
		case c.stale():
			return nil, errStale
		default:
			if err := c.exec(ctx, "SELECT 1"); err != nil {
				return nil, err
			}
		}
	}
}

// waits makes cancel end the wait that begins when the hearers change. It returns false if
// they have changed already.
func (e *ears) waits(cancel context.CancelFunc) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.interrupt = cancel
	for _, told := range e.hearers {
		if !told {
			return false
		}
	}
	return len(e.hearers) > 0
}

// ownConnection is a connection of its own, which belongs to no pool.
type ownConnection struct {
	*pgx.Conn
	db       *DB
	renewals int64 // value of watch.renewals when the connection was made
}

// ownConnection opens a connection with the settings of Background, which no pooler shares with others.
func (db *DB) ownConnection(ctx context.Context) (*ownConnection, error) {
	renewals := db.watch.renewals.Load()
	conn, err := pgx.ConnectConfig(ctx, db.Background.Config().ConnConfig)
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

// errStale ends a connection to a server that became read-only.
var errStale = errors.New("the database took no writes")

// close closes the connection. It waits at most a second for the server.
func (c *ownConnection) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = c.Conn.Close(ctx)
}
