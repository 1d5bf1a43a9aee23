// Package input decides which texts from outside are accepted, for the API and for forms
// (docs/rules.md, "Texts"). Callers trim a text first, check its length, and write the
// error message.
package input

import (
	"net/mail"
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Storable reports whether a text column of PostgreSQL can hold s: UTF-8 without U+0000.
func Storable(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// ToStorable removes the bytes from s that a text column of PostgreSQL cannot hold.
func ToStorable(s string) string {
	if Storable(s) {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\x00", "")
}

// Trim removes the white space around s. It returns "" for a text that shows nothing,
// such as one of U+200B alone (docs/rules.md, "Texts").
func Trim(s string) string {
	if s = strings.TrimSpace(s); !strings.ContainsFunc(s, Shows) {
		return ""
	}
	return s
}

// TrimLine is Trim for a text of one line. It also joins the words of s by single spaces.
func TrimLine(s string) string { return Trim(strings.Join(strings.Fields(s), " ")) }

// brailleBlank is a letter without a dot.
const brailleBlank = '\u2800'

// Shows reports whether a reader sees r. The properties are those that Unicode derives
// Default_Ignorable_Code_Point from.
func Shows(r rune) bool {
	hidden := unicode.In(r, unicode.White_Space, unicode.Cc, unicode.Cf, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point)
	return r != brailleBlank && (!hidden || unicode.Is(unicode.Prepended_Concatenation_Mark, r))
}

// Plain reports whether s is one line of text without control characters. Characters that
// change the direction of writing count as control characters, because they can make a text
// look like another.
func Plain(s string) bool { return utf8.ValidString(s) && !strings.ContainsFunc(s, IsControl) }

// PlainLines is Plain for a text that may have several lines.
func PlainLines(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r != '\n' && IsControl(r) })
}

// IsControl reports whether Plain refuses r.
func IsControl(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) && !strings.ContainsRune(directionMarks, r)
}

// directionMarks are part of ordinary text in scripts that are written from right to left.
// They change the direction of no other character.
const directionMarks = "\u061c\u200e\u200f"

// Printable reports whether every character of s is visible or an ordinary space. It is for
// texts that programs compare, such as a reference or an address.
func Printable(s string) bool { return utf8.ValidString(s) && !strings.ContainsFunc(s, Unprintable) }

// Unprintable reports whether Printable refuses r: control and format characters, and all space
// save the ordinary one. Characters that Unicode may yet assign, or leaves to a font, are shown
// as something.
func Unprintable(r rune) bool {
	return r != ' ' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Z)
}

// Bounds of a reason, in characters.
const (
	MinReason = 10
	MaxReason = 500
)

// Reason trims a reason that a person of the staff gives for a decision, and reports
// whether it is one (docs/rules.md, "Texts").
func Reason(s string) (reason string, ok bool) {
	reason = Trim(strings.ReplaceAll(s, "\r\n", "\n"))
	return reason, Length(reason, MinReason, MaxReason) && PlainLines(reason)
}

// Length reports whether s has at least least and at most most characters.
func Length(s string, least, most int) bool {
	n := utf8.RuneCountInString(s)
	return n >= least && n <= most
}

// MaxEmail is the length of the longest address in characters (RFC 5321, section 4.5.3.1.3,
// less the angle brackets).
const MaxEmail = 254

// Email reports whether s is an email address and nothing else (RFC 5322, addr-spec).
func Email(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && Length(s, 0, MaxEmail) && Printable(s)
}

// MemberEmail is Email for the addresses that the installation writes to: their domain
// has a dot, as all domains with public mail servers do.
func MemberEmail(s string) bool {
	return Email(s) && strings.Contains(s[strings.LastIndexByte(s, '@'):], ".")
}

// Network reads a network such as 10.0.0.0/8, or a single address, and cuts it to its prefix. IPv4 within IPv6 is
// IPv4, the form in which clients' addresses are judged. An address has no zone.
func Network(s string) (network netip.Prefix, ok bool) {
	network, err := netip.ParsePrefix(s)
	if address, addressErr := netip.ParseAddr(s); addressErr == nil && address.Zone() == "" {
		network, err = netip.PrefixFrom(address, address.BitLen()), nil
	}
	if err == nil && network.Addr().Is4In6() {
		network = netip.PrefixFrom(network.Addr().Unmap(), network.Bits()-96)
	}
	return network.Masked(), err == nil && network.IsValid()
}
