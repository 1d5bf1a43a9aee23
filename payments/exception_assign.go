package payments

import (
	"context"
	"errors"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
)

// AssignException gives the money of an UNMATCHED payment to an account, as AcceptException does, and may name
// the checkout of the account that it is for, whose status stays. The fee is that of the checkout, or else the
// account's of now. For staff who are not members of the account. Refusals: PaymentNotFound, CheckoutNotFound
// (also for an unknown account), Forbidden, WrongState (it is decided, or not UNMATCHED, or the bank gives it back),
// ReasonRequired.
func (s *Service) AssignException(
	ctx context.Context, by models.Actor, paymentID, accountID, checkoutID, reason string,
) (*models.Exception, error) {
	return s.decideFor(ctx, by, paymentID, accountID, models.ExceptionAccepted, reason,
		func(tx *models.Tx, x *models.Exception) error {
			if x.Kind != models.ExceptionUnmatched {
				return refusal.New(refusal.WrongState, "The payment was meant for a checkout: accept it.")
			}
			if err := uncontested(tx, x.PaymentID); err != nil {
				return refusal.New(refusal.WrongState, "The payer contests the payment.").Because(err)
			}
			fee, err := s.feeOfAssigned(tx, x, accountID, checkoutID)
			if err != nil {
				return err
			}
			x.AccountID = &accountID
			return credit(tx, x, fee)
		})
}

// feeOfAssigned returns the fee of an UNMATCHED payment that is given to an account, and names its checkout.
func (s *Service) feeOfAssigned(tx *models.Tx, x *models.Exception, accountID, checkoutID string) (fee money.Fee,
	err error) {
	if _, err := models.ShareAccount(tx, accountID); errors.Is(err, models.ErrNotFound) {
		return fee, refusal.New(refusal.CheckoutNotFound, "No account has this id.").Because(err)
	} else if err != nil {
		return fee, err
	}
	if checkoutID == "" {
		err = tx.PGX(func(ctx context.Context, conn models.Querier) (err error) {
			fee, err = models.FeeAt(ctx, conn, accountID, *x.DecidedAt)
			return err
		})
		return fee, err
	}
	owner, err := models.OwnerOfCheckout(tx, checkoutID, x.Environment)
	if errors.Is(err, models.ErrNotFound) || err == nil && owner != accountID {
		return fee, refusal.New(refusal.CheckoutNotFound, "The account has no checkout with this id.")
	} else if err != nil {
		return fee, err
	}
	x.CheckoutID = &checkoutID
	return models.FeeOfCheckout(tx, checkoutID)
}
