// Package clientcert reads the certificate with which a company proves who it is to its bank
// (BACEN API Pix: mutual TLS), from the files that banks and certification authorities give
// out: PKCS#12 with a password (RFC 7292), or PEM (RFC 7468).
//
// The files come from strangers. Reading them takes bounded time, and errors contain nothing
// of the files or of the password.
package clientcert

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"strings"
	"time"
	"unicode"
)

// MaxSize is the largest file that Read accepts, in bytes.
const MaxSize = 64 << 10

const (
	maxText   = 200     // characters of a subject or a common name
	maxKey    = 5 << 10 // bytes: RSA of 8192 bits, which takes half a second to check; 48 Kbits take two minutes
	minRSA    = 2048    // bits
	minCurve  = 256     // bits
	pemKey    = "PRIVATE KEY"
	pemSecret = "ENCRYPTED PRIVATE KEY"
	pemCert   = "CERTIFICATE"
)

// Files are the files that were uploaded, and the password of the private key, if it has one.
type Files struct {
	Certificate []byte // PKCS#12, PEM, or one certificate in DER
	Key         []byte // PEM; may be empty if the other file contains the key
	Password    string
}

// Parsed is a certificate that is valid and belongs to its key.
type Parsed struct {
	Chain       []byte // PEM, the leaf first, each further certificate issued the one before; without the root
	Key         []byte // PEM, PKCS#8, not encrypted
	TLS         tls.Certificate
	Subject     string // for people, as in RFC 2253; at most 200 characters
	CommonName  string // of the subject; at most 200 characters
	Document    string // the CPF or CNPJ that the certificate names, without punctuation; "" if none
	Fingerprint string // SHA-256 of the leaf, lower-case hex
	NotBefore   time.Time
	NotAfter    time.Time
}

// Read returns the certificate in the files. The order of the certificates does not matter,
// nor which of the files contains the key: the leaf is the certificate of the key. If several
// are, it is one that is valid now, then the one that ends last. An error is a Problem.
func Read(f Files, now time.Time) (Parsed, error) {
	if len(f.Certificate) > MaxSize || len(f.Key) > MaxSize {
		return Parsed{}, TooLarge
	}
	if len(bytes.TrimSpace(f.Certificate)) == 0 {
		return Parsed{}, Empty
	}
	var found contents
	for _, file := range [][]byte{f.Certificate, f.Key} {
		if err := found.add(file, f.Password); err != nil {
			return Parsed{}, err
		}
	}
	leaf, err := found.leaf(now)
	if err != nil {
		return Parsed{}, err
	}
	return found.parsed(leaf)
}

// contents is what was found in the files.
type contents struct {
	certificates []*x509.Certificate
	key          crypto.Signer
	keyBlocks    int // PEM blocks with a key
}

func (c *contents) add(file []byte, password string) error {
	if len(bytes.TrimSpace(file)) == 0 {
		return nil
	}
	if bytes.Contains(file, []byte("-----BEGIN ")) {
		return c.addPEM(file, password)
	}
	if certificate, err := x509.ParseCertificate(file); err == nil {
		c.certificates = append(c.certificates, certificate)
		return nil
	}
	return c.addPKCS12(file, password)
}

// addKey takes the results of a function that parses a private key.
func (c *contents) addKey(key any, err error) error {
	signer, ok := key.(crypto.Signer)
	if err != nil || !ok {
		return UnreadableKey
	}
	if c.key != nil && !belongs(c.key, signer.Public()) {
		return SeveralKeys
	}
	c.key = signer
	return nil
}

// belongs reports whether a public key is the one of a private key.
func belongs(key crypto.Signer, public crypto.PublicKey) bool {
	own, ok := key.Public().(interface{ Equal(crypto.PublicKey) bool })
	return ok && own.Equal(public)
}

// leaf returns the certificate of the key.
func (c *contents) leaf(now time.Time) (*x509.Certificate, error) {
	switch {
	case len(c.certificates) == 0:
		return nil, NoCertificate
	case c.key == nil:
		return nil, NoKey
	}
	var leaf *x509.Certificate
	for _, certificate := range c.certificates {
		if belongs(c.key, certificate.PublicKey) && (leaf == nil || better(certificate, leaf, now)) {
			leaf = certificate
		}
	}
	switch {
	case leaf == nil:
		return nil, Mismatch
	case !strong(leaf.PublicKey):
		return nil, Weak
	case now.Before(leaf.NotBefore):
		return nil, NotYet
	case now.After(leaf.NotAfter):
		return nil, Expired
	}
	return leaf, nil
}

// better reports whether a is the certificate to use, and not b. Both have the same key.
func better(a, b *x509.Certificate, now time.Time) bool {
	valid := func(c *x509.Certificate) bool { return !now.Before(c.NotBefore) && !now.After(c.NotAfter) }
	if valid(a) != valid(b) {
		return valid(a)
	}
	return a.NotAfter.After(b.NotAfter)
}

func strong(public crypto.PublicKey) bool {
	switch key := public.(type) {
	case *rsa.PublicKey:
		return key.N.BitLen() >= minRSA
	case *ecdsa.PublicKey:
		return key.Params().BitSize >= minCurve
	case ed25519.PublicKey:
		return true
	}
	return false
}

// chain returns the leaf, its issuer, the issuer's issuer and so on, as far as the files have
// them. It leaves out the root, which the bank has (RFC 8446, 4.4.2).
func (c *contents) chain(leaf *x509.Certificate) []*x509.Certificate {
	chain, last := []*x509.Certificate{leaf}, leaf
	for len(chain) <= len(c.certificates) {
		var issuer *x509.Certificate
		for _, certificate := range c.certificates {
			if issued(certificate, last) {
				issuer = certificate
			}
		}
		if issuer == nil || bytes.Equal(issuer.RawSubject, issuer.RawIssuer) {
			break
		}
		chain, last = append(chain, issuer), issuer
	}
	return chain
}

// issued compares names and key identifiers (RFC 5280, 4.1.2.4 and 4.2.1.1). It checks no
// signature: the bank does.
func issued(issuer, certificate *x509.Certificate) bool {
	sameKey := len(certificate.AuthorityKeyId) == 0 || len(issuer.SubjectKeyId) == 0 ||
		bytes.Equal(certificate.AuthorityKeyId, issuer.SubjectKeyId)
	return sameKey && bytes.Equal(issuer.RawSubject, certificate.RawIssuer)
}

func (c *contents) parsed(leaf *x509.Certificate) (Parsed, error) {
	key, err := x509.MarshalPKCS8PrivateKey(c.key)
	if err != nil {
		return Parsed{}, UnreadableKey
	}
	fingerprint := sha256.Sum256(leaf.Raw)
	parsed := Parsed{
		Key:         pem.EncodeToMemory(&pem.Block{Type: pemKey, Bytes: key}),
		TLS:         tls.Certificate{PrivateKey: c.key, Leaf: leaf},
		Subject:     readable(leaf.Subject.String()),
		CommonName:  readable(leaf.Subject.CommonName),
		Document:    document(leaf),
		Fingerprint: hex.EncodeToString(fingerprint[:]),
		NotBefore:   leaf.NotBefore,
		NotAfter:    leaf.NotAfter,
	}
	for _, certificate := range c.chain(leaf) {
		parsed.TLS.Certificate = append(parsed.TLS.Certificate, certificate.Raw)
		block := &pem.Block{Type: pemCert, Bytes: certificate.Raw}
		parsed.Chain = append(parsed.Chain, pem.EncodeToMemory(block)...)
	}
	return parsed, nil
}

// readable replaces what cannot be printed by spaces, and cuts the text.
func readable(text string) string {
	characters := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text))
	return string(characters[:min(len(characters), maxText)])
}
