package webhook

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
)

var (
	// Every public IPv6 address is in this prefix (RFC 4291, section 2.4). So IPv6 is an
	// allow-list, and all forms that wrap an IPv4 address are outside of it.
	publicIPv6 = netip.MustParsePrefix("2000::/3")

	// A resolver on a network without IPv4 wraps public IPv4 addresses in this prefix (RFC
	// 6052). They are unwrapped and not refused: otherwise such an installation could reach
	// hardly any endpoint.
	nat64 = netip.MustParsePrefix("64:ff9b::/96")

	// Refused unless the installation allows private targets for development.
	privatePrefixes = prefixes(
		"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", // RFC 1918
		"127.0.0.0/8", "::1/128", // loopback
		"100.64.0.0/10", // carrier-grade NAT, RFC 6598
		"fc00::/7",      // unique local, RFC 4193
	)

	// Always refused: no merchant's server has such an address, and the metadata services
	// hand out the machine's credentials.
	neverPrefixes = prefixes(
		"0.0.0.0/8", "::/128", // this host
		"169.254.0.0/16", "fe80::/10", // link-local, with the common metadata service
		"fd00:ec2::254/128", "fd20:ce::254/128", // metadata: AWS, Google Cloud
		"100.100.100.200/32", "168.63.129.16/32", // metadata: Alibaba Cloud, Azure
		"192.0.0.0/24",                                      // IETF protocol assignments, with Oracle's metadata
		"192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", // documentation, RFC 5737
		"198.18.0.0/15",               // benchmarking, RFC 2544
		"192.88.99.0/24", "2002::/16", // 6to4, RFC 7526
		"224.0.0.0/4", "ff00::/8", // multicast
		"240.0.0.0/4",                // reserved and broadcast
		"2001::/23",                  // IETF protocol assignments, with Teredo
		"2001:db8::/32", "3fff::/20", // documentation, RFC 3849 and 9637
	)
)

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		list[i] = netip.MustParsePrefix(text)
	}
	return list
}

// canonical returns the address where a connection to addr ends: IPv4-mapped and NAT64
// forms become the IPv4 address in them, and the zone is dropped.
func canonical(addr netip.Addr) netip.Addr {
	addr = addr.Unmap().WithZone("")
	if nat64.Contains(addr) {
		wrapped := addr.As16()
		return netip.AddrFrom4([4]byte(wrapped[12:]))
	}
	return addr
}

// refusedAddress reports whether connections to addr are forbidden.
func refusedAddress(addr netip.Addr, allowPrivate bool) bool {
	addr = canonical(addr)
	within := func(p netip.Prefix) bool { return p.Contains(addr) }
	switch {
	case slices.ContainsFunc(neverPrefixes, within):
		return true
	case slices.ContainsFunc(privatePrefixes, within):
		return !allowPrivate
	default:
		return !addr.Is4() && !publicIPv6.Contains(addr)
	}
}

// errBlocked marks a connection refused by a guard.
var errBlocked = errors.New("webhook: address refused")

// guard checks each connection immediately before it is made.
type guard struct {
	allowPrivate bool
	own          func() []netip.Addr
	forbidden    []netip.Prefix
}

// control is the hook of a [net.Dialer]. It receives the address after name resolution, so
// nothing can change between check and use.
func (g guard) control(_, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %w", errBlocked, err)
	}
	addr := canonical(target.Addr())
	if refusedAddress(addr, g.allowPrivate) ||
		slices.ContainsFunc(g.forbidden, func(p netip.Prefix) bool { return p.Contains(addr) }) {
		return errBlocked
	}
	if g.allowPrivate {
		return nil
	}
	return g.refuseOwn(addr)
}

// refuseOwn refuses the current addresses of the machine's interfaces, and the addresses
// that the installation names.
func (g guard) refuseOwn(target netip.Addr) error {
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		return fmt.Errorf("%w: list own addresses: %w", errBlocked, err)
	}
	for _, each := range interfaces {
		network, ok := each.(*net.IPNet)
		if !ok {
			continue
		}
		if addr, ok := netip.AddrFromSlice(network.IP); ok && canonical(addr) == target {
			return errBlocked
		}
	}
	if g.own == nil {
		return nil
	}
	for _, addr := range g.own() {
		if canonical(addr) == target {
			return errBlocked
		}
	}
	return nil
}
