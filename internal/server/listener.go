package server

import (
	"errors"
	"net"
	"sync"
)

// Listener accepts connections and, when it is closed, closes those that have not been used
// yet. Browsers and HTTP clients open spare connections, and fasthttp waits for the first
// request of each of them when it shuts down.
type Listener struct {
	net.Listener

	mu     sync.Mutex
	closed bool
	unused map[*connection]struct{}
}

// NewListener returns a listener that takes its connections from l.
func NewListener(l net.Listener) *Listener {
	return &Listener{Listener: l, unused: map[*connection]struct{}{}}
}

// Accept returns the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: accepted, listener: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errors.Join(net.ErrClosed, accepted.Close())
	}
	l.unused[c] = struct{}{}
	return c, nil
}

// Close stops listening and closes every connection that was never used.
func (l *Listener) Close() error {
	err := l.Listener.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	for c := range l.unused {
		err = errors.Join(err, c.Conn.Close())
	}
	clear(l.unused)
	return err
}

// connection is known to its listener until the first byte arrives. One goroutine reads it.
type connection struct {
	net.Conn
	listener *Listener
	used     bool
}

func (c *connection) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if !c.used {
		c.used = true // or it is broken, and will be closed
		c.forget()
	}
	return n, err
}

func (c *connection) Close() error {
	c.forget()
	return c.Conn.Close()
}

func (c *connection) forget() {
	c.listener.mu.Lock()
	defer c.listener.mu.Unlock()
	delete(c.listener.unused, c)
}
