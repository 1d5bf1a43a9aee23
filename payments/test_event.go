package payments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"garoupa/internal/money"
	"garoupa/internal/payload"
	"garoupa/models"
	"garoupa/pix"
	"garoupa/pix/psp"
	"garoupa/pix/psp/simulator"
	"garoupa/pix/qr"
)

// ErrNotSubscribed reports a type of event to which the endpoint does not subscribe.
var ErrNotSubscribed = errors.New("payments: the endpoint does not subscribe to this type of event")

// sampleAmount is the amount of the checkout of a test event.
const sampleAmount money.Cents = 10_00

// SendTestEvent sends an endpoint of the scope an event of a type to which it subscribes,
// about a checkout or withdrawal that does not exist, and returns the id of its delivery. The
// event is recorded, sent and shown like any other. It is marked as a test and has no checkout
// id, so that it does not take a checkout's place in the unique index of its events. Receivers see note, in
// the member's language, as the checkout's description or the withdrawal's holder name, and a
// checkout has the externalId "test_event". For members who can Integrate. It fails with
// ErrEndpointOff, ErrNotSubscribed, models.ErrNotFound or refusal.Forbidden.
func (s *Service) SendTestEvent(
	ctx context.Context, by models.Actor, scope models.Scope, endpointID, eventType, note string,
) (deliveryID string, err error) {
	endpoint, err := models.EndpointByID(ctx, s.DB.Pool, scope, endpointID)
	switch {
	case err != nil:
		return "", fmt.Errorf("payments: send test event: %w", err)
	case !endpoint.Active:
		return "", ErrEndpointOff
	case !slices.Contains(endpoint.Types, eventType):
		return "", ErrNotSubscribed
	}
	now, id := s.now(), models.NewEventID()
	event := &models.Event{ID: id, ProjectID: scope.ProjectID, Environment: scope.Environment, Type: eventType,
		CreatedAt: now}
	if slices.Contains(models.WithdrawalEventTypes, eventType) {
		event.Body = payload.AppendWithdrawalEvent(nil, id, eventType, now, s.sampleWithdrawal(eventType, note))
	} else {
		sample, err := s.sampleCheckout(ctx, scope, eventType, note)
		if err != nil {
			return "", fmt.Errorf("payments: send test event: %w", err)
		}
		event.Body = payload.AppendEvent(nil, id, eventType, now, sample, s.CheckoutURL)
		if eventType == models.EventCheckoutRefunded {
			event.Body = payload.AppendRefundEvent(nil, id, eventType, now, sample, sampleRefund(sample, note, now),
				s.CheckoutURL)
		}
	}
	err = s.commit(ctx, s.DB.InTx, func(tx *models.Tx) (queued bool, err error) {
		if err := projectMember(tx, by, scope, models.Integrate); err != nil {
			return false, err
		}
		deliveryID, err = models.InsertTestEvent(tx, event, endpointID)
		return true, err
	})
	if err != nil {
		return "", fmt.Errorf("payments: send test event to %s: %w", endpointID, err)
	}
	return deliveryID, nil
}

// sampleCheckout returns a checkout in the state that the event type reports. No institution
// knows it: its Pix code is the simulator's, in live as well.
func (s *Service) sampleCheckout(ctx context.Context, scope models.Scope, eventType,
	note string) (*models.Checkout, error) {
	now, id := s.now(), models.NewCheckoutID()
	c := &models.Checkout{
		ID: id, ProjectID: scope.ProjectID, Environment: scope.Environment, Status: models.CheckoutPending,
		Amount:      sampleAmount,
		Description: note, ExternalID: "test_event", Metadata: []byte("{}"),
		CreatedAt: now.Add(-time.Minute), ExpiresAt: now.Add(29 * time.Minute),
		SettlementStatus: models.SettlementPending,
	}
	switch eventType {
	case models.EventCheckoutPaid, models.EventCheckoutRefunded:
		c.Status, c.PaidAt = models.CheckoutPaid, &now
	case models.EventCheckoutExpired:
		c.Status, c.CreatedAt, c.ExpiresAt = models.CheckoutExpired, now.Add(-30*time.Minute), now
	case models.EventCheckoutCancelled:
		c.Status = models.CheckoutCancelled
	}
	issued, err := s.Simulator.PutCharge(ctx, psp.Charge{TxID: pix.ChargeTxID(id), Amount: int64(c.Amount),
		ExpiresIn: 30 * time.Minute})
	if err != nil {
		return nil, fmt.Errorf("make the code: %w", err)
	}
	c.CopyPaste = issued.CopyPaste
	if c.Environment == models.Test {
		if c.QRPNG, err = qr.SmallPNG(c.CopyPaste); err != nil {
			return nil, fmt.Errorf("draw the code: %w", err)
		}
	}
	return c, nil
}

// sampleRefund returns a refund of a sample checkout that is done.
func sampleRefund(c *models.Checkout, note string, now time.Time) *models.Refund {
	id := models.NewRefundID()
	returnID := simulatedReturnID(id, now)
	return &models.Refund{ID: id, Environment: c.Environment, CheckoutID: c.ID, Status: models.RefundCompleted,
		Origin: models.RefundByMember, Amount: c.Amount, Reason: note, ReturnID: &returnID, CreatedAt: now,
		EndedAt: &now, EndToEndID: simulator.Pay(c.TxID, int64(c.Amount), now).EndToEndID}
}

// sampleWithdrawal returns a withdrawal in the state that the event type reports. Test
// endpoints get it as well, although withdrawals exist only in live.
func (s *Service) sampleWithdrawal(eventType, note string) *models.Withdrawal {
	now := s.now()
	w := &models.Withdrawal{
		ID: models.NewWithdrawalID(), Rail: models.RailPix, Status: sampleStatus[eventType], Amount: sampleAmount,
		Destination: models.Destination{Rail: models.RailPix, Type: "EVP", Masked: "00000000-…-0000", HolderName: note},
		CreatedAt:   now.Add(-time.Hour), UpdatedAt: now,
	}
	switch w.Status {
	case models.WithdrawalApproved, models.WithdrawalProcessing:
		w.ApprovedAt = &now
	case models.WithdrawalCompleted, models.WithdrawalReturned:
		w.ApprovedAt, w.CompletedAt = &now, &now
	case models.WithdrawalRejected, models.WithdrawalFailed:
		w.Reason = &note
	}
	return w
}

var sampleStatus = map[string]models.WithdrawalStatus{
	models.EventWithdrawalCreated:    models.WithdrawalPendingReview,
	models.EventWithdrawalCancelled:  models.WithdrawalCancelled,
	models.EventWithdrawalRejected:   models.WithdrawalRejected,
	models.EventWithdrawalApproved:   models.WithdrawalApproved,
	models.EventWithdrawalProcessing: models.WithdrawalProcessing,
	models.EventWithdrawalCompleted:  models.WithdrawalCompleted,
	models.EventWithdrawalFailed:     models.WithdrawalFailed,
	models.EventWithdrawalReturned:   models.WithdrawalReturned,
}
