package webhook

import (
	"net"
	"net/netip"
)

var (
	RefusedAddress = refusedAddress
	ReadSnippet    = readSnippet
)

// UseResolver makes c use r. Call it before the first Post.
func (c *Client) UseResolver(r *net.Resolver) { c.dialer.Resolver = r }

// RefuseOwn runs the check of own addresses, which Post skips when private targets are
// allowed.
func RefuseOwn(own func() []netip.Addr, target netip.Addr) error {
	return guard{own: own}.refuseOwn(target)
}

// RetryAfter is retryAfter.
var RetryAfter = retryAfter

// SnippetTime is snippetTime.
const SnippetTime = snippetTime

// UseResolver makes o use r. Call it before the first Refresh.
func (o *OwnHosts) UseResolver(r *net.Resolver) { o.resolver = r }

// OwnKept is ownKept.
const OwnKept = ownKept
