// Package vault seals (encrypts and authenticates) values that the database must not hold in
// plain text: signing secrets of webhook endpoints, phone numbers, and others.
// It also derives the installation's other keys.
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

// ErrForeign reports a value that no known key sealed, or that was changed, or that belongs
// to another place.
var ErrForeign = errors.New("vault: the value was not sealed by this installation's key")

// Vault seals with one installation's secret key. It is safe for concurrent use.
type Vault struct {
	keys []sealer // the first seals, all open
	root []byte   // the input of Key
}

// sealer seals with one secret key.
type sealer struct {
	secret []byte
	id     [4]byte
	aead   cipher.AEAD
}

// New returns the vault of the installation's secret key (GAROUPA_SECRET_KEY). During a key
// rotation, others open what they sealed.
func New(secretKey []byte, others ...[]byte) (*Vault, error) {
	v := &Vault{root: secretKey}
	for _, secret := range append([][]byte{secretKey}, others...) {
		if len(secret) < MinKeyLength {
			return nil, fmt.Errorf("vault: the secret key has %d bytes, it needs at least %d", len(secret),
				MinKeyLength)
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
	if err != nil { // only for a length that SHA-256 cannot produce
		return nil
	}
	return key
}

// Key derives a key of 32 bytes for one purpose (HKDF-SHA256, RFC 5869). The same
// purpose gives the same key for the life of the installation: see OpenRoot.
func (v *Vault) Key(purpose string) []byte { return derive(v.root, purpose) }

// rootPlace is where the database stores the result of SealRoot.
const rootPlace = "installation/key_check"

// SealRoot seals the root, from which keys derive, for storage in the database. The root is
// the first secret key of the installation. It stays the same when the secret key is
// replaced, because links, digests and log-ins that derive from it must stay valid.
func (v *Vault) SealRoot() []byte {
	text := rootIsKey
	if !bytes.Equal(v.root, v.keys[0].secret) {
		text = rootIs + hex.EncodeToString(v.root)
	}
	return v.Seal(rootPlace, text)
}

// The two forms of the sealed root: a note that the root is the key that sealed it, or the
// root itself.
const (
	rootIsKey = "garoupa"
	rootIs    = "garoupa root "
)

// OpenRoot returns a copy of v that derives keys from the sealed root. It fails with
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

// Digest returns the HMAC-SHA256 of the concatenated parts, in lower-case hex, under the
// root key. It is for public names that must not be guessed.
func (v *Vault) Digest(parts ...string) string {
	h := hmac.New(sha256.New, v.root)
	for _, part := range parts {
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// tokenProof is the number of hex digits at the end of a token that authenticate it.
const tokenProof = 32

// Token returns what a link in a mail contains: a row's id and a proof that this
// installation wrote it. The database holds only the id, so a copy of the database opens no
// link.
func (v *Vault) Token(id string) string {
	h := hmac.New(sha256.New, v.Key("token"))
	h.Write([]byte(id))
	return id + hex.EncodeToString(h.Sum(nil))[:tokenProof]
}

// TokenID returns the id in a token, and whether Token created it.
func (v *Vault) TokenID(token string) (id string, ok bool) {
	if len(token) <= tokenProof {
		return "", false
	}
	id = token[:len(token)-tokenProof]
	return id, hmac.Equal([]byte(token), []byte(v.Token(id)))
}

// Seal encrypts text (AES-256-GCM, a random nonce, preceded by the key's id) for one place,
// such as "webhook_endpoints/we_…". Open must name the same place, so a sealed value that
// is moved to another row does not open there.
func (v *Vault) Seal(place, text string) []byte {
	k := v.keys[0]
	sealed := make([]byte, 0, len(k.id)+k.aead.NonceSize()+len(text)+k.aead.Overhead())
	sealed = append(sealed, k.id[:]...)
	nonce := make([]byte, k.aead.NonceSize())
	rand.Read(nonce) // never fails since Go 1.24
	sealed = append(sealed, nonce...)
	return k.aead.Seal(sealed, nonce, []byte(text), []byte(place))
}

// Open reverses Seal with the key that sealed the value. It fails with ErrForeign.
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

// KeyID returns the first bytes of each value that the current key sealed. It reveals
// nothing about the key.
func (v *Vault) KeyID() []byte { return v.keys[0].id[:] }

// Reseal seals with the current key a value that any of the keys sealed. It fails with
// ErrForeign.
func (v *Vault) Reseal(place string, sealed []byte) ([]byte, error) {
	text, err := v.Open(place, sealed)
	if err != nil {
		return nil, err
	}
	return v.Seal(place, text), nil
}
