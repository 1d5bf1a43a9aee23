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
	Description string   // the merchant's own, at most 200 characters
	Types       []string // of models.EventTypes, models.OptionalEventTypes and models.WithdrawalEventTypes
	Secret      string   // "" makes a new one, as the dashboard always does
}

// CreateEndpoint registers an endpoint for the scope's events and returns its
// signing secret, whsec_ and 32 base62 characters; it is stored sealed. It fails
// with Invalid, or with the webhook.URLError of the address.
func (s *Service) CreateEndpoint(ctx context.Context, by Actor, scope models.Scope, in NewEndpoint) (endpoint *models.Endpoint, secret string, err error) {
	if err := s.checkEndpoint(&in, scope); err != nil {
		return nil, "", err
	}
	if secret = in.Secret; secret == "" {
		secret = NewEndpointSecret()
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		id := models.NewEndpointID()
		endpoint = &models.Endpoint{
			ID: id, ProjectID: scope.ProjectID, Livemode: scope.Livemode, URL: in.URL, Description: in.Description, Types: in.Types,
			Secret: s.Vault.Seal(models.SealedSecret.Place(id), secret), Active: true, CreatedAt: s.now(),
		}
		if err := models.InsertEndpoint(tx, endpoint); err != nil {
			return err
		}
		return s.auditChange(tx, by, "webhook_endpoint.created", id, change{after: endpointFacts(in.URL, in.Description, in.Types)}, nil)
	})
	if err != nil {
		return nil, "", fmt.Errorf("merchants: create endpoint: %w", err)
	}
	return endpoint, secret, nil
}

// checkEndpoint trims what was typed, puts the types in their usual order, and
// judges it all.
func (s *Service) checkEndpoint(in *NewEndpoint, scope models.Scope) error {
	in.URL, in.Description = strings.TrimSpace(in.URL), strings.TrimSpace(in.Description)
	if err := webhook.CheckURL(in.URL, scope.Livemode, s.AllowPrivate); err != nil {
		return err
	}
	problems := Invalid{}
	problems.length("description", in.Description, 0, 200)
	known := slices.Concat(models.EventTypes, models.OptionalEventTypes, models.WithdrawalEventTypes)
	if len(in.Types) == 0 {
		problems["types"] = Missing
	}
	if slices.ContainsFunc(in.Types, func(t string) bool { return !slices.Contains(known, t) }) {
		problems["types"] = Unknown
	}
	in.Types = slices.DeleteFunc(known, func(t string) bool { return !slices.Contains(in.Types, t) })
	return problems.orNil()
}

// UpdateEndpoint changes where an endpoint of the scope is, what it is called and
// what it receives; in.Secret does not count. Events that wait for their next
// attempt go to the new address. It fails as CreateEndpoint does, and with
// models.ErrNotFound.
func (s *Service) UpdateEndpoint(ctx context.Context, by Actor, scope models.Scope, id string, in NewEndpoint) error {
	if err := s.checkEndpoint(&in, scope); err != nil {
		return err
	}
	return s.withEndpoint(ctx, scope, id, "update endpoint", func(tx *models.Tx, e *models.Endpoint) error {
		c := differing(endpointFacts(e.URL, e.Description, e.Types), endpointFacts(in.URL, in.Description, in.Types))
		if len(c.after) == 0 {
			return nil
		}
		e.URL, e.Description, e.Types = in.URL, in.Description, in.Types
		if err := models.SaveEndpoint(tx, e); err != nil {
			return err
		}
		return s.auditChange(tx, by, "webhook_endpoint.updated", id, c, nil)
	})
}

// endpointFacts are those of an endpoint that a member chose.
func endpointFacts(url, description string, types []string) map[string]string {
	return map[string]string{"url": url, "description": description, "types": strings.Join(types, " ")}
}

// withEndpoint runs change on an endpoint of the scope that it holds meanwhile.
func (s *Service) withEndpoint(ctx context.Context, scope models.Scope, id, doing string, change func(*models.Tx, *models.Endpoint) error) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		e, err := models.LockEndpoint(tx, scope, id)
		if err != nil {
			return err
		}
		return change(tx, e)
	})
	if err != nil && !errors.Is(err, models.ErrNotFound) {
		err = fmt.Errorf("merchants: %s: %w", doing, err)
	}
	return err
}

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
