// Package servertest finds addresses for servers that tests start as processes of
// their own, and so cannot hand a listener to.
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

// last is the port that was found last. Processes of tests begin at different ones.
var last atomic.Int64

func init() { last.Store(int64(20_000 + rand.IntN(10_000))) }

// Address returns host:port of a port that nothing listens on, a different one each
// time. It lies below those that the kernel gives to whoever asks for any, and is this
// test's until it ends, so that nobody takes it while its server is not running yet, or
// again.
func Address(t testing.TB) string {
	t.Helper()
	for {
		address := fmt.Sprintf("127.0.0.1:%d", last.Add(1))
		// Other processes of tests see by the same number's UDP that it is taken.
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
