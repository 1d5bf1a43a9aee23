package clientcert_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"slices"
	"sync"
	"testing"
	"time"

	"software.sslmate.com/src/go-pkcs12"

	"garoupa/internal/clientcert"
)

const password = "segredo-do-banço"

// now is when the tests take place, in the middle of the certificates' days.
var now = time.Date(2026, time.November, 23, 12, 0, 0, 0, time.UTC)

// pair is a certificate with its key.
type pair struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

// world is made once, because keys are slow to make: a root, an authority below it, and a
// company's certificates.
type world struct {
	root, authority, company, other, rsa pair
	short                                crypto.Signer
}

var made = sync.OnceValue(func() world {
	var w world
	w.root = sign(ca("Raiz de Teste"), curveKey(elliptic.P256()), nil)
	w.authority = sign(ca("AC de Teste"), curveKey(elliptic.P256()), &w.root)
	w.company = sign(leaf("PADARIA DA VILA LTDA:11222333000181"), curveKey(elliptic.P256()), &w.authority)
	w.other = sign(leaf("OUTRA"), curveKey(elliptic.P256()), &w.authority)
	w.rsa = sign(leaf("COM RSA"), rsaKey(2048), &w.authority)
	w.short = rsaKey(1024)
	return w
})

func curveKey(curve elliptic.Curve) crypto.Signer { return must(ecdsa.GenerateKey(curve, rand.Reader)) }

func rsaKey(bits int) crypto.Signer { return must(rsa.GenerateKey(rand.Reader, bits)) }

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func leaf(name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()),
		Subject:      pkix.Name{CommonName: name, Country: []string{"BR"}},
		NotBefore:    now.AddDate(0, -6, 0),
		NotAfter:     now.AddDate(0, 6, 0),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
}

func ca(name string) *x509.Certificate {
	template := leaf(name)
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage, template.ExtKeyUsage = x509.KeyUsageCertSign, nil
	return template
}

// sign makes a certificate of the key; without an issuer it signs itself.
func sign(template *x509.Certificate, key crypto.Signer, issuer *pair) pair {
	if issuer == nil {
		issuer = &pair{template, key}
	}
	der := must(x509.CreateCertificate(rand.Reader, template, issuer.certificate, key.Public(), issuer.key))
	return pair{must(x509.ParseCertificate(der)), key}
}

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func pemChain(pairs ...pair) []byte {
	var text []byte
	for _, p := range pairs {
		text = append(text, pemOf("CERTIFICATE", p.certificate.Raw)...)
	}
	return text
}

func pemKey(key crypto.Signer) []byte {
	return pemOf("PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(key)))
}

// p12 puts certificates and a key into PKCS#12.
func p12(encoder *pkcs12.Encoder, key crypto.Signer, word string, certificates ...pair) []byte {
	var others []*x509.Certificate
	for _, p := range certificates[1:] {
		others = append(others, p.certificate)
	}
	return must(encoder.Encode(key, certificates[0].certificate, others, word))
}

// wantProblem reads the files and expects them to be refused.
func wantProblem(t *testing.T, files clientcert.Files, want clientcert.Problem) {
	t.Helper()
	parsed, err := clientcert.Read(files, now)
	var got clientcert.Problem
	if !errors.As(err, &got) || got != want || parsed.Key != nil {
		t.Errorf("Read = %v, want %v", err, want)
	}
}

// wantChain reads the files and expects the certificates in this order, with the key of the first.
func wantChain(t *testing.T, files clientcert.Files, want ...pair) clientcert.Parsed {
	t.Helper()
	parsed, err := clientcert.Read(files, now)
	if err != nil {
		t.Fatal(err)
	}
	var chain [][]byte
	for _, p := range want {
		chain = append(chain, p.certificate.Raw)
	}
	if string(parsed.Chain) != string(pemChain(want...)) || string(parsed.Key) != string(pemKey(want[0].key)) ||
		!slices.EqualFunc(parsed.TLS.Certificate, chain, slices.Equal[[]byte]) {
		t.Errorf("Read returned another certificate or key: %s", parsed.Subject)
	}
	return parsed
}
