package ratelimit

import "net/netip"

// AddressKey returns the key under which requests from an IP address count. All addresses of an
// IPv6 network of 64 bits are one key: a provider gives each customer at least that many, so
// that one client can use any of them. IPv4 within IPv6 counts as IPv4. What is no address is
// its own key.
func AddressKey(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if ip = ip.Unmap().WithZone(""); ip.Is4() {
		return ip.String()
	}
	network, err := ip.Prefix(64)
	if err != nil {
		return address
	}
	return network.String()
}
