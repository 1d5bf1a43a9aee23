package payments_test

import (
	"fmt"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/payments/paymentstest"
)

// Callers that share a page or a balance read back what each of them wrote before it asked.
func TestShared_ReadsBack(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	var group errgroup.Group
	for worker := range 8 {
		group.Go(func() error {
			for n := range 10 {
				in := payments.NewCheckout{Amount: 10_00, ExternalID: fmt.Sprintf("%d-%d", worker, n)}
				own, _, err := g.CreateCheckout(t.Context(), g.Test, g.Account, paymentstest.Filled(in))
				if err != nil {
					return err
				}
				page, err := g.Checkouts(t.Context(), g.Test, models.CheckoutFilter{Limit: 100})
				if err != nil {
					return err
				}
				if !slices.ContainsFunc(page.Rows, func(c models.Checkout) bool { return c.ID == own.ID }) {
					return fmt.Errorf("%s is not among %d charges", own.ID, len(page.Rows))
				}
				before, err := g.Balance(t.Context(), g.Account, models.Test)
				if err != nil {
					return err
				}
				if err := g.SimulatePayment(t.Context(), own.ID); err != nil {
					return err
				}
				after, err := g.Balance(t.Context(), g.Account, models.Test)
				if err != nil {
					return err
				}
				if after.Gross < before.Gross+own.Amount {
					return fmt.Errorf("paid %d: the balance went from %d to %d", own.Amount, before.Gross, after.Gross)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}
