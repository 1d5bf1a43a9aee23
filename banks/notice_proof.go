package banks

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"garoupa/pix/psp/bacen"
)

// proof is what a request must show to count as the bank's.
type proof struct {
	certificate bool           // else the token in the path is enough
	roots       *x509.CertPool // of the bank's client certificate; nil for the system's
	commonName  string         // "" for any
}

// newProof fails for a profile by which anyone could prove to be the bank.
func newProof(p bacen.NoticeProof) (proof, error) {
	if p.Kind == "secret" {
		return proof{}, nil
	}
	out := proof{certificate: true, commonName: p.CommonName}
	if p.CA != "" {
		out.roots = x509.NewCertPool()
		if !out.roots.AppendCertsFromPEM([]byte(p.CA)) {
			return out, ErrNoProof
		}
	} else if p.CommonName == "" {
		return out, ErrNoProof
	}
	return out, nil
}

// holds reports whether a client with these certificates, its own first, is the bank. Whether the client has
// the key was found by the handshake. The purpose in the certificate does not count, because many banks use
// the certificate of a server.
func (p proof) holds(chain []*x509.Certificate, now time.Time) bool {
	if !p.certificate {
		return true
	}
	if len(chain) == 0 || p.commonName != "" && !strings.EqualFold(chain[0].Subject.CommonName, p.commonName) {
		return false
	}
	o := x509.VerifyOptions{Roots: p.roots, Intermediates: x509.NewCertPool(), CurrentTime: now,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}
	for _, c := range chain[1:] {
		o.Intermediates.AddCert(c)
	}
	_, err := chain[0].Verify(o)
	return err == nil
}

// certificates returns the certificates with which a request came: those of its TLS connection, or the one
// in the header of a trusted proxy that ends TLS.
func certificates(r *http.Request, header string, proxies []netip.Prefix) []*x509.Certificate {
	switch {
	case r.TLS != nil:
		return r.TLS.PeerCertificates
	case header == "" || !fromProxy(r, proxies) || len(r.Header.Values(header)) != 1:
		return nil // a proxy that adds a header beside the client's own is not believed
	}
	return headerCertificates(r.Header.Get(header))
}

func fromProxy(r *http.Request, proxies []netip.Prefix) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && slices.ContainsFunc(proxies, func(p netip.Prefix) bool {
		return p.Contains(peer.Addr().Unmap())
	})
}

// headerCertificates reads certificates as proxies write them: PEM, percent-encoded by most of them, or DER
// in base64.
func headerCertificates(value string) (chain []*x509.Certificate) {
	if decoded, err := url.PathUnescape(value); err == nil {
		value = decoded
	}
	if !strings.Contains(value, "-----BEGIN") {
		der, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return nil
		}
		chain, _ = x509.ParseCertificates(der)
		return chain
	}
	for block, rest := pem.Decode([]byte(value)); block != nil; block, rest = pem.Decode(rest) {
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil
		}
		chain = append(chain, c)
	}
	return chain
}
