package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http/httptrace"
	"strconv"
	"sync/atomic"
	"syscall"
)

// Class says in one word why an attempt failed. Its value is stable: it is stored with the
// attempt and is a key of the catalogs. It is empty for a success.
type Class string

// The classes of failure.
const (
	ClassDNS      Class = "dns"      // the host name does not resolve
	ClassConnect  Class = "connect"  // no connection, or one that broke before an HTTP answer
	ClassTLS      Class = "tls"      // the handshake failed, or the certificate is not valid
	ClassTimeout  Class = "timeout"  // the headers of the answer did not arrive in time
	ClassRedirect Class = "redirect" // a 3xx
	ClassStatus   Class = "status"   // any other status outside 2xx
	ClassBlocked  Class = "blocked"  // a URL or address that is refused; nothing was sent
)

// classifyStatus returns the class and detail of an answer; both are "" for a success, which
// is any 2xx (contract, section 6, rule 5 for redirects).
func classifyStatus(code int) (Class, string) {
	switch {
	case code >= 200 && code <= 299:
		return "", ""
	case code >= 300 && code <= 399:
		return ClassRedirect, "answered " + strconv.Itoa(code) + "; redirects are not followed"
	default:
		return ClassStatus, "answered " + strconv.Itoa(code)
	}
}

// classify returns the class and detail of an attempt without an answer. The detail is one of
// a few fixed texts, because an error's own text may contain addresses, the URL, or what the
// endpoint sent.
func classify(err error, reached phase) (Class, string) {
	if refused, ok := errors.AsType[*URLError](err); ok {
		return ClassBlocked, "URL refused: " + string(refused.Reason)
	}
	if errors.Is(err, errBlocked) {
		return ClassBlocked, "address is not public"
	}
	if errors.Is(err, context.Canceled) {
		return ClassTimeout, "interrupted"
	}
	if isTimeout(err) {
		return ClassTimeout, "timed out " + reached.String()
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsNotFound {
			return ClassDNS, "host name not found"
		}
		return ClassDNS, "host name could not be resolved"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok || reached == handshaking {
		return ClassTLS, tlsDetail(err)
	}
	return ClassConnect, connectDetail(err, reached)
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

func tlsDetail(err error) string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return "certificate is signed by an unknown authority"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "certificate is not valid for the host name"
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return "certificate has expired or is not yet valid"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "certificate is not valid"
	}
	// An alert is a number; its text comes from crypto/tls.
	if alert, ok := errors.AsType[*net.OpError](err); ok && alert.Op == "remote error" {
		return "handshake refused: " + alert.Err.Error()
	}
	return "handshake failed"
}

func connectDetail(err error, reached phase) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case errors.Is(err, syscall.ECONNRESET):
		return "connection reset"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "host unreachable"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed without an answer"
	case reached == answering:
		return "no valid HTTP answer"
	default:
		return "connection failed"
	}
}

// phase is how far an attempt got.
type phase int32

const (
	resolving phase = iota
	connecting
	handshaking
	answering
)

func (p phase) String() string {
	return [...]string{"resolving the host name", "connecting", "in the TLS handshake", "waiting for the answer"}[p]
}

// progress records the phase that an attempt has reached, and its connection. The phase never
// goes back: a dial that is no longer needed, because another connection became free, still
// reports its steps from its own goroutine.
type progress struct {
	reached atomic.Int32
	sending atomic.Pointer[sending]
}

func (p *progress) phase() phase { return phase(p.reached.Load()) }

func (p *progress) advance(to phase) {
	for {
		now := p.reached.Load()
		if now >= int32(to) || p.reached.CompareAndSwap(now, int32(to)) {
			return
		}
	}
}

// unreceived reports whether err says that nothing of the request was received.
func (p *progress) unreceived(err error) bool {
	last := p.sending.Swap(nil)
	return last != nil && last.unreceived(err)
}

func (p *progress) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		ConnectStart:      func(string, string) { p.advance(connecting) },
		TLSHandshakeStart: func() { p.advance(handshaking) },
		GotConn: func(info httptrace.GotConnInfo) {
			p.advance(answering)
			now := sendingOn(info)
			p.sending.Store(&now)
		},
	}
}
