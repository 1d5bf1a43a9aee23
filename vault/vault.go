// Package vault keeps what the database must not hold in the clear: signing
// secrets of webhook endpoints, phone numbers, and whatever else only the
// installation itself may read. It also derives the installation's other keys.
package vault

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// MinKeyLength is the shortest secret key, in bytes, that New accepts.
const MinKeyLength = 32

// ErrForeign reports a sealed value that this key did not seal, or that was
// altered, or that belongs elsewhere.
var ErrForeign = errors.New("vault: the value was not sealed by this installation's key")

// Vault seals with one installation's secret key. It is safe for concurrent use.
type Vault struct {
	keys []sealer // the first one seals, all of them open
	root []byte   // what other keys derive from
}

// sealer is what a secret key seals with.
type sealer struct {
	secret []byte
	id     [4]byte
	aead   cipher.AEAD
}

// New returns the vault of the installation's secret key (GAROUPA_SECRET_KEY). While
// the key is being changed, others open what they sealed.
func New(secretKey []byte, others ...[]byte) (*Vault, error) {
	v := &Vault{root: secretKey}
	for _, secret := range append([][]byte{secretKey}, others...) {
		if len(secret) < MinKeyLength {
			return nil, fmt.Errorf("vault: the secret key has %d bytes, it takes at least %d", len(secret), MinKeyLength)
		}
		block, err := aes.NewCipher(derive(secret, "seal"))
		if err != nil {
			return nil, fmt.Errorf("vault: %w", err)
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			return nil, fmt.Errorf("vault: %w", err)
		}
		v.keys = append(v.keys, sealer{secret, [4]byte(derive(secret, "id")), aead})
	}
	return v, nil
}

func derive(secret []byte, purpose string) []byte {
	key, err := hkdf.Key(sha256.New, secret, nil, "garoupa/"+purpose, 32)
	if err != nil { // only for a length that SHA-256 cannot give
		return nil
	}
	return key
}

// Key derives a key of 32 bytes for one purpose (HKDF-SHA256, RFC 5869). The same
// purpose gives the same key for the life of the installation: see OpenRoot.
func (v *Vault) Key(purpose string) []byte { return derive(v.root, purpose) }

// rootPlace is where the database keeps what SealRoot returns.
const rootPlace = "installation/key_check"

// SealRoot seals what keys derive from, for the database to keep. It is the secret
// key that the installation was begun with, and stays so when another one seals:
// links, digests and log-ins made from it must go on to mean what they did.
func (v *Vault) SealRoot() []byte {
	text := rootIsKey
	if !bytes.Equal(v.root, v.keys[0].secret) {
		text = rootIs + hex.EncodeToString(v.root)
	}
	return v.Seal(rootPlace, text)
}

// What SealRoot seals: that the root is the very key that sealed it, or which it is.
const (
	rootIsKey = "garoupa"
	rootIs    = "garoupa root "
)

// OpenRoot returns v deriving from the root in what SealRoot returned. It fails with
// ErrForeign if none of v's keys sealed it.
func (v *Vault) OpenRoot(sealed []byte) (*Vault, error) {
	text, by, err := v.open(rootPlace, sealed)
	if err != nil {
		return nil, err
	}
	root := by.secret
	if text != rootIsKey {
		encoded, ok := strings.CutPrefix(text, rootIs)
		if root, err = hex.DecodeString(encoded); !ok || err != nil || len(root) < MinKeyLength {
			return nil, ErrForeign
		}
	}
	return &Vault{keys: v.keys, root: root}, nil
}

// Digest returns HMAC-SHA256 of the parts, one after the other, in lower-case hex,
// under the secret key that the installation was begun with. It is for public names
// that must not be guessed.
func (v *Vault) Digest(parts ...string) string {
	h := hmac.New(sha256.New, v.root)
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
	k := v.keys[0]
	sealed := make([]byte, 0, len(k.id)+k.aead.NonceSize()+len(text)+k.aead.Overhead())
	sealed = append(sealed, k.id[:]...)
	nonce := make([]byte, k.aead.NonceSize())
	rand.Read(nonce) // never fails since Go 1.24
	sealed = append(sealed, nonce...)
	return k.aead.Seal(sealed, nonce, []byte(text), []byte(place))
}

// Open reverses Seal, with whichever of the keys sealed. It fails with ErrForeign.
func (v *Vault) Open(place string, sealed []byte) (string, error) {
	text, _, err := v.open(place, sealed)
	return text, err
}

func (v *Vault) open(place string, sealed []byte) (string, sealer, error) {
	for _, k := range v.keys {
		head := len(k.id) + k.aead.NonceSize()
		if len(sealed) < head || [4]byte(sealed[:4]) != k.id {
			continue
		}
		if text, err := k.aead.Open(nil, sealed[len(k.id):head], sealed[head:], []byte(place)); err == nil {
			return string(text), k, nil
		}
	}
	return "", sealer{}, ErrForeign
}

// KeyID is what each value begins with that the present key sealed. It tells nothing
// of the key.
func (v *Vault) KeyID() []byte { return v.keys[0].id[:] }

// Reseal seals anew, with the present key, what any of the keys sealed. It fails with
// ErrForeign.
func (v *Vault) Reseal(place string, sealed []byte) ([]byte, error) {
	text, err := v.Open(place, sealed)
	if err != nil {
		return nil, err
	}
	return v.Seal(place, text), nil
}
