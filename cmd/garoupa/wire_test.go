package main

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
)

// wire is a connection to a gateway that tests can cut.
type wire struct {
	address string
	mu      sync.Mutex
	open    []net.Conn
}

func newWire(t *testing.T, to string) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{address: "http://" + listener.Addr().String()}
	t.Cleanup(func() { listener.Close(); w.cut() })
	go func() {
		for {
			here, err := listener.Accept()
			if err != nil {
				return
			}
			there, err := net.Dial("tcp", strings.TrimPrefix(to, "http://"))
			if err != nil {
				here.Close()
				continue
			}
			w.mu.Lock()
			w.open = append(w.open, here, there)
			w.mu.Unlock()
			go func() { _, _ = io.Copy(there, here); there.Close() }()
			go func() { _, _ = io.Copy(here, there); here.Close() }()
		}
	}()
	return w
}

// cut resets all connections, so that data in transit are lost.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, conn := range w.open {
		_ = conn.(*net.TCPConn).SetLinger(0)
		conn.Close()
	}
	w.open = nil
}
