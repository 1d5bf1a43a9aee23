// Package passkeytest is a device with passkeys in software. It signs whatever a test
// requests, so tests can send answers that no honest device would.
package passkeytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
)

// Flags of authenticator data.
const (
	present, verified = 1 << 0, 1 << 2
	synced            = 1 << 3
	attested          = 1 << 6
)

// Device holds one passkey. A test changes its fields to get wrong answers.
type Device struct {
	t          testing.TB
	key        *ecdsa.PrivateKey
	ID         []byte
	Handle     []byte // of the person; set when the passkey is made
	Origin     string
	Site       string // the relying party's id; "" for the one in the options
	SignCount  uint32 // of the next signature; 0: the device does not count
	Unverified bool   // it does not verify the person
	Synced     bool
	Format     string // of the attestation
}

// New returns a device whose browser is at an origin.
func New(t testing.TB, origin string) *Device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &Device{t: t, key: key, ID: []byte(rand.Text()), Origin: origin, Format: "none"}
}

// options are the parts of both kinds of options that the device reads.
type options struct {
	Challenge string `json:"challenge"`
	RPID      string `json:"rpId"`
	RP        struct {
		ID string `json:"id"`
	} `json:"rp"`
	User struct {
		ID string `json:"id"`
	} `json:"user"`
}

// Make creates the passkey that the options request, and returns the answer as the page's
// script sends it.
func (d *Device) Make(asked []byte) (answer string) {
	d.t.Helper()
	o := d.read(asked)
	var err error
	if d.Handle, err = base64.RawURLEncoding.DecodeString(o.User.ID); err != nil {
		d.t.Fatal(err)
	}
	public, err := d.key.PublicKey.Bytes() // 4, X, Y
	if err != nil {
		d.t.Fatal(err)
	}
	cose := d.cbor(map[int]any{1: 2, 3: -7, -1: 1, -2: public[1:33], -3: public[33:]})
	data := d.data(o.RP.ID, attested)
	data = append(data, make([]byte, 16)...) // the AAGUID of an unknown model
	data = binary.BigEndian.AppendUint16(data, uint16(len(d.ID)))
	data = append(append(data, d.ID...), cose...)
	return d.write(map[string][]byte{
		"id": d.ID, "clientDataJSON": d.clientData("webauthn.create", o.Challenge),
		"attestationObject": d.cbor(map[string]any{"fmt": d.Format, "attStmt": map[string]any{}, "authData": data}),
	})
}

// Sign signs the challenge of the options, and returns the answer as the page's script
// sends it.
func (d *Device) Sign(asked []byte) (answer string) {
	d.t.Helper()
	o := d.read(asked)
	data, client := d.data(o.RPID, 0), d.clientData("webauthn.get", o.Challenge)
	hash := sha256.Sum256(client)
	digest := sha256.Sum256(append(append([]byte{}, data...), hash[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, digest[:])
	if err != nil {
		d.t.Fatal(err)
	}
	return d.write(map[string][]byte{
		"id": d.ID, "clientDataJSON": client, "authenticatorData": data, "signature": signature, "userHandle": d.Handle,
	})
}

func (d *Device) read(asked []byte) (o options) {
	d.t.Helper()
	if err := json.Unmarshal(asked, &o); err != nil || o.Challenge == "" {
		d.t.Fatalf("options %s: %v", asked, err)
	}
	return o
}

func (d *Device) data(site string, flags byte) []byte {
	if d.Site != "" {
		site = d.Site
	}
	flags |= present
	if !d.Unverified {
		flags |= verified
	}
	if d.Synced {
		flags |= synced
	}
	hash := sha256.Sum256([]byte(site))
	return binary.BigEndian.AppendUint32(append(hash[:], flags), d.SignCount)
}

func (d *Device) clientData(kind, challenge string) []byte {
	d.t.Helper()
	text, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": d.Origin,
		"crossOrigin": false})
	if err != nil {
		d.t.Fatal(err)
	}
	return text
}

func (d *Device) cbor(value any) []byte {
	d.t.Helper()
	text, err := webauthncbor.Marshal(value)
	if err != nil {
		d.t.Fatal(err)
	}
	return text
}

func (d *Device) write(members map[string][]byte) string {
	d.t.Helper()
	encoded := map[string]string{}
	for name, value := range members {
		encoded[name] = base64.RawURLEncoding.EncodeToString(value)
	}
	text, err := json.Marshal(encoded)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}
