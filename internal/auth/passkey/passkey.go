// Package passkey writes the requests to a browser to create a passkey or to sign with one,
// and checks the answers (Web Authentication, level 3). It stores nothing: the caller
// stores the challenge. Before the caller trusts an answer, it must verify that the
// challenge is its own, unused and not expired.
package passkey

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
)

// Lasts is how long a person has to answer a challenge.
const Lasts = 5 * time.Minute

// ErrRefused reports an invalid answer: malformed, of another site, without verification of
// the person, or with a wrong signature.
var ErrRefused = errors.New("passkey: refused")

// Site is the site that passkeys are created for. They work only at its host.
type Site struct{ party *webauthn.WebAuthn }

// NewSite returns the site at an address, with the name that devices show. It returns nil
// where browsers create no passkeys: at an IP address, and over http unless the host is
// localhost.
func NewSite(name, address string) *Site {
	u, err := url.Parse(address)
	if err != nil || net.ParseIP(u.Hostname()) != nil || u.Scheme != "https" && u.Hostname() != "localhost" {
		return nil
	}
	// The browser gets these time-outs; the end of the challenge is what counts.
	timeout := webauthn.TimeoutConfig{Timeout: Lasts, TimeoutUVD: Lasts}
	party, err := webauthn.New(&webauthn.Config{
		RPID: u.Hostname(), RPDisplayName: name, RPOrigins: []string{u.Scheme + "://" + u.Host},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		},
		Timeouts: webauthn.TimeoutsConfig{Login: timeout, Registration: timeout},
	})
	if err != nil {
		return nil
	}
	return &Site{party: party}
}

// Person is the owner of passkeys.
type Person struct {
	Handle      string // up to 64 bytes without information about the person, never reused
	Email, Name string // shown on the person's own devices
	Keys        []Key
}

// Key is the stored part of a passkey. None of it is secret.
type Key struct {
	ID        []byte // chosen by the device; globally unique
	PublicKey []byte // in COSE
	SignCount uint32 // number of signatures; always 0 if the device does not count
	Synced    bool   // it may be copied to other devices of the person; never changes
}

// Question is a request to a browser.
type Question struct {
	Options   json.RawMessage // for the parse…FromJSON methods of PublicKeyCredential
	Challenge []byte
}

// AskNew requests a new passkey for the person, on a device that has none of the person's
// passkeys.
func (s *Site) AskNew(p Person) (Question, error) {
	var known []protocol.CredentialDescriptor
	for _, c := range p.credentials() {
		known = append(known, c.Descriptor())
	}
	creation, session, err := s.party.BeginRegistration(user{p}, webauthn.WithExclusions(known))
	if err != nil {
		return Question{}, fmt.Errorf("passkey: request a new one: %w", err)
	}
	return question(creation.Response, session)
}

// AskAny requests a signature of any passkey that the device has for this site.
func (s *Site) AskAny() (Question, error) {
	assertion, session, err := s.party.BeginDiscoverableLogin()
	if err != nil {
		return Question{}, fmt.Errorf("passkey: request any: %w", err)
	}
	return question(assertion.Response, session)
}

// AskOf requests a signature of one of the person's passkeys. The person must have one.
func (s *Site) AskOf(p Person) (Question, error) {
	assertion, session, err := s.party.BeginLogin(user{p})
	if err != nil {
		return Question{}, fmt.Errorf("passkey: request one of a person's: %w", err)
	}
	return question(assertion.Response, session)
}

func question(options any, session *webauthn.SessionData) (q Question, err error) {
	var challenge protocol.URLEncodedBase64
	if err := json.Unmarshal([]byte(`"`+session.Challenge+`"`), &challenge); err != nil {
		return q, fmt.Errorf("passkey: read the challenge: %w", err)
	}
	q.Challenge = challenge
	if q.Options, err = json.Marshal(options); err != nil {
		return q, fmt.Errorf("passkey: write options: %w", err)
	}
	return q, nil
}

// Made checks that a is a new passkey for the person, whom the device verified, and returns
// the passkey. It fails with ErrRefused.
func (s *Site) Made(a *NewAnswer, p Person) (Key, error) {
	switch protocol.AttestationFormat(a.parsed.Response.AttestationObject.Format) {
	case protocol.AttestationFormatNone, protocol.AttestationFormatPacked: // what browsers send by default
	default:
		return Key{}, fmt.Errorf("%w: an attestation that was not requested", ErrRefused)
	}
	session := webauthn.SessionData{
		Challenge: protocol.URLEncodedBase64(a.Challenge).String(), UserID: []byte(p.Handle),
		UserVerification: protocol.VerificationRequired, CredParams: webauthn.CredentialParametersDefault(),
	}
	made, err := s.party.CreateCredential(user{p}, session, a.parsed)
	if err != nil {
		return Key{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return Key{ID: made.ID, PublicKey: made.PublicKey, SignCount: made.Authenticator.SignCount,
		Synced: made.Flags.BackupEligible}, nil
}

// Signed checks that a passkey of the person, whom the device verified, signed the answer,
// and returns the passkey's number of signatures. The caller must compare it with the
// stored number. It fails with ErrRefused.
func (s *Site) Signed(a *Answer, p Person) (signCount uint32, err error) {
	session := webauthn.SessionData{
		Challenge: protocol.URLEncodedBase64(a.Challenge).String(), UserID: []byte(p.Handle),
		UserVerification: protocol.VerificationRequired,
	}
	if _, err := s.party.ValidateLogin(user{p}, session, a.parsed); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return a.parsed.Response.AuthenticatorData.Counter, nil
}

// user implements the library's interface for a Person.
type user struct{ Person }

func (u user) WebAuthnID() []byte                         { return []byte(u.Handle) }
func (u user) WebAuthnName() string                       { return u.Email }
func (u user) WebAuthnDisplayName() string                { return u.Name }
func (u user) WebAuthnCredentials() []webauthn.Credential { return u.credentials() }

func (p Person) credentials() (all []webauthn.Credential) {
	for _, k := range p.Keys {
		all = append(all, webauthn.Credential{
			ID: k.ID, PublicKey: k.PublicKey, Flags: webauthn.CredentialFlags{BackupEligible: k.Synced},
			Authenticator: webauthn.Authenticator{SignCount: k.SignCount},
		})
	}
	return all
}
