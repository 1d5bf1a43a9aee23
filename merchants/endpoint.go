package merchants

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"garoupa/models"
	"garoupa/webhook"
)

// NewEndpoint is a webhook endpoint that a member asks for.
type NewEndpoint struct {
	URL         string
	Description string // the merchant's own, at most 200 characters
	Types       []string
	Secret      string // "" makes a new one, as the dashboard always does
}

// CreateEndpoint registers an endpoint for the scope's events and returns its
// signing secret, whsec_ and 32 base62 characters; it is stored sealed. It fails
// with Invalid, or with the webhook.URLError of the address.
func (s *Service) CreateEndpoint(ctx context.Context, by Actor, scope models.Scope, in NewEndpoint) (endpoint *models.Endpoint, secret string, err error) {
	in.URL = strings.TrimSpace(in.URL)
	if err := webhook.CheckURL(in.URL, scope.Livemode, s.AllowPrivate); err != nil {
		return nil, "", err
	}
	if err := in.check(); err != nil {
		return nil, "", err
	}
	if secret = in.Secret; secret == "" {
		secret = "whsec_" + randomBase62(secretLength)
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		id := models.NewEndpointID()
		endpoint = &models.Endpoint{
			ID: id, ProjectID: scope.ProjectID, Livemode: scope.Livemode, URL: in.URL, Description: in.Description, Types: in.Types,
			Secret: s.Vault.Seal(endpointPlace(id), secret), Active: true, CreatedAt: s.now(),
		}
		if err := models.InsertEndpoint(tx, endpoint); err != nil {
			return err
		}
		return s.audit(tx, by, "webhook_endpoint.created", id, map[string]string{"url": in.URL})
	})
	if err != nil {
		return nil, "", fmt.Errorf("merchants: create endpoint: %w", err)
	}
	return endpoint, secret, nil
}

func (in *NewEndpoint) check() error {
	in.Description = strings.TrimSpace(in.Description)
	problems := Invalid{}
	problems.length("description", in.Description, 0, 200)
	if len(in.Types) == 0 {
		problems["types"] = Missing
	}
	for _, t := range in.Types {
		if !slices.Contains(models.EventTypes, t) && !slices.Contains(models.WithdrawalEventTypes, t) {
			problems["types"] = Unknown
		}
	}
	return problems.orNil()
}

// EndpointSecret opens the signing secret of an endpoint.
func (s *Service) EndpointSecret(e *models.Endpoint) (string, error) {
	secret, err := s.Vault.Open(endpointPlace(e.ID), e.Secret)
	if err != nil {
		return "", fmt.Errorf("merchants: secret of %s: %w", e.ID, err)
	}
	return secret, nil
}

func endpointPlace(id string) string { return "webhook_endpoints/" + id + "/secret" }

// SwitchEndpoint turns an endpoint of the scope on or off. While it is off, its
// events are kept as skipped deliveries. An unknown one is models.ErrNotFound.
func (s *Service) SwitchEndpoint(ctx context.Context, by Actor, scope models.Scope, id string, active bool) error {
	action := map[bool]string{true: "webhook_endpoint.enabled", false: "webhook_endpoint.disabled"}[active]
	return s.changeEndpoint(ctx, by, scope, id, action, func(tx *models.Tx) (bool, error) {
		return models.SetEndpointActive(tx, scope, id, active)
	})
}

// DeleteEndpoint ends an endpoint of the scope. An unknown one is models.ErrNotFound.
func (s *Service) DeleteEndpoint(ctx context.Context, by Actor, scope models.Scope, id string) error {
	return s.changeEndpoint(ctx, by, scope, id, "webhook_endpoint.deleted", func(tx *models.Tx) (bool, error) {
		return models.DeleteEndpoint(tx, scope, id, s.now())
	})
}

func (s *Service) changeEndpoint(ctx context.Context, by Actor, scope models.Scope, id, action string, change func(*models.Tx) (bool, error)) error {
	_, err := models.EndpointByID(ctx, s.DB.Pool, scope, id)
	if err == nil {
		err = s.DB.InTx(ctx, func(tx *models.Tx) error {
			changed, err := change(tx)
			if err != nil || !changed {
				return err
			}
			return s.audit(tx, by, action, id, nil)
		})
	}
	if err != nil && !errors.Is(err, models.ErrNotFound) {
		err = fmt.Errorf("merchants: %s: %w", action, err)
	}
	return err
}
