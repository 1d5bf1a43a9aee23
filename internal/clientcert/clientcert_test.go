package clientcert_test

import (
	"bytes"
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"garoupa/internal/clientcert"
)

func TestRead_PEM(t *testing.T) {
	t.Parallel()
	w := made()
	key := pemKey(w.company.key)
	sec1 := pemOf("EC PRIVATE KEY", must(x509.MarshalECPrivateKey(w.company.key.(*ecdsa.PrivateKey))))
	chain := pemChain(w.company, w.authority)
	for name, files := range map[string]clientcert.Files{
		"in one file":           {Certificate: slices.Concat(chain, key)},
		"key first":             {Certificate: slices.Concat(key, chain)},
		"in two files":          {Certificate: chain, Key: key},
		"files swapped":         {Certificate: key, Key: chain},
		"key in both files":     {Certificate: slices.Concat(chain, key), Key: sec1},
		"SEC 1":                 {Certificate: chain, Key: slices.Concat(pemOf("EC PARAMETERS", []byte{5, 0}), sec1)},
		"with the root, upside": {Certificate: pemChain(w.root, w.authority, w.company), Key: key},
		"with a stranger":       {Certificate: pemChain(w.other, w.authority, w.company), Key: key},
		"twice":                 {Certificate: slices.Concat(chain, chain), Key: key},
		"from Windows": {Certificate: append([]byte("\xef\xbb\xbf"),
			bytes.ReplaceAll(slices.Concat(chain, key), []byte("\n"), []byte("\r\n"))...)},
		"with words between":   {Certificate: slices.Concat([]byte("0 s:CN = x\n"), chain, []byte("\nkey:\n"), key)},
		"superfluous password": {Certificate: chain, Key: key, Password: password},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantChain(t, files, w.company, w.authority)
		})
	}
	rsaKey := pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(w.rsa.key.(*rsa.PrivateKey)))
	wantChain(t, clientcert.Files{Certificate: pemChain(w.rsa), Key: rsaKey}, w.rsa)
	wantChain(t, clientcert.Files{Certificate: w.company.certificate.Raw, Key: key}, w.company) // .cer
}

func TestRead_Fields(t *testing.T) {
	t.Parallel()
	w := made()
	parsed := wantChain(t, clientcert.Files{Certificate: pemChain(w.company), Key: pemKey(w.company.key)}, w.company)
	sum := sha256.Sum256(w.company.certificate.Raw)
	if parsed.Subject != "CN=PADARIA DA VILA LTDA:11222333000181,C=BR" ||
		parsed.CommonName != "PADARIA DA VILA LTDA:11222333000181" || parsed.Document != "11222333000181" ||
		parsed.Fingerprint != hex.EncodeToString(sum[:]) ||
		!parsed.NotBefore.Equal(now.AddDate(0, -6, 0)) || !parsed.NotAfter.Equal(now.AddDate(0, 6, 0)) {
		t.Errorf("got %q %q %q %q %v %v", parsed.Subject, parsed.CommonName, parsed.Document,
			parsed.Fingerprint, parsed.NotBefore, parsed.NotAfter)
	}
	long := sign(leaf("linha\n"+strings.Repeat("é", 300)), w.company.key, nil)
	parsed = wantChain(t, clientcert.Files{Certificate: pemChain(long), Key: pemKey(long.key)}, long)
	if want := "linha " + strings.Repeat("é", 194); parsed.CommonName != want || len([]rune(parsed.Subject)) != 200 ||
		strings.Contains(parsed.Subject, "\n") {
		t.Errorf("CommonName = %q, Subject = %q", parsed.CommonName, parsed.Subject)
	}
}

func TestRead_Problems(t *testing.T) {
	t.Parallel()
	w := made()
	chain, key := pemChain(w.company, w.authority), pemKey(w.company.key)
	enormous := withAttributes(w.company.key, 5<<10)
	exchange := must(x509.MarshalPKCS8PrivateKey(must(ecdh.X25519().GenerateKey(rand.Reader))))
	type files = clientcert.Files
	for name, c := range map[string]struct {
		files files
		want  clientcert.Problem
	}{
		"nothing":           {files{}, clientcert.Empty},
		"spaces":            {files{Certificate: []byte(" \r\n")}, clientcert.Empty},
		"only a key's file": {files{Key: slices.Concat(chain, key)}, clientcert.Empty},
		"65 KiB":            {files{Certificate: make([]byte, 65<<10), Key: key}, clientcert.TooLarge},
		"key of 65 KiB":     {files{Certificate: chain, Key: make([]byte, 65<<10)}, clientcert.TooLarge},
		"garbage":           {files{Certificate: []byte("certificado"), Key: key}, clientcert.Garbage},
		"garbage as key":    {files{Certificate: chain, Key: []byte("chave")}, clientcert.Garbage},
		"cut PEM":           {files{Certificate: chain[:100], Key: key}, clientcert.Garbage},
		"cut certificate": {files{Certificate: pemOf("CERTIFICATE", w.company.certificate.Raw[:99]), Key: key},
			clientcert.Garbage},
		"no key":         {files{Certificate: chain}, clientcert.NoKey},
		"DER alone":      {files{Certificate: w.company.certificate.Raw}, clientcert.NoKey},
		"no certificate": {files{Certificate: key}, clientcert.NoCertificate},
		"two keys": {files{Certificate: slices.Concat(chain, key), Key: pemKey(w.other.key)},
			clientcert.SeveralKeys},
		"a key thrice":  {files{Certificate: slices.Concat(chain, key, key), Key: key}, clientcert.SeveralKeys},
		"another's key": {files{Certificate: chain, Key: pemKey(w.other.key)}, clientcert.Mismatch},
		"RSA and curve": {files{Certificate: chain, Key: pemKey(w.rsa.key)}, clientcert.Mismatch},
		"damaged key": {files{Certificate: chain, Key: pemOf("PRIVATE KEY", []byte("chave"))},
			clientcert.UnreadableKey},
		"key that cannot sign": {files{Certificate: chain, Key: pemOf("PRIVATE KEY", exchange)},
			clientcert.UnreadableKey},
		"enormous key": {files{Certificate: chain, Key: pemOf("PRIVATE KEY", enormous)},
			clientcert.UnreadableKey},
		"encrypted PKCS#8": {files{Certificate: chain, Key: pemOf("ENCRYPTED PRIVATE KEY", []byte{48, 0}),
			Password: password}, clientcert.EncryptedKey},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantProblem(t, c.files, c.want)
		})
	}
	wantChain(t, files{Certificate: chain, Key: pemOf("PRIVATE KEY", withAttributes(w.company.key, 99))},
		w.company, w.authority)
	full := append(slices.Concat(chain, key), bytes.Repeat([]byte("\n"), clientcert.MaxSize)...)[:clientcert.MaxSize]
	wantChain(t, files{Certificate: full}, w.company, w.authority)
}

// The last second of a certificate is valid, the next one is not.
func TestRead_Days(t *testing.T) {
	t.Parallel()
	w := made()
	template := leaf("DIAS")
	for _, c := range []struct {
		before, after int // seconds from now
		want          clientcert.Problem
	}{{-9, -1, clientcert.Expired}, {1, 9, clientcert.NotYet}, {0, 9, ""}, {-9, 0, ""}} {
		template.NotBefore = now.Add(time.Duration(c.before) * time.Second)
		template.NotAfter = now.Add(time.Duration(c.after) * time.Second)
		p := sign(template, w.company.key, &w.authority)
		files := clientcert.Files{Certificate: pemChain(p), Key: pemKey(p.key)}
		if c.want == "" {
			wantChain(t, files, p)
			continue
		}
		wantProblem(t, files, c.want)
	}
}

// A file may have certificates of years before and after with the same key.
func TestRead_Renewed(t *testing.T) {
	t.Parallel()
	w := made()
	year := func(years int) pair {
		template := leaf("RENOVADA")
		template.NotBefore, template.NotAfter = now.AddDate(years-1, 1, 0), now.AddDate(years, 1, 0)
		return sign(template, w.company.key, &w.authority)
	}
	past, current, next := year(-1), year(0), year(1)
	for _, order := range [][]pair{{past, current, next}, {next, current, past}, {current, next, past}} {
		wantChain(t, clientcert.Files{Certificate: pemChain(order...), Key: pemKey(w.company.key)}, current)
	}
	files := clientcert.Files{Certificate: pemChain(past, next), Key: pemKey(w.company.key)}
	wantProblem(t, files, clientcert.NotYet)
}

// Authorities renew their keys and keep their names.
func TestRead_AuthoritiesOfOneName(t *testing.T) {
	t.Parallel()
	w := made()
	renewed := sign(ca("AC de Teste"), curveKey(elliptic.P256()), &w.root)
	for _, order := range [][]pair{{w.company, w.authority, renewed}, {w.company, renewed, w.authority}} {
		files := clientcert.Files{Certificate: pemChain(order...), Key: pemKey(w.company.key)}
		wantChain(t, files, w.company, w.authority)
	}
}

func TestRead_Strength(t *testing.T) {
	t.Parallel()
	w := made()
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key  crypto.Signer
		weak bool
	}{{w.short, true}, {curveKey(elliptic.P224()), true}, {curveKey(elliptic.P521()), false}, {edwards, false}} {
		p := sign(leaf("FORTE"), c.key, &w.authority)
		files := clientcert.Files{Certificate: pemChain(p), Key: pemKey(p.key)}
		if c.weak {
			wantProblem(t, files, clientcert.Weak)
			continue
		}
		wantChain(t, files, p)
	}
}

// The keys of `openssl rsa -aes256` are PEM with a DEK-Info header.
func TestRead_LegacyEncryption(t *testing.T) {
	t.Parallel()
	w := made()
	der := x509.MarshalPKCS1PrivateKey(w.rsa.key.(*rsa.PrivateKey))
	for _, cipher := range []x509.PEMCipher{x509.PEMCipher3DES, x509.PEMCipherAES256} {
		//lint:ignore SA1019 only tests write this format
		block := must(x509.EncryptPEMBlock(rand.Reader, "RSA PRIVATE KEY", der, []byte(password), cipher))
		files := clientcert.Files{Certificate: pemChain(w.rsa), Key: pem.EncodeToMemory(block), Password: password}
		wantChain(t, files, w.rsa)
		for i := range 400 { // one of 256 decrypts to a right padding
			files.Password = strings.Repeat("x", i)
			wantProblem(t, files, clientcert.WrongPassword)
		}
	}
}

// A bank that knows only the root accepts the certificate.
func TestRead_TLS(t *testing.T) {
	t.Parallel()
	w := made()
	bank := httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(rw, r.TLS.PeerCertificates[0].Subject.CommonName)
	}))
	roots := x509.NewCertPool()
	roots.AddCert(w.root.certificate)
	bank.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: roots,
		Time: func() time.Time { return now }}
	bank.StartTLS()
	defer bank.Close()
	files := clientcert.Files{Certificate: pemChain(w.root, w.authority, w.other), Key: pemKey(w.other.key)}
	parsed := wantChain(t, files, w.other, w.authority)
	client := bank.Client()
	client.Transport.(*http.Transport).TLSClientConfig.Certificates = []tls.Certificate{parsed.TLS}
	response, err := client.Get(bank.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if name, err := io.ReadAll(response.Body); string(name) != "OUTRA" || err != nil {
		t.Errorf("the bank saw %q, %v", name, err)
	}
	if again, err := tls.X509KeyPair(parsed.Chain, parsed.Key); err != nil || len(again.Certificate) != 2 {
		t.Errorf("X509KeyPair: %v", err)
	}
}
