package merchants

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"garoupa/models"
)

// PreviousSecretFor is how long a rotated secret signs beside the new one
// (docs/rules.md, "Webhook secrets").
const PreviousSecretFor = 24 * time.Hour

// ErrSecretChanged reports that the secret is not the one that the member saw.
var ErrSecretChanged = errors.New("merchants: the secret was rotated meanwhile")

// EndpointSecret returns the signing secret of an endpoint.
func (s *Service) EndpointSecret(e *models.Endpoint) (string, error) {
	return s.openSecret(e, e.Secret)
}

// PreviousSecret returns the endpoint's previous secret, which also signs for
// PreviousSecretFor after its replacement, or "" if there is none.
func (s *Service) PreviousSecret(e *models.Endpoint) (string, error) {
	if e.PreviousSecretUntil == nil || !s.now().Before(*e.PreviousSecretUntil) {
		return "", nil
	}
	return s.openSecret(e, e.PreviousSecret)
}

func (s *Service) openSecret(e *models.Endpoint, sealed []byte) (string, error) {
	secret, err := s.Vault.Open(models.SealedSecret.Place(e.ID), sealed)
	if err != nil {
		return "", fmt.Errorf("merchants: secret of %s: %w", e.ID, err)
	}
	return secret, nil
}

// ShowSecret returns the signing secret of an endpoint of the scope to a member, and records
// this in the audit log. The caller must have just verified the member (docs/rules.md,
// "Webhook secrets").
func (s *Service) ShowSecret(
	ctx context.Context, by models.Actor, scope models.Scope, id string,
) (secret string, err error) {
	err = s.withEndpoint(ctx, by, scope, id, "show secret",
		func(tx *models.Tx, _ models.Role, e *models.Endpoint) (err error) {
			if secret, err = s.EndpointSecret(e); err != nil {
				return err
			}
			return s.audit(tx, by, "webhook_endpoint.secret_shown", id, nil)
		})
	return secret, err
}

// RotateSecret gives an endpoint of the scope a new signing secret and returns it. The
// replaced secret also signs for PreviousSecretFor; a secret that was replaced before stops
// signing. seen are the last characters of the secret that the member wants to replace: if the
// endpoint has another secret now, RotateSecret fails with ErrSecretChanged and changes
// nothing. So a form that is sent twice rotates once.
func (s *Service) RotateSecret(
	ctx context.Context, by models.Actor, scope models.Scope, id, seen string,
) (secret string, err error) {
	err = s.withEndpoint(ctx, by, scope, id, "rotate secret",
		func(tx *models.Tx, _ models.Role, e *models.Endpoint) error {
			current, err := s.EndpointSecret(e)
			if err != nil {
				return err
			}
			if seen == "" || !strings.HasSuffix(current, seen) {
				return ErrSecretChanged
			}
			secret = NewEndpointSecret()
			until := s.now().Add(PreviousSecretFor)
			e.PreviousSecret, e.PreviousSecretUntil = e.Secret, &until
			e.Secret = s.Vault.Seal(models.SealedSecret.Place(id), secret)
			if err := models.SaveEndpoint(tx, e); err != nil {
				return err
			}
			return s.audit(tx, by, "webhook_endpoint.secret_rotated", id, nil)
		})
	return secret, err
}

// RetirePreviousSecret stops the previous secret from signing, for use when all receivers have
// the new one or the old one has leaked. If there is none, it changes nothing.
func (s *Service) RetirePreviousSecret(ctx context.Context, by models.Actor, scope models.Scope, id string) error {
	return s.withEndpoint(ctx, by, scope, id, "retire secret",
		func(tx *models.Tx, _ models.Role, e *models.Endpoint) error {
			if e.PreviousSecret == nil {
				return nil
			}
			e.PreviousSecret, e.PreviousSecretUntil = nil, nil
			if err := models.SaveEndpoint(tx, e); err != nil {
				return err
			}
			return s.audit(tx, by, "webhook_endpoint.previous_secret_retired", id, nil)
		})
}

// NewEndpointSecret returns a new signing secret: whsec_ and 32 base62 characters.
func NewEndpointSecret() string { return "whsec_" + randomBase62(secretLength) }
