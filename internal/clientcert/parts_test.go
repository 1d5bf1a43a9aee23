package clientcert_test

import (
	"bytes"
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/sha1"
	"crypto/x509"
	"encoding/asn1"
	"slices"
	"testing"
)

// aes256 is the identifier of AES-256-CBC in DER.
const aes256 = "\x60\x86\x48\x01\x65\x03\x04\x01\x2a"

var (
	oidData      = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 1}
	oidEncrypted = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 7, 6}
	oidKey       = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 12, 10, 1, 1}
	oidShrouded  = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 12, 10, 1, 2}
	oidTripleDES = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 12, 1, 3}
	oidPBES2     = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 13}
	oidPBKDF2    = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 12}
	oidAES256    = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 1, 42}
)

func replaced(t *testing.T, file []byte, old, with string) []byte {
	t.Helper()
	if !bytes.Contains(file, []byte(old)) {
		t.Fatalf("the file has no %x", old)
	}
	return bytes.Replace(file, []byte(old), []byte(with), 1)
}

// The structures of RFC 7292, as far as tests take them apart.
type (
	contentInfo struct {
		Type    asn1.ObjectIdentifier
		Content asn1.RawValue
	}
	pfx struct {
		Version int
		Safe    contentInfo
		MAC     asn1.RawValue `asn1:"optional"`
	}
)

func parse[T any](t *testing.T, der []byte) T {
	t.Helper()
	var value T
	if rest, err := asn1.Unmarshal(der, &value); err != nil || len(rest) > 0 {
		t.Fatalf("%v, %d bytes more", err, len(rest))
	}
	return value
}

func partsOf(t *testing.T, file []byte) []asn1.RawValue {
	t.Helper()
	safe := parse[[]byte](t, parse[pfx](t, file).Safe.Content.Bytes)
	return parse[[]asn1.RawValue](t, safe)
}

// fileOf returns a file with these parts and without a MAC.
func fileOf(parts []asn1.RawValue) []byte {
	octets := must(asn1.Marshal(must(asn1.Marshal(parts))))
	return must(asn1.Marshal(struct {
		Version int
		Safe    contentInfo
	}{3, contentInfo{oidData, explicit(octets)}}))
}

// onlyKey returns the file without its encrypted part, which has the certificates.
func onlyKey(t *testing.T, file []byte) []byte {
	t.Helper()
	return fileOf(slices.DeleteFunc(partsOf(t, file), func(part asn1.RawValue) bool {
		return parse[contentInfo](t, part.FullBytes).Type.Equal(oidEncrypted)
	}))
}

// algorithm is an AlgorithmIdentifier; its parameters are any structure.
type algorithm[T any] struct {
	ID         asn1.ObjectIdentifier
	Parameters T
}

// salted are the parameters of PBKDF2 and of the older derivation.
type salted struct {
	Salt       []byte
	Iterations int64
}

func explicit(der []byte) asn1.RawValue {
	return asn1.RawValue{Class: asn1.ClassContextSpecific, IsCompound: true, Bytes: der}
}

// scheme are the parameters of PBES2.
type scheme struct {
	Derivation algorithm[salted]
	Encryption algorithm[[]byte]
}

// shrouded is a key in a bag (EncryptedPrivateKeyInfo).
type shrouded[T any] struct {
	Algorithm algorithm[T]
	Data      []byte
}

func explicitOf(value any) asn1.RawValue { return explicit(must(asn1.Marshal(value))) }

// encrypt encrypts without a password.
func encrypt(plain []byte) (algorithm[scheme], []byte) {
	padding := aes.BlockSize - len(plain)%aes.BlockSize
	secret := append(bytes.Clone(plain), bytes.Repeat([]byte{byte(padding)}, padding)...)
	salt, vector := []byte("salt"), make([]byte, aes.BlockSize)
	key := must(pbkdf2.Key(sha1.New, "", salt, 1, 32))
	cipher.NewCBCEncrypter(must(aes.NewCipher(key)), vector).CryptBlocks(secret, secret)
	return algorithm[scheme]{oidPBES2, scheme{
		algorithm[salted]{oidPBKDF2, salted{salt, 1}}, algorithm[[]byte]{oidAES256, vector}}}, secret
}

// openPart returns a part in clear.
func openPart(bags ...contentInfo) asn1.RawValue {
	content := explicitOf(must(asn1.Marshal(bags)))
	return asn1.RawValue{FullBytes: must(asn1.Marshal(contentInfo{oidData, content}))}
}

// withAttributes returns a key as PKCS#8 that has attributes of this size.
func withAttributes(key crypto.Signer, size int) []byte {
	var whole asn1.RawValue
	if _, err := asn1.Unmarshal(must(x509.MarshalPKCS8PrivateKey(key)), &whole); err != nil {
		panic(err)
	}
	attributes := asn1.RawValue{Class: asn1.ClassContextSpecific, IsCompound: true, Bytes: make([]byte, size)}
	whole.Bytes = append(whole.Bytes, must(asn1.Marshal(attributes))...)
	whole.FullBytes = nil
	return must(asn1.Marshal(whole))
}

// hiddenKey returns a part, encrypted without a password, with a key whose derivation would
// take a day.
func hiddenKey() asn1.RawValue {
	derivation := algorithm[salted]{oidTripleDES, salted{[]byte("salt"), 1 << 40}}
	key := shrouded[salted]{derivation, make([]byte, 8)}
	type encrypted struct {
		Type      asn1.ObjectIdentifier
		Algorithm algorithm[scheme]
		Content   []byte `asn1:"tag:0"`
	}
	type encryptedData struct {
		Version int
		Content encrypted
	}
	how, content := encrypt(must(asn1.Marshal([]contentInfo{{oidShrouded, explicitOf(key)}})))
	data := encryptedData{0, encrypted{oidData, how, content}}
	return asn1.RawValue{FullBytes: must(asn1.Marshal(contentInfo{oidEncrypted, explicitOf(data)}))}
}
