// Package passkey writes what a browser is asked so that it makes a passkey, or signs
// with one, and checks what it answers (Web Authentication, level 3). Nothing is kept
// here: whoever asks keeps the challenge, and must have found the one of an answer to
// be their own, unused and in time before they believe the answer.
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

// Lasts is how long somebody has to answer a challenge.
const Lasts = 5 * time.Minute

// ErrRefused reports an answer that is not one to the question: malformed, of another
// site, of nobody who was asked to prove themselves, or with a signature that is wrong.
var ErrRefused = errors.New("passkey: refused")

// Site is whom passkeys are made for. They work at its host and nowhere else.
type Site struct{ party *webauthn.WebAuthn }

// NewSite returns the site at an address, with the name that devices show. It is nil
// where browsers make no passkeys: at an IP address, and over http unless the host is
// localhost.
func NewSite(name, address string) *Site {
	u, err := url.Parse(address)
	if err != nil || net.ParseIP(u.Hostname()) != nil || u.Scheme != "https" && u.Hostname() != "localhost" {
		return nil
	}
	timeout := webauthn.TimeoutConfig{Timeout: Lasts, TimeoutUVD: Lasts} // told to the browser; the challenge is what ends
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

// Person is whose passkeys they are.
type Person struct {
	Handle      string // up to 64 bytes that say nothing of the person and are never another's
	Email, Name string // what the person's own devices show
	Keys        []Key
}

// Key is what is kept of a passkey. None of it is secret.
type Key struct {
	ID        []byte // made by the device; no two passkeys of the world share one
	PublicKey []byte // in COSE
	SignCount uint32 // how often it signed; 0 for ever where the device does not count
	Synced    bool   // it may be copied to other devices of the person; never changes
}

// Question is what a browser is asked.
type Question struct {
	Options   json.RawMessage // for the parse…FromJSON methods of PublicKeyCredential
	Challenge []byte
}

// AskNew asks for a new passkey of the person, on a device that has none of theirs.
func (s *Site) AskNew(p Person) (Question, error) {
	var known []protocol.CredentialDescriptor
	for _, c := range p.credentials() {
		known = append(known, c.Descriptor())
	}
	creation, session, err := s.party.BeginRegistration(user{p}, webauthn.WithExclusions(known))
	if err != nil {
		return Question{}, fmt.Errorf("passkey: ask for a new one: %w", err)
	}
	return question(creation.Response, session)
}

// AskAny asks for a signature of any passkey that the device has for this site.
func (s *Site) AskAny() (Question, error) {
	assertion, session, err := s.party.BeginDiscoverableLogin()
	if err != nil {
		return Question{}, fmt.Errorf("passkey: ask for any: %w", err)
	}
	return question(assertion.Response, session)
}

// AskOf asks for a signature of a passkey of the person, who must have one.
func (s *Site) AskOf(p Person) (Question, error) {
	assertion, session, err := s.party.BeginLogin(user{p})
	if err != nil {
		return Question{}, fmt.Errorf("passkey: ask for one of a person: %w", err)
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

// Made checks that an answer is of a new passkey for the person, whom the device
// verified, and returns it. It fails with ErrRefused.
func (s *Site) Made(a *NewAnswer, p Person) (Key, error) {
	switch protocol.AttestationFormat(a.parsed.Response.AttestationObject.Format) {
	case protocol.AttestationFormatNone, protocol.AttestationFormatPacked: // what browsers send unless they are asked for more
	default:
		return Key{}, fmt.Errorf("%w: an attestation that was not asked for", ErrRefused)
	}
	session := webauthn.SessionData{
		Challenge: protocol.URLEncodedBase64(a.Challenge).String(), UserID: []byte(p.Handle),
		UserVerification: protocol.VerificationRequired, CredParams: webauthn.CredentialParametersDefault(),
	}
	made, err := s.party.CreateCredential(user{p}, session, a.parsed)
	if err != nil {
		return Key{}, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return Key{ID: made.ID, PublicKey: made.PublicKey, SignCount: made.Authenticator.SignCount, Synced: made.Flags.BackupEligible}, nil
}

// Signed checks that a passkey of the person, whom the device verified, signed an
// answer, and returns how often it has signed. Whether that is more often than before
// is for the caller to see, where the number is kept. It fails with ErrRefused.
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

// user is a Person as the library knows one.
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
