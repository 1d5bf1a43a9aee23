package webhook

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// receivedOn asks the kernel. Kernels before 4.1 do not count, and show zero.
func receivedOn(c net.Conn) received {
	socket, ok := c.(syscall.Conn)
	if !ok {
		return received{}
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return received{}
	}
	var out received
	err = raw.Control(func(fd uintptr) {
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		if err == nil && info.Bytes_acked > 0 {
			out = received{info.Bytes_acked, true}
		}
	})
	if err != nil {
		return received{}
	}
	return out
}
