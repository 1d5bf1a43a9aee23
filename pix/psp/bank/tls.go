package bank

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"time"
)

// tlsConfig asks for a client certificate and refuses one that the folder's authority has not
// made. A connection without one is accepted, because a payer's app has none; handlers of the
// API refuse it.
func (s *Server) tlsConfig() *tls.Config {
	authorities := s.post.authorities
	config := &tls.Config{
		MinVersion:   tls.VersionTLS12,
		Certificates: []tls.Certificate{s.identity},
		ClientAuth:   tls.VerifyClientCertIfGiven,
		ClientCAs:    authorities,
		NextProtos:   []string{"h2", "http/1.1"},
		Time:         s.now,
	}
	config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
		if !s.active("expired-cert") {
			return nil, nil
		}
		later := config.Clone()
		later.GetConfigForClient = nil
		later.Time = func() time.Time { return s.now().AddDate(20, 0, 0) }
		return later, nil
	}
	return config
}

// clientOf returns the certificate of the client, or nil.
func clientOf(r *http.Request) *x509.Certificate {
	if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
		return nil
	}
	return r.TLS.VerifiedChains[0][0]
}
