package webhook

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// internalDomains are names that never lead to a public server: RFC 6761, 6762
// and 8375, ICANN's private-use domain, and the hosts file of many systems.
var internalDomains = []string{"localhost", "local", "internal", "home.arpa", "localdomain"}

// refusedHost returns the reason to refuse host, a result of [net/url.URL.Hostname], or "".
func refusedHost(host string, allowPrivate bool) Reason {
	if addr, err := netip.ParseAddr(host); err == nil {
		switch {
		case refusedAddress(addr, allowPrivate):
			return ReasonPrivate
		case addr.Zone() != "":
			return ReasonHost
		}
		return ""
	}
	name, ok := asciiName(host)
	if !ok {
		return ReasonHost
	}
	if endsInNumber(name) {
		// Resolvers read such spellings differently, so even a public address is refused.
		if addr, ok := parseLooseIPv4(name); ok && refusedAddress(addr, allowPrivate) {
			return ReasonPrivate
		}
		return ReasonHost
	}
	if !validName(name) {
		return ReasonHost
	}
	if !allowPrivate && isInternalName(name) {
		return ReasonPrivate
	}
	return ""
}

// asciiName returns host as net/http looks it up: in lower case, without the final dot, and
// with other scripts and full-width letters mapped (UTS 46).
func asciiName(host string) (string, bool) {
	name := strings.ToLower(host)
	if strings.ContainsFunc(host, func(r rune) bool { return r >= 0x80 }) {
		var err error
		if name, err = idna.Lookup.ToASCII(host); err != nil {
			return "", false
		}
	}
	return strings.TrimSuffix(name, "."), true
}

// endsInNumber reports whether a resolver may take name for an IPv4 address (URL
// standard, "ends in a number").
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if last == "" {
		return false
	}
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// parseLooseIPv4 reads an IPv4 address as the C function inet_aton does: one to four
// numbers, each decimal, octal (0…) or hexadecimal (0x…). The last number fills the
// remaining bytes.
func parseLooseIPv4(name string) (netip.Addr, bool) {
	parts := strings.Split(name, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var address uint64
	for i, part := range parts {
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (4 - i)
		}
		number, err := parseLooseNumber(part, bits)
		if err != nil {
			return netip.Addr{}, false
		}
		address = address<<bits | number
	}
	return netip.AddrFrom4([4]byte{byte(address >> 24), byte(address >> 16), byte(address >> 8), byte(address)}), true
}

func parseLooseNumber(text string, bits int) (uint64, error) {
	if hex, ok := strings.CutPrefix(text, "0x"); ok {
		return strconv.ParseUint(hex, 16, bits)
	}
	if len(text) > 1 && text[0] == '0' {
		return strconv.ParseUint(text, 8, bits)
	}
	return strconv.ParseUint(text, 10, bits)
}

// validName reports whether a resolver can look name up: labels of letters, digits, hyphens
// and, because such names exist, underscores.
func validName(name string) bool {
	if name == "" || len(name) > 253 {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}

// isInternalName reports whether name belongs to the local network: a single label, such as
// a container's name, or a name under an internal domain.
func isInternalName(name string) bool {
	if !strings.Contains(name, ".") {
		return true
	}
	return slices.ContainsFunc(internalDomains, func(domain string) bool {
		return strings.HasSuffix("."+name, "."+domain)
	})
}
