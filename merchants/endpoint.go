package merchants

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"garoupa/internal/input"
	"garoupa/models"
	"garoupa/webhook"
)

// ErrManyEndpoints reports a project that has as many endpoints in the environment as its account may have.
var ErrManyEndpoints = errors.New("merchants: the project has as many endpoints as it may have")

// NewEndpoint describes a webhook endpoint to create.
type NewEndpoint struct {
	URL         string
	Description string   // chosen by the merchant, at most 200 characters
	Types       []string // of models.EventTypes, models.OptionalEventTypes and models.WithdrawalEventTypes
	Secret      string   // "" creates a new one, as the dashboard always does
	Form        string   // the key of the form; "" without a form
}

// CreateEndpoint registers an endpoint for the scope's events and returns its signing secret,
// whsec_ and 32 base62 characters, which is stored sealed. A form creates one endpoint,
// however often it is sent: later calls fail with ErrMade. It fails with Invalid,
// ErrManyEndpoints, the webhook.URLError of the URL, and refusal.Forbidden if the actor's role
// cannot Integrate. Events of withdrawals are Denied to roles that may not give a key
// models.PermissionWithdrawalRead.
func (s *Service) CreateEndpoint(
	ctx context.Context, by models.Actor, scope models.Scope, in NewEndpoint,
) (endpoint *models.Endpoint, secret string, err error) {
	if err := s.checkEndpoint(&in, scope); err != nil {
		return nil, "", err
	}
	if secret = in.Secret; secret == "" {
		secret = NewEndpointSecret()
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		id := models.NewEndpointID()
		if err := s.claimForm(tx, scope, models.OperationEndpoint, in.Form, id); err != nil {
			return err
		}
		if err := mayCreateEndpoint(tx, by, scope, in.Types, s.now()); err != nil {
			return err
		}
		endpoint = &models.Endpoint{
			ID: id, ProjectID: scope.ProjectID, Environment: scope.Environment, URL: in.URL,
			Description: in.Description, Types: in.Types,
			Secret: s.Vault.Seal(models.SealedSecret.Place(id), secret), Active: true, CreatedAt: s.now(),
		}
		if err := models.InsertEndpoint(tx, endpoint); err != nil {
			return err
		}
		return s.auditChange(tx, by, "webhook_endpoint.created", id,
			change{after: endpointFacts(in.URL, in.Description, in.Types)}, nil)
	})
	if err != nil {
		return nil, "", fmt.Errorf("merchants: create endpoint: %w", err)
	}
	return endpoint, secret, nil
}

// mayCreateEndpoint fails unless the actor may create an endpoint for the types and the
// project has room for one. The result holds until tx ends.
func mayCreateEndpoint(tx *models.Tx, by models.Actor, scope models.Scope, types []string, now time.Time) error {
	role, err := lockMaker(tx, by, scope, models.Integrate)
	if err != nil {
		return err
	}
	if tellsMoney(types) && !role.Can(models.MoveMoney) {
		return Invalid{"types": Denied}
	}
	if err := models.LockProject(tx, scope.ProjectID); err != nil {
		return err
	}
	project, err := models.ProjectByID(tx.Context(), tx, scope.ProjectID)
	if err != nil {
		return err
	}
	account, err := models.AccountByID(tx.Context(), tx, project.AccountID)
	if err != nil {
		return err
	}
	n, err := models.EndpointCount(tx, scope)
	if err == nil && int64(n) >= account.Limits.At(now).Endpoints() {
		return ErrManyEndpoints
	}
	return err
}

// tellsMoney reports whether one of the types is about withdrawals.
func tellsMoney(types []string) bool {
	return slices.ContainsFunc(types, func(t string) bool { return slices.Contains(models.WithdrawalEventTypes, t) })
}

// checkEndpoint trims the texts, puts the types in their usual order, and checks all fields.
func (s *Service) checkEndpoint(in *NewEndpoint, scope models.Scope) error {
	in.URL, in.Description = strings.TrimSpace(in.URL), input.Trim(in.Description)
	if err := webhook.CheckURL(in.URL, scope.Environment == models.Live, s.AllowPrivate); err != nil {
		return err
	}
	problems := Invalid{}
	problems.line("description", in.Description, 0, 200)
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

// UpdateEndpoint changes the URL, the description and the types of an endpoint of the scope;
// it ignores in.Secret. Events that wait for their next attempt go to the new URL. It fails
// like CreateEndpoint, except with ErrManyEndpoints, and with models.ErrNotFound. A role that
// may not see money can neither add events of withdrawals nor change the URL of an endpoint
// that receives them.
func (s *Service) UpdateEndpoint(
	ctx context.Context, by models.Actor, scope models.Scope, id string, in NewEndpoint,
) error {
	if err := s.checkEndpoint(&in, scope); err != nil {
		return err
	}
	return s.withEndpoint(ctx, by, scope, id, "update endpoint",
		func(tx *models.Tx, role models.Role, e *models.Endpoint) error {
			if tellsMoney(in.Types) && !role.Can(models.MoveMoney) && (in.URL != e.URL || !tellsMoney(e.Types)) {
				return Invalid{"types": Denied}
			}
			c := differing(
				endpointFacts(e.URL, e.Description, e.Types),
				endpointFacts(in.URL, in.Description, in.Types),
			)
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

// endpointFacts returns the fields of an endpoint that a member chose, for the audit log.
func endpointFacts(url, description string, types []string) map[string]string {
	return map[string]string{"url": url, "description": description, "types": strings.Join(types, " ")}
}

// withEndpoint calls change with an endpoint of the scope, whose row is locked meanwhile, if
// the actor's role can Integrate.
func (s *Service) withEndpoint(
	ctx context.Context, by models.Actor, scope models.Scope, id, doing string,
	change func(*models.Tx, models.Role, *models.Endpoint) error,
) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		role, err := lockMaker(tx, by, scope, models.Integrate)
		if err != nil {
			return err
		}
		e, err := models.LockEndpoint(tx, scope, id)
		if err != nil {
			return err
		}
		return change(tx, role, e)
	})
	if err != nil && !errors.Is(err, models.ErrNotFound) {
		err = fmt.Errorf("merchants: %s: %w", doing, err)
	}
	return err
}

// SwitchEndpoint turns an endpoint of the scope on or off. While it is off, its deliveries are
// skipped. It fails with models.ErrNotFound for an unknown endpoint.
func (s *Service) SwitchEndpoint(
	ctx context.Context, by models.Actor, scope models.Scope, id string, active bool,
) error {
	action := map[bool]string{true: "webhook_endpoint.enabled", false: "webhook_endpoint.disabled"}[active]
	return s.changeEndpoint(ctx, by, scope, id, action, func(tx *models.Tx) (bool, error) {
		return models.SetEndpointActive(tx, scope, id, active)
	})
}

// DeleteEndpoint deletes an endpoint of the scope. It fails with models.ErrNotFound for an
// unknown endpoint.
func (s *Service) DeleteEndpoint(ctx context.Context, by models.Actor, scope models.Scope, id string) error {
	return s.changeEndpoint(ctx, by, scope, id, "webhook_endpoint.deleted", func(tx *models.Tx) (bool, error) {
		return models.DeleteEndpoint(tx, scope, id, s.now())
	})
}

func (s *Service) changeEndpoint(
	ctx context.Context, by models.Actor, scope models.Scope, id, action string, change func(*models.Tx) (bool, error),
) error {
	_, err := models.EndpointByID(ctx, s.DB.Pool, scope, id)
	if err == nil {
		err = s.DB.InTx(ctx, func(tx *models.Tx) error {
			if _, err := lockMaker(tx, by, scope, models.Integrate); err != nil {
				return err
			}
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
