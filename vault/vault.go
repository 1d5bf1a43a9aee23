// Package vault keeps what the database must not hold in the clear: signing
// secrets of webhook endpoints, phone numbers, and whatever else only the
// installation itself may read. It also derives the installation's other keys.
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// MinKeyLength is the shortest secret key, in bytes, that New accepts.
const MinKeyLength = 32

// ErrForeign reports a sealed value that this key did not seal, or that was
// altered, or that belongs elsewhere.
var ErrForeign = errors.New("vault: the value was not sealed by this installation's key")

// Vault seals with one installation's secret key. It is safe for concurrent use.
type Vault struct {
	secret []byte
	id     [4]byte
	aead   cipher.AEAD
}

// New returns the vault of the installation's secret key (GAROUPA_SECRET_KEY).
func New(secretKey []byte) (*Vault, error) {
	if len(secretKey) < MinKeyLength {
		return nil, fmt.Errorf("vault: the secret key has %d bytes, it takes at least %d", len(secretKey), MinKeyLength)
	}
	v := &Vault{secret: secretKey}
	block, err := aes.NewCipher(v.Key("seal"))
	if err != nil {
		return nil, fmt.Errorf("vault: %w", err)
	}
	if v.aead, err = cipher.NewGCM(block); err != nil {
		return nil, fmt.Errorf("vault: %w", err)
	}
	copy(v.id[:], v.Key("id"))
	return v, nil
}

// Key derives a key of 32 bytes for one purpose (HKDF-SHA256, RFC 5869). The
// same purpose gives the same key for as long as the secret key stays.
func (v *Vault) Key(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, v.secret, nil, "garoupa/"+purpose, 32)
	if err != nil { // only for a length that SHA-256 cannot give
		return nil
	}
	return key
}

// Digest returns HMAC-SHA256 of the parts, one after the other, under the secret key
// itself, in lower-case hex. It is for public names that must not be guessed.
func (v *Vault) Digest(parts ...string) string {
	h := hmac.New(sha256.New, v.secret)
	for _, part := range parts {
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// tokenProof is how many hex digits at the end of a token prove where it is from.
const tokenProof = 32

// Token returns what a link in a mail carries in place of a row's id: the id and a
// proof that this installation wrote it. The database holds the id alone, so a copy
// of it opens nothing.
func (v *Vault) Token(id string) string {
	h := hmac.New(sha256.New, v.Key("token"))
	h.Write([]byte(id))
	return id + hex.EncodeToString(h.Sum(nil))[:tokenProof]
}

// TokenID returns the id in a token, and whether Token made it.
func (v *Vault) TokenID(token string) (id string, ok bool) {
	if len(token) <= tokenProof {
		return "", false
	}
	id = token[:len(token)-tokenProof]
	return id, hmac.Equal([]byte(token), []byte(v.Token(id)))
}

// Seal encrypts text (AES-256-GCM, a random nonce, the key's id in front) for
// one place, such as "webhook_endpoints/we_…". Open must name the same place, so
// that a sealed value moved to another row does not open there.
func (v *Vault) Seal(place, text string) []byte {
	sealed := make([]byte, 0, len(v.id)+v.aead.NonceSize()+len(text)+v.aead.Overhead())
	sealed = append(sealed, v.id[:]...)
	nonce := make([]byte, v.aead.NonceSize())
	rand.Read(nonce) // never fails since Go 1.24
	sealed = append(sealed, nonce...)
	return v.aead.Seal(sealed, nonce, []byte(text), []byte(place))
}

// Open reverses Seal. It fails with ErrForeign.
func (v *Vault) Open(place string, sealed []byte) (string, error) {
	head := len(v.id) + v.aead.NonceSize()
	if len(sealed) < head || [4]byte(sealed[:4]) != v.id {
		return "", ErrForeign
	}
	text, err := v.aead.Open(nil, sealed[len(v.id):head], sealed[head:], []byte(place))
	if err != nil {
		return "", ErrForeign
	}
	return string(text), nil
}
