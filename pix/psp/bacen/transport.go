package bacen

import (
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

const (
	// connectTime is how long a connection, and then TLS, may take.
	connectTime = 5 * time.Second
	// maxAnswer is the longest body that is read, in bytes.
	maxAnswer = 8 << 20
	// silence is after how long an HTTP/2 connection is tested, and then given up: else all calls
	// would share a connection that died unnoticed.
	silence = 10 * time.Second
)

// newTransport returns the connections of one bank account. The bank's chain and name are always
// verified, and no certificate is pinned, because banks change theirs without notice.
func newTransport(o Options) *http.Transport {
	t := &http.Transport{
		DialContext: (&net.Dialer{Timeout: connectTime, KeepAlive: silence}).DialContext,
		TLSClientConfig: &tls.Config{
			MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{o.Certificate}, RootCAs: o.Roots,
		},
		TLSHandshakeTimeout:    connectTime,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: silence, PingTimeout: connectTime},
		MaxIdleConnsPerHost:    o.Profile.InFlight,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
	if o.Proxy != nil {
		t.Proxy = http.ProxyURL(o.Proxy)
	}
	return t
}

// newHTTP returns a client that follows no redirects: they would take a token elsewhere.
func newHTTP(t *http.Transport) *http.Client {
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
