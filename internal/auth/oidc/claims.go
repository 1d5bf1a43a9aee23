package oidc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/oauth2"
)

// claims are the parts of a token that go-oidc does not read.
type claims struct {
	Email    string   `json:"email"`
	Verified truth    `json:"email_verified"`
	AMR      []string `json:"amr"`
	ACR      string   `json:"acr"`
	AuthTime int64    `json:"auth_time"`
}

// truth is a bool that some providers write as a text.
type truth bool

// UnmarshalJSON implements json.Unmarshaler.
func (t *truth) UnmarshalJSON(b []byte) error {
	var value any
	if err := json.Unmarshal(b, &value); err != nil {
		return err
	}
	*t = value == true || value == "true"
	return nil
}

// exchangeFailed names the cause without the body of the answer, which may hold tokens.
func exchangeFailed(err error) error {
	answer, ok := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case ok && answer.ErrorCode == "invalid_grant":
		return fmt.Errorf("%w: invalid_grant", ErrRefused)
	case ok:
		return fmt.Errorf("%w: token: status %d, %q", ErrUnavailable, answer.Response.StatusCode, answer.ErrorCode)
	}
	return fmt.Errorf("%w: token: %w", ErrUnavailable, err)
}

// verifyFailed tells keys that could not be fetched from a wrong token. The library's error has no
// cause to unwrap.
func verifyFailed(err error) error {
	if strings.Contains(err.Error(), "fetching keys") {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return fmt.Errorf("%w: %w", ErrRefused, err)
}
