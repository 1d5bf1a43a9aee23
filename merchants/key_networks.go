package merchants

import (
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode"

	"garoupa/models"
)

const (
	// MaxKeyNetworks limits the networks of a key.
	MaxKeyNetworks = 20
	// maxKeyYears limits how far away the end of a key is.
	maxKeyYears = 10
)

// ParseNetworks reads networks and single addresses, IPv4 and IPv6, that spaces, lines or commas separate. A
// network is cut to its prefix, and one that occurs twice counts once. The problem is Malformed, or TooLong for
// more than MaxKeyNetworks.
func ParseNetworks(text string) (networks []netip.Prefix, problem Problem) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) })
	for _, word := range words {
		network, ok := parseNetwork(word)
		if !ok {
			return nil, Malformed
		}
		if slices.Contains(networks, network) {
			continue
		}
		if networks = append(networks, network); len(networks) > MaxKeyNetworks {
			return nil, TooLong
		}
	}
	return networks, ""
}

// parseNetwork reads one network or address. An IPv4 address within IPv6 is the IPv4 address, as clients' addresses
// are judged in that form.
func parseNetwork(text string) (netip.Prefix, bool) {
	network, err := netip.ParsePrefix(text)
	if err != nil {
		address, err := netip.ParseAddr(text)
		if err != nil || address.Zone() != "" {
			return netip.Prefix{}, false
		}
		network = netip.PrefixFrom(address, address.BitLen())
	}
	if network.Addr().Is4In6() && network.Bits() >= 96 {
		network = netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-96)
	}
	return network.Masked(), true
}

// FormatNetworks writes networks as ParseNetworks reads them, single addresses without their length.
func FormatNetworks(networks []netip.Prefix) string {
	texts := make([]string, len(networks))
	for i, n := range networks {
		if texts[i] = n.String(); n.IsSingleIP() {
			texts[i] = n.Addr().String()
		}
	}
	return strings.Join(texts, ", ")
}

// end checks the end of a key, which may be nil, and returns it as it is stored.
func (p Invalid) end(at *time.Time, now time.Time) *time.Time {
	if at == nil {
		return nil
	}
	if !at.After(now) || at.After(now.AddDate(maxKeyYears, 0, 0)) {
		p["ends"] = Malformed
	}
	end := at.UTC().Truncate(time.Millisecond)
	return &end
}

// earlier returns the earlier of a time and the end of a key.
func earlier(at time.Time, key *models.APIKey) time.Time {
	if key.EndsAt != nil && key.EndsAt.Before(at) {
		return *key.EndsAt
	}
	return at
}
