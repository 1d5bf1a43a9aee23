package models

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"
)

const (
	// connectWithin limits an attempt to connect to one host, unless the address sets
	// connect_timeout.
	connectWithin = 3 * time.Second
	// unheardWithin is how long the kernel, on both ends, waits for the other machine to
	// confirm what was sent, before it ends the connection.
	unheardWithin = 10 * time.Second
)

// keepAlive finds out after 15 s that the other machine is gone while nothing is sent.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: 5 * time.Second, Count: 2}

// errAbandoned stops pgx from asking the server to cancel the statement of an abandoned
// connection.
var errAbandoned = errors.New("models: the connection is abandoned")

// dial opens a connection to PostgreSQL.
func dial(ctx context.Context, network, address string) (net.Conn, error) {
	if network == nowhere.Network() {
		return nil, errAbandoned
	}
	conn, err := (&net.Dialer{KeepAliveConfig: keepAlive, Control: giveUpUnheard}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &connection{Conn: conn}, nil
}

// connection is a connection that is closed at once when a statement's time is over.
//
// Without this type, pgx would keep the connection, and its place in the pool, for up to 15 s:
// it asks the server over a second connection to cancel the statement, and waits for the rest
// of the answer on the first. A server that hangs answers neither. And a canceled COMMIT that
// waits for a synchronous standby would be visible without being on the standby. So the
// connection is closed instead, and the server notices this by itself
// (client_connection_check_interval).
type connection struct {
	net.Conn
	failed    atomic.Bool // the last read or write failed
	abandoned atomic.Bool
}

// Read implements net.Conn.
func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.failed.Store(err != nil)
	return n, err
}

// Write implements net.Conn.
func (c *connection) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.failed.Store(err != nil)
	return n, err
}

// RemoteAddr implements net.Conn. pgx calls it only to have a statement canceled. If a read or
// write has just failed, this means that pgx gives the connection up.
func (c *connection) RemoteAddr() net.Addr {
	if c.failed.Load() {
		c.abandoned.Store(true)
		return nowhere
	}
	return c.Conn.RemoteAddr()
}

// SetDeadline implements net.Conn. For an abandoned connection it sets a deadline in the past.
func (c *connection) SetDeadline(t time.Time) error {
	if c.abandoned.Load() {
		t = time.Unix(1, 0)
	}
	return c.Conn.SetDeadline(t)
}

// nowhere is the remote address of an abandoned connection.
var nowhere = nowhereAddr{}

type nowhereAddr struct{}

// Network implements net.Addr.
func (nowhereAddr) Network() string { return "abandoned" }

// String implements net.Addr.
func (nowhereAddr) String() string { return "abandoned" }
