// Package servertest finds addresses for servers that tests start as processes of their
// own, and which therefore cannot be given a listener.
package servertest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"syscall"
	"testing"
)

// last is the last port that was found. Test processes begin at different ports.
var last atomic.Int64

func init() { last.Store(int64(20_000 + rand.IntN(10_000))) }

// Address returns host:port of a port on which no process listens, a different one each
// time. The port is below the range of the kernel's automatic ports, and is reserved for
// this test until it ends, including times when its server does not run.
func Address(t testing.TB) string {
	t.Helper()
	for {
		address := fmt.Sprintf("127.0.0.1:%d", last.Add(1))
		// Other test processes see by the UDP port of the same number that it is taken.
		held, err := net.ListenPacket("udp", address)
		if err == nil {
			var listener net.Listener
			if listener, err = net.Listen("tcp", address); err == nil {
				listener.Close()
				t.Cleanup(func() { held.Close() })
				return address
			}
			held.Close()
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			t.Fatal(err)
		}
	}
}
