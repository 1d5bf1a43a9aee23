package merchants

import (
	"context"
	"fmt"

	"garoupa/fault"
	"garoupa/models"
)

// ShowBuyer writes down that somebody of staff looks at what a buyer told of themselves,
// before they do. The merchant reads that it happened. It fails with fault.Forbidden for
// who is not of staff, or models.ErrNotFound.
func (s *Service) ShowBuyer(ctx context.Context, by Actor, checkoutID string) error {
	checkout, err := models.AnyCheckoutByID(ctx, s.DB.Pool, checkoutID)
	if err != nil {
		return fmt.Errorf("merchants: show buyer: %w", err)
	}
	by.AccountID = checkout.AccountID
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		standing, err := models.UserStanding(tx, by.UserID, by.AccountID)
		if err == nil && standing.StaffRole == "" {
			err = fault.New(fault.Forbidden, "The person's role does not include this.")
		}
		if err != nil {
			return err
		}
		return s.audit(tx, by, "buyer.shown", checkoutID, nil)
	})
	if err != nil {
		return fmt.Errorf("merchants: show buyer: %w", err)
	}
	return nil
}
