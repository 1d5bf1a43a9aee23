package server

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// unproxied gives the request its client's address where a trusted proxy stands in
// between: the last of X-Forwarded-For that is not a trusted proxy itself. Whatever
// stands before that one, the client may have made up.
func unproxied(trusted []netip.Prefix) fiber.Handler {
	isTrusted := func(addr netip.Addr) bool {
		return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) })
	}
	return func(c *fiber.Ctx) error {
		c.Context().SetRemoteAddr(nil) // the client before this one on the connection, if a proxy keeps it open
		peer, ok := netip.AddrFromSlice(c.Context().RemoteIP())
		if !ok || !isTrusted(peer) {
			return c.Next()
		}
		hops := strings.Split(c.Get(fiber.HeaderXForwardedFor), ",")
		for _, hop := range slices.Backward(hops) {
			addr, err := netip.ParseAddr(strings.TrimSpace(hop))
			if err != nil {
				break
			}
			peer = addr
			if !isTrusted(addr) {
				break
			}
		}
		c.Context().SetRemoteAddr(net.TCPAddrFromAddrPort(netip.AddrPortFrom(peer.Unmap(), 0)))
		return c.Next()
	}
}
