package passkey

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-webauthn/webauthn/protocol"
)

// maxAnswer bounds an answer in bytes. An answer with a certificate of the device's maker,
// which we do not request, would have about 4,000.
const maxAnswer = 16 << 10

// Answer is a browser's claim that a passkey signed a challenge. Nothing in it is trusted
// before Signed has checked it.
type Answer struct {
	Challenge []byte
	KeyID     []byte
	Handle    string // of the person, as stored on the device; "" if the device did not send it
	parsed    *protocol.ParsedCredentialAssertionData
}

// ReadAnswer reads the JSON in which our script sends a signature: "id", "clientDataJSON",
// "authenticatorData", "signature" and "userHandle", all in base64url, and nothing else. It
// fails with ErrRefused.
func ReadAnswer(text string) (*Answer, error) {
	var in struct {
		ID                protocol.URLEncodedBase64 `json:"id"`
		ClientDataJSON    protocol.URLEncodedBase64 `json:"clientDataJSON"`
		AuthenticatorData protocol.URLEncodedBase64 `json:"authenticatorData"`
		Signature         protocol.URLEncodedBase64 `json:"signature"`
		UserHandle        protocol.URLEncodedBase64 `json:"userHandle"`
	}
	if err := decode(text, &in); err != nil {
		return nil, err
	}
	parsed, err := protocol.CredentialAssertionResponse{
		PublicKeyCredential: envelope(in.ID),
		AssertionResponse: protocol.AuthenticatorAssertionResponse{
			AuthenticatorResponse: protocol.AuthenticatorResponse{ClientDataJSON: in.ClientDataJSON},
			AuthenticatorData:     in.AuthenticatorData, Signature: in.Signature, UserHandle: in.UserHandle,
		},
	}.Parse()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	challenge, err := challengeOf(parsed.Response.CollectedClientData)
	if err != nil {
		return nil, err
	}
	return &Answer{Challenge: challenge, KeyID: in.ID, Handle: string(in.UserHandle), parsed: parsed}, nil
}

// NewAnswer is a browser's claim that it created a passkey. Nothing in it is trusted before
// Made has checked it.
type NewAnswer struct {
	Challenge []byte
	KeyID     []byte
	parsed    *protocol.ParsedCredentialCreationData
}

// ReadNewAnswer reads the JSON in which our script sends a new passkey: "id",
// "clientDataJSON" and "attestationObject", all in base64url, and nothing else. It fails
// with ErrRefused.
func ReadNewAnswer(text string) (*NewAnswer, error) {
	var in struct {
		ID                protocol.URLEncodedBase64 `json:"id"`
		ClientDataJSON    protocol.URLEncodedBase64 `json:"clientDataJSON"`
		AttestationObject protocol.URLEncodedBase64 `json:"attestationObject"`
	}
	if err := decode(text, &in); err != nil {
		return nil, err
	}
	parsed, err := protocol.CredentialCreationResponse{
		PublicKeyCredential: envelope(in.ID),
		AttestationResponse: protocol.AuthenticatorAttestationResponse{
			AuthenticatorResponse: protocol.AuthenticatorResponse{ClientDataJSON: in.ClientDataJSON},
			AttestationObject:     in.AttestationObject,
		},
	}.Parse()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	challenge, err := challengeOf(parsed.Response.CollectedClientData)
	if err != nil {
		return nil, err
	}
	return &NewAnswer{Challenge: challenge, KeyID: in.ID, parsed: parsed}, nil
}

func envelope(id protocol.URLEncodedBase64) protocol.PublicKeyCredential {
	return protocol.PublicKeyCredential{
		Credential: protocol.Credential{ID: id.String(), Type: string(protocol.PublicKeyCredentialType)}, RawID: id,
	}
}

func challengeOf(data protocol.CollectedClientData) (challenge protocol.URLEncodedBase64, err error) {
	quoted, err := json.Marshal(data.Challenge)
	if err == nil {
		err = json.Unmarshal(quoted, &challenge)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the challenge is not base64url", ErrRefused)
	}
	return challenge, nil
}

// decode reads one JSON object with known members.
func decode(text string, into any) error {
	if len(text) > maxAnswer {
		return fmt.Errorf("%w: %d bytes are too many", ErrRefused, len(text))
	}
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: data after the object", ErrRefused)
	}
	return nil
}
