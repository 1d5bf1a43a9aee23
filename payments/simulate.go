package payments

import (
	"context"
	"fmt"
	"time"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/money"
	"garoupa/pix/psp/simulator"
)

// The operations below are the simulator's bank: what a buyer's bank, or the
// clock, would do to a checkout. They work where the simulator is the institution
// and answer CheckoutNotFound elsewhere, as if the checkout did not exist.

// rule is what the last two digits of an amount in centavos make the simulator do
// in test (decisions, 4).
type rule int64

const (
	rulePaysItself  rule = 7  // selfPayAfter its creation
	ruleUnavailable rule = 37 // the institution cannot be reached
	ruleUnderpays   rule = 47 // by one centavo
	rulePaysTwice   rule = 57
)

// selfPayAfter is how long rulePaysItself waits.
const selfPayAfter = 5 * time.Second

func ruleOf(amount money.Cents) rule { return rule(amount % 100) }

// SimulatePayment pays a pending checkout: in full, unless its amount asks for
// something else. However many ask at once, one pays: the checkout is held from
// the look at its status to the payment. If ctx ends first, it may be paid all the
// same. Faults: CheckoutNotFound, CheckoutNotPending.
func (s *Service) SimulatePayment(ctx context.Context, id string) error {
	known, err := s.simulatedCheckout(ctx, id)
	if err != nil {
		return err
	}
	amount, times := known.Amount, 1
	if !known.Livemode {
		switch ruleOf(known.Amount) {
		case ruleUnderpays:
			amount--
		case rulePaysTwice:
			times = 2
		}
	}
	for i := range times {
		r := receipt{Payment: simulator.Pay(known.TxID, int64(amount), s.now()), livemode: known.Livemode, whenPending: i == 0}
		found, err := s.receipts.Add(ctx, r)
		if err == nil && r.whenPending && found != models.CheckoutPending {
			err = notPending(found)
		}
		if err != nil {
			return fmt.Errorf("payments: simulate a payment of %s: %w", id, err)
		}
	}
	return nil
}

// PayDue pays the test checkouts that pay themselves and are old enough. Instances
// may run it at the same time: a checkout is paid once, as it is pending once.
func (s *Service) PayDue(ctx context.Context) error {
	ids, err := models.SelfPayingCheckouts(ctx, s.DB.Pool, s.now().Add(-selfPayAfter))
	if err != nil {
		return fmt.Errorf("payments: find checkouts that pay themselves: %w", err)
	}
	for _, id := range ids {
		if err := s.SimulatePayment(ctx, id); err != nil && fault.Of(err).Code != fault.CheckoutNotPending {
			return err
		}
	}
	return nil
}

// SimulateExpiry ends a pending checkout as if its time were over. Faults:
// CheckoutNotFound, CheckoutNotPending.
func (s *Service) SimulateExpiry(ctx context.Context, id string) error {
	if _, err := s.simulatedCheckout(ctx, id); err != nil {
		return err
	}
	return s.give(ctx, id, models.CheckoutExpired, models.EventCheckoutExpired)
}

// SimulateCancellation ends a pending checkout as if the institution had removed
// its charge. Faults: CheckoutNotFound, CheckoutNotPending.
func (s *Service) SimulateCancellation(ctx context.Context, id string) error {
	if _, err := s.simulatedCheckout(ctx, id); err != nil {
		return err
	}
	return s.give(ctx, id, models.CheckoutCancelled, models.EventCheckoutCancelled)
}

func (s *Service) simulatedCheckout(ctx context.Context, id string) (*models.PublicCheckout, error) {
	c, err := models.PublicCheckoutByID(ctx, s.DB.Pool, id)
	if err != nil {
		return nil, fmt.Errorf("payments: simulate on %s: %w", id, noCheckout(err))
	}
	if !s.simulated(c.Livemode) {
		return nil, noCheckout(models.ErrNotFound)
	}
	if c.Status != models.CheckoutPending {
		return nil, notPending(c.Status)
	}
	return c, nil
}
