package payments

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"garoupa/internal/guard"
	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/pix/psp/simulator"
)

// The operations below simulate what a buyer's bank, or the clock, does to a checkout. They
// work where the simulator is the institution. Elsewhere they refuse with CheckoutNotFound, as
// if the checkout did not exist.

// rule is the behavior of the simulator in test for an amount, given by the last two digits of
// the centavos (docs/rules.md, "Simulator").
type rule int64

const (
	ruleUnavailable rule = 37 // the institution cannot be reached
	ruleUnderpays   rule = 47 // pays one centavo too little
	rulePaysTwice   rule = 57
)

// selfPayAfter is how long after its creation a charge pays itself whose amount ends in 07; models.SelfPayingCheckouts
// finds it.
const selfPayAfter = 5 * time.Second

func ruleOf(amount money.Cents) rule { return rule(amount % 100) }

// SimulatePayment pays a pending checkout, in full unless its amount has another rule. Of
// concurrent calls one pays: the checkout is locked from the check of its status until the
// payment. If ctx ends first, it may be paid nevertheless. Refusals: CheckoutNotFound,
// CheckoutNotPending.
func (s *Service) SimulatePayment(ctx context.Context, id string) error {
	known, err := s.simulatedCheckout(ctx, id)
	if err != nil {
		return err
	}
	for _, r := range s.simulatedReceipts(&known.Checkout) {
		found, err := s.receive(ctx, r)
		if err == nil && r.whenPending && found != models.CheckoutPending {
			err = notPending(found)
		}
		if err != nil {
			return fmt.Errorf("payments: simulate a payment of %s: %w", id, err)
		}
	}
	return nil
}

// simulatedReceipts returns the receipts that the simulated bank sends for a checkout, in
// order. The first applies only to a pending checkout.
func (s *Service) simulatedReceipts(c *models.Checkout) []receipt {
	amount, times := c.Amount, 1
	if c.Environment == models.Test {
		switch ruleOf(c.Amount) {
		case ruleUnderpays:
			amount--
		case rulePaysTwice:
			times = 2
		}
	}
	receipts := make([]receipt, times)
	for i := range receipts {
		paid := simulator.Pay(c.TxID, int64(amount), s.now())
		receipts[i] = receipt{Payment: paid, environment: c.Environment, whenPending: i == 0}
	}
	return receipts
}

// PayDue pays the test checkouts that pay themselves and are old enough. Instances may run it
// at the same time: a checkout is paid once, because it is pending once. A checkout that
// another transaction has locked, or that fails, is left to the next call and does not delay
// the others.
func (s *Service) PayDue(ctx context.Context) error {
	due, err := models.SelfPayingCheckouts(ctx, s.DB.Pool, s.now().Add(-selfPayAfter))
	if err != nil {
		return fmt.Errorf("payments: find due simulated payments: %w", err)
	}
	var paying sync.WaitGroup
	failed := make([]error, len(due))
	for i, charge := range due {
		paying.Go(func() {
			failed[i] = guard.Call("simulate a due payment", func() error {
				r := receipt{Payment: simulator.Pay(charge.TxID, int64(charge.Amount), s.now()), whenPending: true}
				_, err := s.receipts.Add(ctx, r)
				return err
			})
		})
	}
	paying.Wait()
	if err := errors.Join(failed...); err != nil {
		return fmt.Errorf("payments: simulate due payments: %w", err)
	}
	return nil
}

// SimulateExpiry expires a pending checkout before its time. Refusals: CheckoutNotFound,
// CheckoutNotPending.
func (s *Service) SimulateExpiry(ctx context.Context, id string) error {
	if _, err := s.simulatedCheckout(ctx, id); err != nil {
		return err
	}
	return s.finish(ctx, id, models.CheckoutExpired, models.EventCheckoutExpired, anyone)
}

// SimulateCancellation cancels a pending checkout as if the institution had removed its
// charge. Refusals: CheckoutNotFound, CheckoutNotPending.
func (s *Service) SimulateCancellation(ctx context.Context, id string) error {
	if _, err := s.simulatedCheckout(ctx, id); err != nil {
		return err
	}
	return s.finish(ctx, id, models.CheckoutCancelled, models.EventCheckoutCancelled, anyone)
}

func (s *Service) simulatedCheckout(ctx context.Context, id string) (*models.AnyCheckout, error) {
	c, err := models.AnyCheckoutByID(ctx, s.DB.Pool, id)
	if err != nil {
		return nil, fmt.Errorf("payments: simulate on %s: %w", id, noCheckout(err))
	}
	if !s.simulated(c.Environment) {
		return nil, noCheckout(models.ErrNotFound)
	}
	if c.Status != models.CheckoutPending {
		return nil, notPending(c.Status)
	}
	return c, nil
}
