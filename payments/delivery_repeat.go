package payments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"garoupa/models"
	"garoupa/money"
	"garoupa/pix"
	"garoupa/pix/psp"
	"garoupa/pix/qr"
	"garoupa/wire"
)

// ErrEndpointOff reports an endpoint that is off, where what was asked would only be
// skipped.
var ErrEndpointOff = errors.New("payments: the endpoint is off")

// ErrNotSubscribed reports a type of event that the endpoint did not ask for.
var ErrNotSubscribed = errors.New("payments: the endpoint did not ask for this type of event")

// MaxReplay is how many deliveries one replay takes.
const MaxReplay = 10_000

// replayBatch bounds how many deliveries one transaction repeats.
const replayBatch = 1_000

// ResendDelivery asks for one more attempt of a delivery of the scope, whatever its
// status and even while its endpoint is off, outside of its schedule (decisions, 9).
// A token asks once: the same one again changes nothing. An unknown delivery is
// models.ErrNotFound.
func (s *Service) ResendDelivery(ctx context.Context, scope models.Scope, id, token string) error {
	if _, err := models.DeliveryOf(ctx, s.DB.Pool, scope, id); err != nil {
		return fmt.Errorf("payments: resend delivery: %w", err)
	}
	err := s.commit(ctx, func(tx *models.Tx) (queued bool, err error) { return models.QueueManualAttempt(tx, id, token) })
	if err != nil {
		return fmt.Errorf("payments: resend %s: %w", id, err)
	}
	return nil
}

// CountReplay counts what ReplayDeliveries would take, up to one more than
// MaxReplay. An unknown endpoint is models.ErrNotFound.
func (s *Service) CountReplay(ctx context.Context, scope models.Scope, endpointID string, since, until time.Time) (n int, err error) {
	if _, err = models.EndpointByID(ctx, s.DB.Pool, scope, endpointID); err == nil {
		n, err = models.CountRepeatable(ctx, s.DB.Pool, endpointID, since, until, MaxReplay+1)
	}
	if err != nil {
		return 0, fmt.Errorf("payments: count replay: %w", err)
	}
	return n, nil
}

// ReplayDeliveries sends again what an endpoint of the scope was not sent or did not
// take: its FAILED and SKIPPED deliveries of events from since to until, the oldest
// first, MaxReplay at most. Each is pending again, with five attempts. What is
// pending is not taken, so asking twice sends once. It returns how many it took. It
// fails with ErrEndpointOff, or models.ErrNotFound.
func (s *Service) ReplayDeliveries(ctx context.Context, scope models.Scope, endpointID string, since, until time.Time) (replayed int, err error) {
	endpoint, err := models.EndpointByID(ctx, s.DB.Pool, scope, endpointID)
	if err != nil {
		return 0, fmt.Errorf("payments: replay deliveries: %w", err)
	}
	if !endpoint.Active {
		return 0, ErrEndpointOff
	}
	for replayed < MaxReplay {
		var n int
		err := s.commit(ctx, func(tx *models.Tx) (queued bool, err error) {
			n, err = models.RepeatDeliveries(tx, endpointID, since, until, s.now(), replayBatch)
			return n > 0, err
		})
		if err != nil {
			return replayed, fmt.Errorf("payments: replay deliveries of %s: %w", endpointID, err)
		}
		if replayed += n; n < replayBatch {
			break
		}
	}
	return replayed, nil
}

// sampleAmount is what the checkout of a test event costs.
const sampleAmount money.Cents = 10_00

// SendTestEvent sends an endpoint of the scope an event of a type that it asked
// for, about a checkout that does not exist, and returns the id of its delivery.
// The event is recorded, tried and shown as any other; it is marked as a test and
// names no checkout, so that it takes no checkout's place in events_one_each. What
// receivers see of that is the description, in the member's language, and the
// externalId "test_event". It fails with ErrEndpointOff, ErrNotSubscribed or
// models.ErrNotFound.
func (s *Service) SendTestEvent(ctx context.Context, scope models.Scope, endpointID, eventType, description string) (deliveryID string, err error) {
	endpoint, err := models.EndpointByID(ctx, s.DB.Pool, scope, endpointID)
	switch {
	case err != nil:
		return "", fmt.Errorf("payments: send test event: %w", err)
	case !endpoint.Active:
		return "", ErrEndpointOff
	case !slices.Contains(endpoint.Types, eventType):
		return "", ErrNotSubscribed
	}
	sample, err := s.sampleCheckout(ctx, scope, eventType, description)
	if err != nil {
		return "", fmt.Errorf("payments: send test event: %w", err)
	}
	now, id := s.now(), models.NewEventID()
	event := &models.Event{
		ID: id, ProjectID: scope.ProjectID, Livemode: scope.Livemode, Type: eventType, CreatedAt: now,
		Body: wire.AppendEvent(nil, id, eventType, now, sample, s.CheckoutHost),
	}
	err = s.commit(ctx, func(tx *models.Tx) (queued bool, err error) {
		deliveryID, err = models.InsertTestEvent(tx, event, endpointID)
		return true, err
	})
	if err != nil {
		return "", fmt.Errorf("payments: send test event to %s: %w", endpointID, err)
	}
	return deliveryID, nil
}

// sampleCheckout is a checkout as it would be after what the type tells of. No
// institution knows it: its code is the simulator's, in live as well.
func (s *Service) sampleCheckout(ctx context.Context, scope models.Scope, eventType, description string) (*models.Checkout, error) {
	now, id := s.now(), models.NewCheckoutID()
	c := &models.Checkout{
		ID: id, ProjectID: scope.ProjectID, Livemode: scope.Livemode, Status: models.CheckoutPending, Amount: sampleAmount,
		Description: description, ExternalID: "test_event", Metadata: []byte("{}"),
		CreatedAt: now.Add(-time.Minute), ExpiresAt: now.Add(29 * time.Minute), SettlementStatus: models.SettlementPending,
	}
	switch eventType {
	case models.EventCheckoutPaid:
		c.Status, c.PaidAt = models.CheckoutPaid, &now
	case models.EventCheckoutExpired:
		c.Status, c.CreatedAt, c.ExpiresAt = models.CheckoutExpired, now.Add(-30*time.Minute), now
	case models.EventCheckoutCancelled:
		c.Status = models.CheckoutCancelled
	}
	issued, err := s.Simulator.PutCharge(ctx, psp.Charge{TxID: pix.ChargeTxID(id), Amount: int64(c.Amount), ExpiresIn: 30 * time.Minute})
	if err != nil {
		return nil, fmt.Errorf("make the code: %w", err)
	}
	c.CopyPaste = issued.CopyPaste
	if !c.Livemode {
		if c.QRPNG, err = qr.SmallPNG(c.CopyPaste); err != nil {
			return nil, fmt.Errorf("draw the code: %w", err)
		}
	}
	return c, nil
}
