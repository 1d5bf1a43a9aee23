package server

import (
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// ofProxies are the headers, beside X-Forwarded-For, from which Fiber reads how the client
// asked: for which host, and whether by TLS.
var ofProxies = []string{
	fiber.HeaderXForwardedHost, fiber.HeaderXForwardedProto, fiber.HeaderXForwardedProtocol,
	fiber.HeaderXForwardedSsl, fiber.HeaderXUrlScheme,
}

// unproxied sets the request's client address behind trusted proxies: the last hop of
// X-Forwarded-For that is not a trusted proxy. The client may have invented everything
// before that hop. A proxy may add its hop to the last line of the header or as a new line,
// so all lines count, in their order.
//
// The other headers of proxies, too, count only from a trusted one, and only the last value of
// each.
func unproxied(trusted []netip.Prefix) fiber.Handler {
	isTrusted := func(addr netip.Addr) bool {
		return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(addr.Unmap()) })
	}
	return func(c *fiber.Ctx) error {
		c.Context().SetRemoteAddr(nil) // a proxy may have sent another client's request on this connection before
		peer, ok := netip.AddrFromSlice(c.Context().RemoteIP())
		if !ok || !isTrusted(peer) {
			for _, header := range ofProxies {
				c.Request().Header.Del(header)
			}
			return c.Next()
		}
		for _, header := range ofProxies {
			if values := forwarded(c, header); len(values) > 0 {
				c.Request().Header.Set(header, values[len(values)-1])
			}
		}
		for _, hop := range slices.Backward(forwarded(c, fiber.HeaderXForwardedFor)) {
			addr, err := netip.ParseAddr(hop)
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

// forwarded returns the values of a header that proxies append to, from all of its lines.
func forwarded(c *fiber.Ctx, header string) []string {
	var values []string
	for _, line := range c.Request().Header.PeekAll(header) {
		for value := range strings.SplitSeq(string(line), ",") {
			values = append(values, strings.TrimSpace(value))
		}
	}
	return values
}
