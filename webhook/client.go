package webhook

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"time"
)

const (
	// Timeout bounds one attempt, from the connection to the last byte of the
	// answer's headers (contract, section 6, rule 4).
	Timeout = 5 * time.Second

	maxHeaderBytes = 64 << 10
	idleTimeout    = 30 * time.Second
	idleConns      = 1024
	idlePerHost    = 100 // as many as a process uses for one endpoint at once
)

// Options configure a [Client]. The zero value is right for production.
type Options struct {
	// AllowPrivate lets attempts reach loopback, private networks and the
	// installation itself. For development and tests.
	AllowPrivate bool
	// Own returns addresses of the installation that its network interfaces do not show,
	// such as a load balancer's. Attempts to them are refused. Own is called at each
	// connect, from several goroutines. Nil means no such addresses.
	// See [OwnHosts].
	Own func() []netip.Addr
	// Forbidden are networks that no attempt may reach, even if private targets are allowed.
	Forbidden []netip.Prefix
	// Timeout replaces the constant Timeout. Zero keeps it.
	Timeout time.Duration
	// RootCAs replaces the system's certificate authorities. Nil keeps them.
	RootCAs *x509.CertPool
}

// Client posts signed events. It is safe for concurrent use, and a process needs only one:
// it keeps the connections of an endpoint for a while, and an endpoint that hangs delays
// only its own attempts.
type Client struct {
	allowPrivate bool
	timeout      time.Duration
	dialer       *net.Dialer
	transport    *http.Transport
}

// NewClient returns a client. Proxy settings of the environment do not apply to it.
func NewClient(o Options) *Client {
	timeout := o.Timeout
	if timeout == 0 {
		timeout = Timeout
	}
	dialer := &net.Dialer{
		Timeout: timeout,
		Control: guard{allowPrivate: o.AllowPrivate, own: o.Own, forbidden: o.Forbidden}.control,
	}
	return &Client{
		allowPrivate: o.AllowPrivate,
		timeout:      timeout,
		dialer:       dialer,
		transport:    newTransport(dialer, timeout, o.RootCAs),
	}
}

// newTransport limits each phase to the timeout of the whole attempt: each phase may use all
// of it, and a dial continues after its request was given up, to serve the next one.
func newTransport(dialer *net.Dialer, timeout time.Duration, roots *x509.CertPool) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &http.Transport{
		DialContext:           dialWith(dialer),
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots},
		TLSHandshakeTimeout:   timeout,
		ResponseHeaderTimeout: timeout,
		Protocols:             protocols,
		HTTP2: &http.HTTP2Config{MaxReceiveBufferPerStream: maxBodyRead, SendPingTimeout: timeout,
			PingTimeout: timeout},
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConns:           idleConns,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTimeout,
	}
}
