package payments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"garoupa/internal/payload"
	"garoupa/internal/refusal"
	"garoupa/models"
)

const (
	// expiryBatch limits the checkouts that one transaction expires.
	expiryBatch = 100
	// silencePatience is how long after its end a checkout waits for a bank to say that it was not paid.
	silencePatience = time.Minute
)

// ExpireDue marks overdue pending checkouts as EXPIRED, longest overdue first, writes
// checkout.expired for each, and returns their number. Instances may run it at the same time:
// each handles different checkouts.
func (s *Service) ExpireDue(ctx context.Context) (expired int, err error) {
	for {
		var n int
		err := s.commit(ctx, s.DB.InTx, func(tx *models.Tx) (queued bool, err error) {
			now := s.now()
			due, err := models.LockDueCheckouts(tx, now, silencePatience, expiryBatch)
			if n = len(due); err != nil || n == 0 {
				return false, err
			}
			if err := endBankCharges(tx, due, now); err != nil {
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

// CancelCheckout cancels a pending checkout of the scope. For members who can Sell. If its charge is at a
// bank, it is removed there first; while the bank does not confirm that, the checkout stays pending and
// CancelCheckout fails with ErrCancelRequested. Refusals: CheckoutNotFound, Forbidden, CheckoutNotPending.
func (s *Service) CancelCheckout(ctx context.Context, by models.Actor, scope models.Scope, id string) error {
	c, err := models.CheckoutByID(ctx, s.DB.Pool, scope, id)
	if err != nil {
		return noCheckout(err)
	}
	may := func(tx *models.Tx) error { return projectMember(tx, by, scope, models.Sell) }
	if scope.Environment == models.Live {
		charge, err := models.BankChargeByTxID(ctx, s.DB.Pool, c.TxID)
		if err == nil {
			return s.cancelAtBank(ctx, charge, may)
		} else if !errors.Is(err, models.ErrNotFound) {
			return fmt.Errorf("payments: read the charge of %s: %w", id, err)
		}
	}
	return s.finish(ctx, id, models.CheckoutCancelled, models.EventCheckoutCancelled, may)
}

// anyone allows every actor.
func anyone(*models.Tx) error { return nil }

// finish moves a pending checkout to a final status and writes the event, if may allows the
// actor. Events that are not in the contract are written only if an endpoint subscribes to
// them.
func (s *Service) finish(
	ctx context.Context, id string, to models.CheckoutStatus, event string, may func(*models.Tx) error,
) error {
	mayBeDone := false
	err := models.UntilAnswered(ctx, func() error {
		err := s.commit(ctx, s.DB.InTx, func(tx *models.Tx) (queued bool, err error) {
			if err := may(tx); err != nil {
				return false, err
			}
			c, err := models.LockCheckoutByID(tx, id)
			switch {
			case err != nil:
				return false, noCheckout(err)
			case mayBeDone && c.Status == to:
				return false, nil
			case c.Status != models.CheckoutPending:
				return false, notPending(c.Status)
			}
			return s.transitionWanted(tx, to, event, c)
		})
		mayBeDone = mayBeDone || errors.Is(err, models.ErrCommitUnknown)
		return err
	})
	if err != nil {
		return fmt.Errorf("payments: move %s to %s: %w", id, to, err)
	}
	return nil
}

// transitionWanted is transition for one checkout, without an event to which no endpoint of
// its project subscribes.
func (s *Service) transitionWanted(
	tx *models.Tx, to models.CheckoutStatus, event string, c *models.LockedCheckout,
) (queued bool, err error) {
	if slices.Contains(models.OptionalEventTypes, event) {
		wanted, err := models.EndpointsWant(tx, models.Scope{ProjectID: c.ProjectID, Environment: c.Environment}, event)
		if err != nil {
			return false, err
		}
		if !wanted {
			event = ""
		}
	}
	return s.transition(tx, to, event, *c)
}

// transition writes the new status of checkouts that tx has locked and, if event is not "",
// writes the event. Streams are notified after the commit.
func (s *Service) transition(tx *models.Tx, to models.CheckoutStatus, event string,
	checkouts ...models.LockedCheckout) (queued bool, err error) {
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
	tx.AfterCommit(func() { s.tellChanged(checkouts) })
	if event == "" {
		return false, nil
	}
	events := make([]models.Event, len(checkouts))
	for i := range checkouts {
		c := &checkouts[i].Checkout
		s.OpenDocument(c)
		id := models.NewEventID()
		events[i] = models.Event{
			ID: id, ProjectID: c.ProjectID, Environment: c.Environment, Type: event, CheckoutID: c.ID, CreatedAt: now,
			Body: payload.AppendEvent(nil, id, event, now, c, s.CheckoutURL),
		}
	}
	if queued, err = models.InsertEvents(tx, events...); err != nil {
		return false, fmt.Errorf("insert events: %w", err)
	}
	return queued, nil
}

// tellChanged notifies the streams that show checkouts, and those that show what is new in their scopes.
func (s *Service) tellChanged(checkouts []models.LockedCheckout) {
	for i := range checkouts {
		c := &checkouts[i].Checkout
		s.Tell(c.ID)
		s.Tell(models.Scope{ProjectID: c.ProjectID, Environment: c.Environment}.Changes())
	}
}

// commit runs fn in a transaction of the kind given and, if fn wrote deliveries, wakes the
// workers.
func (s *Service) commit(
	ctx context.Context, inTx func(ctx context.Context, fn func(tx *models.Tx) error) error,
	fn func(tx *models.Tx) (queued bool, err error),
) error {
	var queued bool
	err := inTx(ctx, func(tx *models.Tx) (err error) {
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
		return refusal.New(refusal.CheckoutNotFound, "No checkout has this id.")
	}
	return err
}

func notPending(status models.CheckoutStatus) error {
	return refusal.New(refusal.CheckoutNotPending, "The checkout is %s, so it cannot change any more.", status)
}
