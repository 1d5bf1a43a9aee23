package webhook

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxURLLength is the maximal length of an endpoint's URL, in characters.
const MaxURLLength = 2048

// Reason says why a URL cannot be an endpoint. Its value is stable, so that it
// can name a text in a catalog.
type Reason string

// The reasons, in the order of the checks.
const (
	ReasonTooLong     Reason = "too_long"    // more than MaxURLLength characters
	ReasonMalformed   Reason = "malformed"   // not an absolute URL
	ReasonScheme      Reason = "scheme"      // neither https nor http
	ReasonInsecure    Reason = "insecure"    // http in live
	ReasonCredentials Reason = "credentials" // user or password before the host
	ReasonFragment    Reason = "fragment"    // a part after #, which is never sent
	ReasonHost        Reason = "host"        // host or port absent, impossible, or an address in an unusual spelling
	ReasonPrivate     Reason = "private"     // a host that is not on the public internet
)

// URLError is the error of [CheckURL]. Its text never repeats the URL, which may
// carry a token.
type URLError struct{ Reason Reason }

// Error implements error.
func (e *URLError) Error() string { return "webhook: URL refused: " + string(e.Reason) }

// CheckURL returns a *[URLError] unless raw can be the URL of an endpoint: an absolute http
// or https URL, https only when live, without credentials and fragment, whose host is not
// private, neither as an address in any spelling nor as a name. allowPrivate permits
// loopback, private networks and internal names, also with http when live, so that a
// developer can try live events. It permits neither link-local addresses nor metadata
// services.
//
// CheckURL makes no look-up: a name that it accepts may still resolve to an address that
// [Client] refuses.
func CheckURL(raw string, live, allowPrivate bool) error {
	if reason := refusedURL(raw, live, allowPrivate); reason != "" {
		return &URLError{Reason: reason}
	}
	return nil
}

func refusedURL(raw string, live, allowPrivate bool) Reason {
	if utf8.RuneCountInString(raw) > MaxURLLength {
		return ReasonTooLong
	}
	if !utf8.ValidString(raw) || strings.ContainsFunc(raw, neverInURL) {
		return ReasonMalformed
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Scheme == "":
		return ReasonMalformed
	case u.Scheme != "https" && u.Scheme != "http":
		return ReasonScheme
	case u.Opaque != "":
		return ReasonMalformed
	case live && u.Scheme != "https" && !(allowPrivate && refusedHost(u.Hostname(), false) == ReasonPrivate):
		return ReasonInsecure
	case u.User != nil:
		return ReasonCredentials
	case strings.Contains(raw, "#"):
		return ReasonFragment
	case !validPort(u.Port()):
		return ReasonHost
	}
	return refusedHost(u.Hostname(), allowPrivate)
}

func neverInURL(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\\' }

// validPort reports whether port is valid. An empty port means the scheme's default.
func validPort(port string) bool {
	if port == "" {
		return true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}
