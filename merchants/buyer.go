package merchants

import (
	"context"
	"fmt"

	"garoupa/models"
)

// ShowBuyer records in the audit log that a member of staff looks at a buyer's personal data.
// Call it before showing the data. The merchant can read the line. It fails with
// refusal.Forbidden if the actor is not staff, or models.ErrNotFound.
func (s *Service) ShowBuyer(ctx context.Context, by models.Actor, checkoutID string) error {
	checkout, err := models.AnyCheckoutByID(ctx, s.DB.Pool, checkoutID)
	if err != nil {
		return fmt.Errorf("merchants: show buyer: %w", err)
	}
	by.AccountID = checkout.AccountID
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		person, err := models.LockDecider(tx, by.UserID, models.Matter{AccountID: by.AccountID})
		if err == nil && !person.StaffRole.Can(models.Review) {
			err = errStaffRole
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
