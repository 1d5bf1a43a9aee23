package clientcert_test

import (
	"bytes"
	"crypto/x509"
	"encoding/asn1"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"

	"software.sslmate.com/src/go-pkcs12"

	"garoupa/internal/clientcert"
)

// No file makes Read panic or take long. An error is a problem with an explanation and without
// the password or the files; a certificate that is accepted is accepted again as it is kept.
func FuzzRead(f *testing.F) {
	w := made()
	chain, key := pemChain(w.root, w.authority, w.company), pemKey(w.company.key)
	f.Add(slices.Concat(chain, key), []byte{}, "")
	f.Add(chain, key, password)
	f.Add(w.company.certificate.Raw, pemOf("RSA PRIVATE KEY", []byte{48, 0}), password)
	f.Add(chain, []byte("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: DES-CBC,00\n\n"+
		"AAAA\n-----END RSA PRIVATE KEY-----\n"), password)
	for _, encoder := range []*pkcs12.Encoder{
		pkcs12.Modern2023, pkcs12.Modern2026, pkcs12.LegacyRC2, pkcs12.LegacyDES,
	} {
		f.Add(p12(encoder, w.company.key, password, w.company, w.authority), []byte{}, password)
	}
	f.Add(p12(pkcs12.Passwordless, w.company.key, "", w.company), []byte{}, "")
	f.Add(fileOf([]asn1.RawValue{hiddenKey()}), []byte{}, "")
	f.Add(bytes.Repeat([]byte{0x30, 0x82, 0xff, 0xff}, 16<<10), []byte{}, "")
	f.Fuzz(func(t *testing.T, certificate, key []byte, word string) {
		parsed, err := clientcert.Read(clientcert.Files{Certificate: certificate, Key: key, Password: word}, now)
		if err != nil {
			checkError(t, err)
			return
		}
		again, err := clientcert.Read(clientcert.Files{Certificate: parsed.Chain, Key: parsed.Key}, now)
		if err != nil || again.Fingerprint != parsed.Fingerprint || !bytes.Equal(again.Chain, parsed.Chain) ||
			!bytes.Equal(again.Key, parsed.Key) || again.Subject != parsed.Subject {
			t.Errorf("read again: %v, %q, want %q", err, again.Subject, parsed.Subject)
		}
	})
}

// checkError compares with all explanations, so an error cannot quote anything.
func checkError(t *testing.T, err error) {
	t.Helper()
	var problem clientcert.Problem
	if !errors.As(err, &problem) || !slices.Contains(problems, problem) {
		t.Errorf("%v is not a known problem", err)
	}
}

var problems = []clientcert.Problem{
	clientcert.TooLarge, clientcert.Empty, clientcert.Garbage, clientcert.Unsupported,
	clientcert.WrongPassword, clientcert.EncryptedKey, clientcert.NoCertificate, clientcert.NoKey,
	clientcert.SeveralKeys, clientcert.UnreadableKey, clientcert.Mismatch, clientcert.Weak,
	clientcert.Expired, clientcert.NotYet,
}

func TestProblem(t *testing.T) {
	t.Parallel()
	texts := map[string]bool{}
	for _, problem := range problems {
		text, ok := strings.CutPrefix(problem.Error(), "clientcert: ")
		if !ok || text == "" || texts[text] {
			t.Errorf("%s: Error() = %q", string(problem), problem.Error())
		}
		texts[text] = true
	}
}

// Errors are the same for all passwords and keys, so they contain none of them.
func TestRead_Secrets(t *testing.T) {
	t.Parallel()
	w := made()
	file := p12(pkcs12.Modern, w.company.key, password, w.company)
	der := must(x509.MarshalPKCS8PrivateKey(w.company.key))
	for _, files := range []clientcert.Files{
		{Certificate: file, Password: "senha-errada"},
		{Certificate: pemChain(w.other), Key: pemKey(w.company.key), Password: "senha-errada"},
		{Certificate: pemChain(w.other), Key: pemOf("PRIVATE KEY", der[:len(der)-1]), Password: "senha-errada"},
	} {
		_, err := clientcert.Read(files, now)
		if err == nil {
			t.Fatal("the files were accepted")
		}
		checkError(t, err)
		for _, secret := range []string{"senha", password, hex.EncodeToString(der[:8]), "PADARIA", "OUTRA"} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error %q contains %q", err, secret)
			}
		}
	}
}
