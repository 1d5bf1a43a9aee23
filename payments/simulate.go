package payments

import (
	"context"
	"fmt"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/pix/psp/simulator"
)

// The operations below are the simulator's bank: what a buyer's bank, or the
// clock, would do to a checkout. They work where the simulator is the institution
// and answer CheckoutNotFound elsewhere, as if the checkout did not exist.

// SimulatePayment pays a pending checkout in full. Faults: CheckoutNotFound,
// CheckoutNotPending.
func (s *Service) SimulatePayment(ctx context.Context, id string) error {
	c, err := s.simulatedCheckout(ctx, id)
	if err != nil {
		return err
	}
	return s.ConfirmPayment(ctx, c.Livemode, simulator.Pay(c.TxID, int64(c.Amount), s.now()))
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
	return s.give(ctx, id, models.CheckoutCancelled, "")
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
		return nil, fault.New(fault.CheckoutNotPending, "The checkout is %s, so it cannot change any more.", c.Status)
	}
	return c, nil
}
