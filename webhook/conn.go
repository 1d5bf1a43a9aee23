package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http/httptrace"
	"sync"
	"syscall"
)

// conn is a connection to an endpoint. It tells whether the endpoint's machine has received
// bytes of a request: an endpoint may close a kept connection just as the next request is on
// its way, and then nothing of the request was received.
type conn struct {
	net.Conn
	mu     sync.Mutex
	closed bool
	last   received // when the connection was closed
}

// received is how many bytes of a connection the other side has acknowledged.
type received struct {
	bytes uint64
	known bool
}

// dialWith returns the DialContext of a transport.
func dialWith(d *net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return &conn{Conn: c}, nil
	}
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.mu.Lock()
	if !c.closed {
		c.closed, c.last = true, receivedOn(c.Conn)
	}
	c.mu.Unlock()
	return c.Conn.Close()
}

func (c *conn) received() received {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return c.last
	}
	return receivedOn(c.Conn)
}

// sending is a request that was given to a kept connection; its zero value is any other one.
type sending struct {
	conn   *conn
	before received
}

func sendingOn(info httptrace.GotConnInfo) sending {
	raw := info.Conn
	if secure, ok := raw.(*tls.Conn); ok {
		raw = secure.NetConn()
	}
	kept, ok := raw.(*conn)
	if !ok || !info.Reused {
		return sending{}
	}
	return sending{kept, kept.received()}
}

// closedIdle is the text of net/http's error for a kept connection that ended while no answer
// was expected on it: before the request. The error has no name.
const closedIdle = "http: server closed idle connection"

// unreceived reports whether err, with which the request ended, means that the endpoint closed
// the kept connection before a byte of the request had come to its machine. The segment that
// ends a connection says how much has come. One that resets it does not say so, or the kernel
// does not look; and no reset ends a connection that was merely idle for too long.
func (s sending) unreceived(err error) bool {
	switch {
	case s.conn == nil:
		return false
	case err.Error() == closedIdle:
		return true
	case errors.Is(err, syscall.ECONNRESET):
		return false
	}
	now := s.conn.received()
	return s.before.known && now.known && now.bytes == s.before.bytes
}
