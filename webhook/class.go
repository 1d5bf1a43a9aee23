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

// Class says in one word why an attempt failed. Its value is stable: it is stored
// with the attempt and names a text in a catalog. A success has none.
type Class string

// The classes of failure.
const (
	ClassDNS      Class = "dns"      // the host name does not resolve
	ClassConnect  Class = "connect"  // no connection, or one that broke before an answer that is HTTP
	ClassTLS      Class = "tls"      // no handshake, or a certificate that is not valid
	ClassTimeout  Class = "timeout"  // no headers of an answer in time, whatever took it
	ClassRedirect Class = "redirect" // a 3xx
	ClassStatus   Class = "status"   // any other status but a 2xx
	ClassBlocked  Class = "blocked"  // a URL or an address that is refused; nothing was sent
)

// classifyStatus judges an answer: any 2xx is a success (contract, section 6,
// rule 5 for the redirects).
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

// classify judges an attempt without an answer. The detail is made of fixed texts:
// an error's own may hold addresses, the URL, or what the endpoint chose to send.
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
	// An alert is a number; its text is crypto/tls's own.
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

// progress follows an attempt. It never goes back: a dial that another attempt's
// connection made superfluous still reports its steps, from its own goroutine.
type progress struct{ reached atomic.Int32 }

func (p *progress) phase() phase { return phase(p.reached.Load()) }

func (p *progress) advance(to phase) {
	for {
		now := p.reached.Load()
		if now >= int32(to) || p.reached.CompareAndSwap(now, int32(to)) {
			return
		}
	}
}

func (p *progress) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		ConnectStart:      func(string, string) { p.advance(connecting) },
		TLSHandshakeStart: func() { p.advance(handshaking) },
		GotConn:           func(httptrace.GotConnInfo) { p.advance(answering) },
	}
}
