package merchants

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"garoupa/models"
)

// PreviousSecretFor is how long a secret that was rotated signs beside the new one
// (decisions, 9).
const PreviousSecretFor = 24 * time.Hour

// ErrSecretChanged reports a secret that is not the one that the member saw.
var ErrSecretChanged = errors.New("merchants: the secret was rotated meanwhile")

// EndpointSecret opens the signing secret of an endpoint.
func (s *Service) EndpointSecret(e *models.Endpoint) (string, error) {
	return s.openSecret(e, e.Secret)
}

// PreviousSecret opens the secret that signs beside an endpoint's own, because it
// was rotated less than PreviousSecretFor ago; "" when none does.
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

// ShowSecret opens the signing secret of an endpoint of the scope for a member, who
// has just proved who they are (decisions, 9); the audit log keeps that they saw it.
func (s *Service) ShowSecret(ctx context.Context, by Actor, scope models.Scope, id string) (secret string, err error) {
	err = s.withEndpoint(ctx, scope, id, "show secret", func(tx *models.Tx, e *models.Endpoint) (err error) {
		if secret, err = s.EndpointSecret(e); err != nil {
			return err
		}
		return s.audit(tx, by, "webhook_endpoint.secret_shown", id, nil)
	})
	return secret, err
}

// RotateSecret gives an endpoint of the scope a new signing secret and returns it.
// The one before signs too for PreviousSecretFor; a third one, rotated less than
// that ago, stops. Seen are the last characters of the secret that the member meant
// to replace: if they are not its own any more it fails with ErrSecretChanged and
// changes nothing, so that a form sent twice leaves receivers the secret they know.
func (s *Service) RotateSecret(ctx context.Context, by Actor, scope models.Scope, id, seen string) (secret string, err error) {
	err = s.withEndpoint(ctx, scope, id, "rotate secret", func(tx *models.Tx, e *models.Endpoint) error {
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

// RetirePreviousSecret makes the secret before a rotation sign no more, which is
// what to do once every receiver knows the new one or the old one has leaked. If
// none signs it changes nothing.
func (s *Service) RetirePreviousSecret(ctx context.Context, by Actor, scope models.Scope, id string) error {
	return s.withEndpoint(ctx, scope, id, "retire secret", func(tx *models.Tx, e *models.Endpoint) error {
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

// NewEndpointSecret makes a signing secret: whsec_ and 32 base62 characters.
func NewEndpointSecret() string { return "whsec_" + randomBase62(secretLength) }
