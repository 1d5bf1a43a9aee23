package payments

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/models"
)

// AcceptException credits the money of an exception to the account of its checkout, minus the
// fee that applied when the checkout was created. The money is available at once, and the
// checkout keeps its status. For staff who are not members of the account. Money at a merchant's own bank
// account is accepted without a fee by its members who can MoveMoney. Refusals: PaymentNotFound, Forbidden,
// WrongState (it is decided, or has no checkout, or the bank gives it back), ReasonRequired.
func (s *Service) AcceptException(
	ctx context.Context, by models.Actor, paymentID, reason string,
) (*models.Exception, error) {
	return s.decide(ctx, by, paymentID, models.ExceptionAccepted, reason,
		func(tx *models.Tx, x *models.Exception) error {
			if x.Own {
				return acceptOwn(tx, x)
			}
			if x.Kind == models.ExceptionUnmatched || x.AccountID == nil || x.CheckoutID == nil {
				return refusal.New(refusal.WrongState,
					"The payment belongs to no checkout, so no account can be credited.")
			}
			if err := uncontested(tx, x.PaymentID); err != nil {
				return refusal.New(refusal.WrongState, "The payer contests the payment.").Because(err)
			}
			fee, err := models.FeeOfCheckout(tx, *x.CheckoutID)
			if err != nil {
				return err
			}
			return credit(tx, x, fee)
		})
}

// FeeOfException returns the fee on an exception's money that staff give to an account: by the terms at the creation of
// the named checkout or, if checkoutID is "", by the account's current terms.
func (s *Service) FeeOfException(ctx context.Context, x *models.Exception, accountID, checkoutID string) (money.Cents,
	error) {
	at := s.now()
	if checkoutID != "" {
		checkout, err := models.AnyCheckoutByID(ctx, s.DB.Pool, checkoutID)
		if err != nil {
			return 0, fmt.Errorf("payments: read the checkout of %s: %w", x.PaymentID, err)
		}
		at = checkout.CreatedAt
	}
	fee, err := models.FeeAt(ctx, s.DB.Pool, accountID, at)
	if err != nil {
		return 0, fmt.Errorf("payments: read the fee of %s: %w", x.PaymentID, err)
	}
	return fee.Of(x.Amount), nil
}

// credit makes the money of an exception, less a fee, available to its account.
func credit(tx *models.Tx, x *models.Exception, fee money.Fee) error {
	x.Fee = fee.Of(x.Amount)
	available := ledger.Account(*x.AccountID, x.Environment, ledger.Available)
	// Available money may be below zero: Spend would refuse the fee, although more comes in.
	if _, _, err := ledger.Shortfall(tx, *x.AccountID, x.Environment, 0); err != nil {
		return err
	}
	err := ledger.Post(tx, *x.DecidedAt, ledger.Posting{Fact: "exception/" + x.PaymentID,
		Transfers: []ledger.Transfer{{From: ledger.Suspense(x.Environment), To: available, Amount: x.Amount},
			{From: available, To: ledger.Fees(x.Environment), Amount: x.Fee}}})
	if err != nil {
		return err
	}
	return models.AddUncovered(tx, *x.AccountID, x.Environment, x.Fee-x.Amount)
}

// RefundException asks the bank that received the money of an exception to give it back: the
// exception stays open until the bank has done so, and cannot be decided otherwise meanwhile. For a
// payment without a bank, and with the institution's id of a return that was made by hand, it
// records that the money was given back. For staff who are not members of the checkout's
// account, or its members who can MoveMoney if the money is at their own bank account. Refusals: PaymentNotFound,
// Forbidden, WrongState, ReasonRequired, ProofRequired (ErrNotAsked without an id), ProofTaken.
func (s *Service) RefundException(
	ctx context.Context, by models.Actor, paymentID, reason, returnID string,
) (*models.Exception, error) {
	id, err := checkReturnID(returnID)
	if err != nil {
		return nil, err
	}
	if id == nil {
		if x, asked, err := s.askExceptionReturn(ctx, by, paymentID, reason); err != nil || asked {
			return x, err
		}
	}
	return s.decide(ctx, by, paymentID, models.ExceptionRefunded, reason,
		func(tx *models.Tx, x *models.Exception) error {
			x.ReturnID = id
			if err := unbooked(tx, x.Environment, id); err != nil {
				return err
			}
			return moveSuspense(tx, x, ledger.Refunds(x.Environment))
		})
}

// WriteOffException books the money of an exception as kept by the installation, which does not have that at
// own bank accounts. For staff who are not members of the checkout's account. Refusals:
// PaymentNotFound, Forbidden, WrongState, ReasonRequired.
func (s *Service) WriteOffException(
	ctx context.Context, by models.Actor, paymentID, reason string,
) (*models.Exception, error) {
	return s.decide(ctx, by, paymentID, models.ExceptionWrittenOff, reason,
		func(tx *models.Tx, x *models.Exception) error {
			if x.Own {
				return errAtOwnBank
			}
			return moveSuspense(tx, x, ledger.WrittenOff(x.Environment))
		})
}

func moveSuspense(tx *models.Tx, x *models.Exception, to ledger.Book) error {
	return ledger.Post(tx, *x.DecidedAt, ledger.Posting{Fact: "exception/" + x.PaymentID, Transfers: []ledger.Transfer{
		{From: ledger.Suspense(x.Environment), To: to, Amount: x.Amount},
	}})
}

// openException locks an exception that is not decided, and that the bank is not giving back, for an actor
// who may decide about it.
func openException(tx *models.Tx, by models.Actor, paymentID string) (x *models.Exception, account string,
	err error) {
	x, err = models.LockException(tx, paymentID)
	if errors.Is(err, models.ErrNotFound) {
		return nil, "", refusal.New(refusal.PaymentNotFound, "No exception is about this payment.")
	} else if err != nil {
		return nil, "", err
	}
	if x.AccountID != nil {
		account = *x.AccountID
	}
	switch err := decider(tx, by, x, account); {
	case err != nil:
		return nil, "", err
	case x.Decision != nil:
		return nil, "", refusal.New(refusal.WrongState, "The exception was %s already.", *x.Decision)
	case x.Returning():
		return nil, "", errReturning
	}
	return x, account, nil
}

// decide locks an open exception, calls act, which moves its money, and writes the decision.
func (s *Service) decide(ctx context.Context, by models.Actor, paymentID string, decision models.ExceptionDecision,
	reason string, act func(*models.Tx, *models.Exception) error) (*models.Exception, error) {
	return s.decideFor(ctx, by, paymentID, "", decision, reason, act)
}

// decideFor is decide, also for the account that is to have the money, of which the person must
// not be a member either.
func (s *Service) decideFor(ctx context.Context, by models.Actor, paymentID, accountID string,
	decision models.ExceptionDecision, reason string,
	act func(*models.Tx, *models.Exception) error) (x *models.Exception, err error) {
	if reason, err = checkReason(reason); err != nil {
		return nil, err
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		var account string
		if x, account, err = openException(tx, by, paymentID); err != nil {
			return err
		}
		if accountID != "" {
			if account = accountID; x.Own {
				return errAtOwnBank
			}
			if err := staff(tx, by, models.Matter{AccountID: account, Since: x.CreatedAt}); err != nil {
				return err
			}
		}
		now := s.now()
		x.Decision, x.Reason, x.DecidedBy, x.DecidedAt = &decision, &reason, &by.UserID, &now
		if err := act(tx, x); err != nil {
			return err
		}
		if err := models.SaveDecision(tx, x); err != nil {
			return err
		}
		return s.audit(tx, by, account, "exception."+map[models.ExceptionDecision]string{
			models.ExceptionAccepted: "accepted", models.ExceptionRefunded: "refunded",
			models.ExceptionWrittenOff: "written_off",
		}[decision], x.PaymentID, map[string]string{"kind": string(x.Kind), "amount": x.Amount.Decimal(),
			"reason": reason})
	})
	if err != nil {
		return nil, fmt.Errorf("payments: decide on %s: %w", paymentID, err)
	}
	return x, nil
}

var returnIDText = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)

// checkReturnID checks the institution's id of a return; nil means none. The refusal is
// ProofRequired.
func checkReturnID(id string) (*string, error) {
	if id == "" {
		return nil, nil
	}
	if !returnIDText.MatchString(id) {
		return nil, refusal.New(refusal.ProofRequired,
			"The return's id must have up to 64 letters, digits and hyphens.")
	}
	return &id, nil
}

var returnBooked = refusal.New(refusal.ProofTaken, "Another refund has this id.")

// unbooked refuses a return of the institution that a refund or an exception has booked, and
// keeps others from booking it until tx ends. Nil is no return. The refusal is ProofTaken.
func unbooked(tx *models.Tx, environment models.Environment, returnID *string) error {
	if returnID == nil {
		return nil
	}
	booked, err := models.LockReturn(tx, environment, *returnID)
	if err == nil && booked {
		err = returnBooked
	}
	return err
}
