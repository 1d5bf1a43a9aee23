//go:build cluster

package faults

import (
	"io"
	"net"
	"sync"
	"testing"
)

// wire leads connections to an address, until it is cut.
type wire struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	isCut bool
	conns map[net.Conn]bool
}

func newWire(t *testing.T, to string) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: listener, to: to, conns: map[net.Conn]bool{}}
	t.Cleanup(func() { listener.Close(); w.cut(true) })
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			go w.carry(from)
		}
	}()
	return w
}

// cut ends all connections, and refuses new ones until it is called with false.
func (w *wire) cut(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.isCut = cut
	if cut {
		for conn := range w.conns {
			conn.Close()
		}
	}
}

// hold makes cut close a connection. It returns false if the wire is cut already.
func (w *wire) hold(conn net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.isCut {
		w.conns[conn] = true
	}
	return !w.isCut
}

func (w *wire) release(conn net.Conn) {
	conn.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, conn)
}

func (w *wire) carry(from net.Conn) {
	defer w.release(from)
	if !w.hold(from) {
		return
	}
	to, err := net.Dial("tcp", w.to)
	if err != nil {
		return
	}
	defer w.release(to)
	if !w.hold(to) {
		return
	}
	go func() { _, _ = io.Copy(to, from); to.Close() }()
	_, _ = io.Copy(from, to)
}
