package clientcert_test

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"strings"
	"testing"

	"software.sslmate.com/src/go-pkcs12"

	"garoupa/internal/clientcert"
)

func TestRead_PKCS12(t *testing.T) {
	t.Parallel()
	w := made()
	for name, encoder := range map[string]*pkcs12.Encoder{
		"Modern2023": pkcs12.Modern2023, "Modern2026": pkcs12.Modern2026,
		"LegacyRC2": pkcs12.LegacyRC2, "LegacyDES": pkcs12.LegacyDES,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := p12(encoder, w.company.key, password, w.root, w.authority, w.company)
			files := clientcert.Files{Certificate: file, Password: password}
			wantChain(t, files, w.company, w.authority)
			files.Key = pemKey(w.company.key)
			wantChain(t, files, w.company, w.authority)
			for _, wrong := range []string{"", "segredo", password + "x", strings.ToUpper(password), "\xff"} {
				wantProblem(t, clientcert.Files{Certificate: file, Password: wrong}, clientcert.WrongPassword)
			}
			file = p12(encoder, w.rsa.key, "", w.rsa)
			wantChain(t, clientcert.Files{Certificate: file}, w.rsa)
		})
	}
	strange := p12(pkcs12.Modern, w.rsa.key, "\xff", w.rsa) // not UTF-8
	wantChain(t, clientcert.Files{Certificate: strange, Password: "\xff"}, w.rsa)
	wantChain(t, clientcert.Files{Certificate: p12(pkcs12.Passwordless, w.rsa.key, "", w.rsa)}, w.rsa)
}

// A salt that begins like an octet string and a huge count is a salt nevertheless.
func TestRead_PKCS12Salt(t *testing.T) {
	t.Parallel()
	w := made()
	for name, encoder := range map[string]*pkcs12.Encoder{
		"Modern2023": pkcs12.Modern2023, "Modern2026": pkcs12.Modern2026, "LegacyDES": pkcs12.LegacyDES,
	} {
		file := p12(encoder.WithRand(likeCount{}), w.company.key, password, w.company)
		if !bytes.Contains(file, hugeCount) {
			t.Fatalf("%s: the salt is another one", name)
		}
		wantChain(t, clientcert.Files{Certificate: file, Password: password}, w.company)
	}
}

// hugeCount is an octet string, and a count that follows it.
var hugeCount = []byte{4, 0, 2, 4, 0x7f, 0xff, 0xff, 0xff}

// likeCount repeats hugeCount in place of random bytes.
type likeCount struct{}

func (likeCount) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = hugeCount[i%len(hugeCount)]
	}
	return len(p), nil
}

// Some wrong passwords decrypt to a padding that looks right; the rest does not.
func TestRead_PKCS12WrongPasswords(t *testing.T) {
	t.Parallel()
	w := made()
	file := p12(pkcs12.LegacyDES.WithIterations(1), w.company.key, password, w.company)
	for i := range 600 {
		files := clientcert.Files{Certificate: file, Password: strings.Repeat("x", i)}
		wantProblem(t, files, clientcert.WrongPassword)
	}
}

func TestRead_PKCS12Problems(t *testing.T) {
	t.Parallel()
	w := made()
	file := p12(pkcs12.Modern, w.company.key, password, w.company)
	trust := must(pkcs12.Modern.EncodeTrustStore([]*x509.Certificate{w.company.certificate}, password))
	short := sign(leaf("CURTA"), w.short, &w.authority)
	broken := bytes.Clone(w.company.certificate.Raw)
	broken[4]++ // the tag of the part that is signed
	for name, c := range map[string]struct {
		files clientcert.Files
		want  clientcert.Problem
	}{
		"no key":         {clientcert.Files{Certificate: trust}, clientcert.NoKey},
		"no certificate": {clientcert.Files{Certificate: onlyKey(t, file)}, clientcert.NoCertificate},
		"another's key": {clientcert.Files{Certificate: p12(pkcs12.Modern, w.other.key, password, w.company)},
			clientcert.Mismatch},
		"a second key": {clientcert.Files{Certificate: file, Key: pemKey(w.other.key)}, clientcert.SeveralKeys},
		"weak": {clientcert.Files{Certificate: p12(pkcs12.Modern, short.key, password, short)},
			clientcert.Weak},
		"cut":         {clientcert.Files{Certificate: file[:len(file)-1]}, clientcert.Garbage},
		"more behind": {clientcert.Files{Certificate: append(bytes.Clone(file), 0)}, clientcert.Garbage},
		"BER":         {clientcert.Files{Certificate: append([]byte{0x30, 0x80}, file...)}, clientcert.Unsupported},
		"version 4": {clientcert.Files{Certificate: replaced(t, file, "\x02\x01\x03", "\x02\x01\x04")},
			clientcert.Unsupported},
		"unknown cipher": {clientcert.Files{Certificate: replaced(t, file, aes256, aes256[:8]+"\x7f")},
			clientcert.Unsupported},
		"broken certificate": {clientcert.Files{Certificate: p12(pkcs12.Modern, w.company.key, password,
			pair{certificate: &x509.Certificate{Raw: broken}})}, clientcert.Garbage},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.files.Password = password
			wantProblem(t, c.files, c.want)
		})
	}
	wantProblem(t, clientcert.Files{Certificate: file, Password: "🔑"}, clientcert.Unsupported)
}

// Keys that cannot be read are no wrong passwords.
func TestRead_PKCS12Keys(t *testing.T) {
	t.Parallel()
	w := made()
	file := p12(pkcs12.Passwordless, w.company.key, "", w.company)
	certificates := partsOf(t, file)[0]
	read := func(kind asn1.ObjectIdentifier, key any, want clientcert.Problem) {
		t.Helper()
		bag := contentInfo{kind, explicitOf(key)}
		wantProblem(t, clientcert.Files{Certificate: fileOf([]asn1.RawValue{certificates, openPart(bag)})}, want)
	}
	how, unknown := encrypt(must(asn1.Marshal([]int{0, 4711})))
	read(oidShrouded, shrouded[scheme]{how, unknown}, clientcert.UnreadableKey)
	how.Parameters.Encryption.ID = oidTripleDES
	read(oidShrouded, shrouded[scheme]{how, unknown}, clientcert.Unsupported)
	enormous := asn1.RawValue{FullBytes: withAttributes(w.company.key, 5<<10)}
	read(oidKey, enormous, clientcert.UnreadableKey)

	three := append(partsOf(t, file), certificates)
	wantProblem(t, clientcert.Files{Certificate: fileOf(three)}, clientcert.Unsupported)
	signed := replaced(t, file, "\x01\x07\x01", "\x01\x07\x02")
	wantProblem(t, clientcert.Files{Certificate: signed}, clientcert.Unsupported)
}

// A file that would keep the processor busy for years is refused, in each place that has a
// count of iterations.
func TestRead_PKCS12Iterations(t *testing.T) {
	t.Parallel()
	w := made()
	most, tooMany := []byte{2, 3, 0x0f, 0x42, 0x40}, []byte{2, 3, 0x0f, 0x42, 0x41} // 1,000,000 and one more
	for _, encoder := range []*pkcs12.Encoder{pkcs12.Modern2026, pkcs12.LegacyDES} {
		file := p12(encoder.WithIterations(0x8000), w.company.key, password, w.company)
		count, found := []byte{2, 3, 0, 0x80, 0}, 0
		for at := range file {
			if !bytes.HasPrefix(file[at:], count) {
				continue
			}
			hostile := bytes.Clone(file)
			copy(hostile[at:], tooMany)
			wantProblem(t, clientcert.Files{Certificate: hostile, Password: password}, clientcert.Unsupported)
			found++
		}
		if found < 3 { // the MAC, the certificates, the key
			t.Errorf("%d counts in the file", found)
		}
		copy(file[bytes.LastIndex(file, count):], most) // of the MAC, which is not computed
		wantChain(t, clientcert.Files{Certificate: file, Password: password}, w.company)
	}
}

// The same count hidden in the encrypted part is never derived with: a file has its key in
// clear, and the library refuses a second one before it decrypts it.
func TestRead_PKCS12HiddenKey(t *testing.T) {
	t.Parallel()
	w := made()
	file := p12(pkcs12.Passwordless, w.company.key, "", w.company)
	parts := partsOf(t, file)
	if len(parts) != 2 {
		t.Fatalf("the file has %d parts", len(parts))
	}
	for _, order := range [][]asn1.RawValue{{parts[0], parts[1], parts[1]}, {parts[1], parts[1]}} {
		wantProblem(t, clientcert.Files{Certificate: fileOf(order)}, clientcert.SeveralKeys)
	}
	hidden := hiddenKey()
	wantProblem(t, clientcert.Files{Certificate: fileOf([]asn1.RawValue{hidden})}, clientcert.NoKey)
	wantProblem(t, clientcert.Files{Certificate: fileOf([]asn1.RawValue{hidden, parts[1]})}, clientcert.WrongPassword)
}
