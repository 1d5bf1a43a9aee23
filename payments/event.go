package payments

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"garoupa/internal/refusal"
	"garoupa/models"
)

// KeyRequest is what identifies a request of an API key that is carried out once.
type KeyRequest struct {
	By             models.Actor // an API key that may read events, which the API has checked
	IdempotencyKey string
	RequestHash    []byte // SHA-256 of the canonical body and of what the path names
}

// bind returns the claim of the request's key for a resource of the scope.
func (r KeyRequest) bind(scope models.Scope, operation, id string, at time.Time) *models.IdempotencyKey {
	return &models.IdempotencyKey{OwnerID: scope.ProjectID, Environment: scope.Environment, Operation: operation,
		Key: r.IdempotencyKey, RequestHash: r.RequestHash, ResourceID: id, CreatedAt: at}
}

// Events returns a page of the scope's events with their bodies, newest first.
func (s *Service) Events(ctx context.Context, scope models.Scope, f models.EventFilter) (models.Page[models.Event],
	error) {
	page, err := models.ReadPage(f.Limit, func(limit int) ([]models.Event, error) {
		f.Limit = limit
		return models.ListEvents(ctx, s.DB.Read, scope, f)
	})
	if err == nil {
		err = models.AddEventBodies(ctx, s.DB.Read, page.Rows)
	}
	if err != nil {
		return page, fmt.Errorf("payments: list events: %w", err)
	}
	return page, nil
}

var noEvent = refusal.New(refusal.EventNotFound, "No event has this id.")

// Event returns an event of the scope and its deliveries to endpoints that were not deleted. The refusal is
// EventNotFound.
func (s *Service) Event(ctx context.Context, scope models.Scope, id string) (*models.Event, []models.Delivery, error) {
	event, err := models.EventByID(ctx, s.DB.Pool, scope, id)
	if errors.Is(err, models.ErrNotFound) {
		return nil, nil, noEvent
	}
	var deliveries []models.Delivery
	if err == nil {
		deliveries, err = models.DeliveriesOfEvent(ctx, s.DB.Pool, scope, id)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("payments: read event: %w", err)
	}
	return event, deliveries, nil
}

// ResendEvent requests one more attempt of each delivery of an event of the scope, or of the one to an
// endpoint, as ResendDelivery does. A request with the IdempotencyKey of an earlier one changes nothing.
// Refusals: EventNotFound, WebhookEndpointNotFound, IdempotencyConflict.
func (s *Service) ResendEvent(ctx context.Context, scope models.Scope, in KeyRequest, eventID,
	endpointID string) error {
	earlier := func() (id string, err error) {
		return s.resourceOf(ctx, scope.ProjectID, scope.Environment, models.OperationResend, in.IdempotencyKey,
			in.RequestHash)
	}
	if id, err := earlier(); err != nil || id != "" {
		return err
	}
	if _, err := models.EventByID(ctx, s.DB.Pool, scope, eventID); errors.Is(err, models.ErrNotFound) {
		return noEvent
	} else if err != nil {
		return fmt.Errorf("payments: resend event: %w", err)
	}
	var bound bool
	err := s.commit(ctx, s.DB.InTx, func(tx *models.Tx) (queued bool, err error) {
		err = tx.PGX(func(ctx context.Context, conn models.Querier) error {
			bound, err = in.bind(scope, models.OperationResend, eventID, s.now()).Bind(ctx, conn)
			return err
		})
		if err != nil || !bound {
			return false, err
		}
		return s.insertResends(tx, scope, eventID, endpointID)
	})
	if err != nil {
		return fmt.Errorf("payments: resend %s: %w", eventID, err)
	}
	if !bound { // a concurrent request with the same key was first
		_, err = earlier()
	}
	return err
}

// insertResends writes the resends of ResendEvent.
func (s *Service) insertResends(tx *models.Tx, scope models.Scope, eventID, endpointID string) (asked bool,
	err error) {
	var deliveries []models.Delivery
	err = tx.PGX(func(ctx context.Context, conn models.Querier) error {
		deliveries, err = models.DeliveriesOfEvent(ctx, conn, scope, eventID)
		return err
	})
	if err != nil {
		return false, err
	}
	var ids []string
	for _, d := range deliveries {
		if endpointID == "" || d.Endpoint.ID == endpointID {
			ids = append(ids, d.ID)
		}
	}
	if endpointID != "" && len(ids) == 0 {
		return false, refusal.New(refusal.WebhookEndpointNotFound, "The event has no delivery to this endpoint.")
	}
	return models.InsertResends(tx, rand.Text(), s.now(), ids...)
}

// ReplayByKey is ReplayDeliveries for an API key. A request with the IdempotencyKey of an earlier one goes on
// where that one ended, and sends nothing that it sent. Refusals: WebhookEndpointNotFound,
// WebhookEndpointDisabled, IdempotencyConflict.
func (s *Service) ReplayByKey(ctx context.Context, scope models.Scope, in KeyRequest, r models.Replay) (Replayed,
	error) {
	_, err := s.resourceOf(ctx, scope.ProjectID, scope.Environment, models.OperationReplay, in.IdempotencyKey,
		in.RequestHash)
	if err != nil {
		return Replayed{}, err
	}
	endpoint, err := models.EndpointByID(ctx, s.DB.Pool, scope, r.EndpointID)
	if errors.Is(err, models.ErrNotFound) {
		return Replayed{}, refusal.New(refusal.WebhookEndpointNotFound, "No webhook endpoint has this id.")
	}
	if err == nil && !endpoint.Active {
		return Replayed{}, disabledEndpoint
	}
	if err == nil {
		r.FinishedBy, err = s.firstAsked(ctx, scope, in, r.EndpointID)
	}
	if err != nil {
		return Replayed{}, fmt.Errorf("payments: replay by key: %w", err)
	}
	done, err := s.replay(ctx, in.By, scope, r, func(*models.Tx) error { return nil })
	if errors.Is(err, ErrEndpointOff) {
		err = disabledEndpoint
	}
	return done, err
}

var disabledEndpoint = refusal.New(refusal.WebhookEndpointDisabled,
	"The webhook endpoint is disabled. Enable it in the dashboard, then replay.")

// firstAsked binds the key of a replay, and returns when its first request was made.
func (s *Service) firstAsked(ctx context.Context, scope models.Scope, in KeyRequest, endpointID string) (time.Time,
	error) {
	key := in.bind(scope, models.OperationReplay, endpointID, s.Now())
	if bound, err := key.Bind(ctx, s.DB.Pool); err != nil || bound {
		return key.CreatedAt, err
	}
	first, err := models.IdempotencyKeyByName(ctx, s.DB.Pool, key.OwnerID, key.Environment, key.Operation, key.Key)
	if err != nil {
		return time.Time{}, err
	}
	if !bytes.Equal(first.RequestHash, in.RequestHash) { // a concurrent request with another body was first
		return time.Time{}, otherBody
	}
	return first.CreatedAt, nil
}
