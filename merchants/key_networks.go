package merchants

import (
	"net/netip"
	"slices"
	"strings"
	"unicode"

	"garoupa/internal/input"
)

// MaxKeyNetworks limits the networks of a key.
const MaxKeyNetworks = 20

// ParseNetworks reads networks and single addresses, IPv4 and IPv6, that spaces, lines or commas separate. A
// network is cut to its prefix, and one that occurs twice counts once. The problem is Malformed, or TooLong for
// more than MaxKeyNetworks.
func ParseNetworks(text string) (networks []netip.Prefix, problem Problem) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) })
	for _, word := range words {
		network, ok := input.Network(word)
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
