package webhook

import (
	"net/url"
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
	ReasonPort        Reason = "port"        // a port of another protocol on a public host
)

// URLError is the error of [CheckURL]. Its text never repeats the URL, which may
// carry a token.
type URLError struct {
	Reason Reason
	Port   string // if that is the reason
}

// Error implements error.
func (e *URLError) Error() string {
	return strings.TrimSuffix("webhook: URL refused: "+string(e.Reason)+" "+e.Port, " ")
}

// CheckURL returns a *[URLError] unless raw can be the URL of an endpoint: an absolute http
// or https URL, https only when live, without credentials and fragment, whose host is not
// private, neither as an address in any spelling nor as a name, and whose port is not one that
// browsers refuse. allowPrivate permits
// loopback, private networks and internal names, also with http when live, so that a
// developer can try live events. It permits neither link-local addresses nor metadata
// services.
//
// CheckURL makes no look-up: a name that it accepts may still resolve to an address that
// [Client] refuses.
func CheckURL(raw string, live, allowPrivate bool) error {
	switch reason, port := refusedURL(raw, live, allowPrivate); reason {
	case "":
		return nil
	case ReasonPort:
		return &URLError{Reason: reason, Port: port}
	default:
		return &URLError{Reason: reason}
	}
}

// refusedURL returns the reason to refuse raw, or "", and the port.
func refusedURL(raw string, live, allowPrivate bool) (reason Reason, port string) {
	if utf8.RuneCountInString(raw) > MaxURLLength {
		return ReasonTooLong, ""
	}
	if !utf8.ValidString(raw) || strings.ContainsFunc(raw, neverInURL) {
		return ReasonMalformed, ""
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" {
		return ReasonMalformed, ""
	}
	own := allowPrivate && refusedHost(u.Hostname(), false) == ReasonPrivate // a developer's own machine
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return ReasonScheme, ""
	case u.Opaque != "":
		return ReasonMalformed, ""
	case live && u.Scheme != "https" && !own:
		return ReasonInsecure, ""
	case u.User != nil:
		return ReasonCredentials, ""
	case strings.Contains(raw, "#"):
		return ReasonFragment, ""
	case !validPort(u.Port()):
		return ReasonHost, ""
	}
	if reason := refusedHost(u.Hostname(), allowPrivate); reason != "" || own || !badPort(u.Port()) {
		return reason, ""
	}
	return ReasonPort, u.Port()
}

func neverInURL(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\\' }
