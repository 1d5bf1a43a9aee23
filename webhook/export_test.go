package webhook

import (
	"net"
	"net/netip"
)

var (
	RefusedAddress = refusedAddress
	ReadSnippet    = readSnippet
)

// UseResolver makes c look names up at r. It is called before the first Post.
func (c *Client) UseResolver(r *net.Resolver) { c.dialer.Resolver = r }

// RefuseOwn is the part of the check that needs no private target.
func RefuseOwn(own func() []netip.Addr, target netip.Addr) error {
	return guard{own: own}.refuseOwn(target)
}
