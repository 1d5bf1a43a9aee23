package models

import (
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// giveUpUnheard makes the kernel end a TCP connection if what was sent is not confirmed within
// unheardWithin. The kernel's default is about 15 minutes.
func giveUpUnheard(network, _ string, raw syscall.RawConn) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var failed error
	err := raw.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(unheardWithin.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return failed
}
