package payments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/wire"
)

// expiryBatch bounds how many checkouts one transaction expires.
const expiryBatch = 100

// ExpireDue turns pending checkouts whose time is over EXPIRED, longest overdue
// first, emits checkout.expired for each, and returns how many. Instances may run
// it at the same time: each takes others.
func (s *Service) ExpireDue(ctx context.Context) (expired int, err error) {
	for {
		var n int
		err := s.commit(ctx, func(tx *models.Tx) (queued bool, err error) {
			due, err := models.LockDueCheckouts(tx, s.now(), expiryBatch)
			if n = len(due); err != nil || n == 0 {
				return false, err
			}
			return s.transition(tx, models.CheckoutExpired, models.EventCheckoutExpired, due...)
		})
		if err != nil {
			return expired, fmt.Errorf("payments: expire checkouts: %w", err)
		}
		if expired += n; n < expiryBatch {
			return expired, nil
		}
	}
}

// CancelCheckout gives up a pending checkout of the scope. Faults:
// CheckoutNotFound, CheckoutNotPending.
func (s *Service) CancelCheckout(ctx context.Context, scope models.Scope, id string) error {
	if _, err := models.CheckoutByID(ctx, s.DB.Pool, scope, id); err != nil {
		return noCheckout(err)
	}
	return s.give(ctx, id, models.CheckoutCancelled, models.EventCheckoutCancelled)
}

// give moves one pending checkout to a final status and tells of it. An event beyond
// the contract's exists only where an endpoint asked for it (decisions, 4).
func (s *Service) give(ctx context.Context, id string, to models.CheckoutStatus, event string) error {
	err := s.commit(ctx, func(tx *models.Tx) (queued bool, err error) {
		c, err := models.LockCheckoutByID(tx, id)
		if err != nil {
			return false, noCheckout(err)
		}
		if c.Status != models.CheckoutPending {
			return false, notPending(c.Status)
		}
		told := event
		if slices.Contains(models.OptionalEventTypes, event) {
			wanted, err := models.EndpointsWant(tx, models.Scope{ProjectID: c.ProjectID, Livemode: c.Livemode}, event)
			if err != nil {
				return false, err
			}
			if !wanted {
				told = ""
			}
		}
		return s.transition(tx, to, told, *c)
	})
	if err != nil {
		return fmt.Errorf("payments: move %s to %s: %w", id, to, err)
	}
	return nil
}

// transition writes the new status of checkouts that tx holds and, if event is
// not "", tells of it.
func (s *Service) transition(tx *models.Tx, to models.CheckoutStatus, event string, checkouts ...models.LockedCheckout) (queued bool, err error) {
	if len(checkouts) == 0 {
		return false, nil
	}
	now := s.now()
	settlesAt := make([]*time.Time, len(checkouts))
	for i := range checkouts {
		checkouts[i].Status = to
		settlesAt[i] = s.settlesAt(&checkouts[i])
	}
	if err := models.SaveCheckoutStatus(tx, to, checkouts, settlesAt, now); err != nil {
		return false, fmt.Errorf("save status: %w", err)
	}
	if event == "" {
		return false, nil
	}
	events := make([]models.Event, len(checkouts))
	for i := range checkouts {
		c := &checkouts[i].Checkout
		id := models.NewEventID()
		events[i] = models.Event{
			ID: id, ProjectID: c.ProjectID, Livemode: c.Livemode, Type: event, CheckoutID: c.ID, CreatedAt: now,
			Body: wire.AppendEvent(nil, id, event, now, c, s.CheckoutHost),
		}
	}
	if queued, err = models.InsertEvents(tx, events...); err != nil {
		return false, fmt.Errorf("insert events: %w", err)
	}
	return queued, nil
}

// commit runs fn in a transaction and, if it left deliveries, wakes the workers.
func (s *Service) commit(ctx context.Context, fn func(tx *models.Tx) (queued bool, err error)) error {
	var queued bool
	err := s.DB.InTx(ctx, func(tx *models.Tx) (err error) {
		queued, err = fn(tx)
		return err
	})
	if err == nil && queued {
		s.Wake()
	}
	return err
}

func noCheckout(err error) error {
	if errors.Is(err, models.ErrNotFound) {
		return fault.New(fault.CheckoutNotFound, "No checkout has this id.")
	}
	return err
}

func notPending(status models.CheckoutStatus) error {
	return fault.New(fault.CheckoutNotPending, "The checkout is %s, so it cannot change any more.", status)
}
