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
// checkout keeps its status. For staff who are not members of the account. Refusals:
// PaymentNotFound, Forbidden, WrongState (it is decided, or has no checkout), ReasonRequired.
func (s *Service) AcceptException(
	ctx context.Context, by models.Actor, paymentID, reason string,
) (*models.Exception, error) {
	return s.decide(ctx, by, paymentID, models.ExceptionAccepted, reason,
		func(tx *models.Tx, x *models.Exception) error {
			if x.Kind == models.ExceptionUnmatched || x.AccountID == nil || x.CheckoutID == nil {
				return refusal.New(refusal.WrongState,
					"The payment was meant for no checkout, so there is nobody to credit.")
			}
			fee, err := models.FeeOfCheckout(tx, *x.CheckoutID)
			if err != nil {
				return err
			}
			x.Fee = fee.Of(x.Amount)
			available := ledger.Account(*x.AccountID, x.Environment, ledger.Available)
			_, err = ledger.Spend(tx, *x.AccountID, x.Environment, "exception/"+x.PaymentID, *x.DecidedAt,
				ledger.Transfer{From: ledger.Suspense(x.Environment), To: available, Amount: x.Amount},
				ledger.Transfer{From: available, To: ledger.Fees(x.Environment), Amount: x.Fee})
			if err != nil {
				return err
			}
			return models.AddUncovered(tx, *x.AccountID, x.Environment, x.Fee-x.Amount)
		})
}

// RefundException records that the money of an exception was returned to the buyer. returnID
// is the institution's id of the return, "" if there is none. For staff who are not members of
// the checkout's account. Refusals: PaymentNotFound, Forbidden, WrongState, ReasonRequired,
// ProofRequired, ProofTaken.
func (s *Service) RefundException(
	ctx context.Context, by models.Actor, paymentID, reason, returnID string,
) (*models.Exception, error) {
	id, err := checkReturnID(returnID)
	if err != nil {
		return nil, err
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

// WriteOffException books the money of an exception as kept by the installation. For staff who
// are not members of the checkout's account. Refusals: PaymentNotFound, Forbidden, WrongState,
// ReasonRequired.
func (s *Service) WriteOffException(
	ctx context.Context, by models.Actor, paymentID, reason string,
) (*models.Exception, error) {
	return s.decide(ctx, by, paymentID, models.ExceptionWrittenOff, reason,
		func(tx *models.Tx, x *models.Exception) error {
			return moveSuspense(tx, x, ledger.WrittenOff(x.Environment))
		})
}

func moveSuspense(tx *models.Tx, x *models.Exception, to ledger.Book) error {
	return ledger.Post(tx, *x.DecidedAt, ledger.Posting{Fact: "exception/" + x.PaymentID, Transfers: []ledger.Transfer{
		{From: ledger.Suspense(x.Environment), To: to, Amount: x.Amount},
	}})
}

// decide locks an open exception, calls act, which moves its money, and writes the decision.
func (s *Service) decide(ctx context.Context, by models.Actor, paymentID string, decision models.ExceptionDecision,
	reason string,
	act func(*models.Tx, *models.Exception) error) (x *models.Exception, err error) {
	if reason, err = checkReason(reason); err != nil {
		return nil, err
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		x, err = models.LockException(tx, paymentID)
		if errors.Is(err, models.ErrNotFound) {
			return refusal.New(refusal.PaymentNotFound, "No exception is about this payment.")
		} else if err != nil {
			return err
		}
		account := ""
		if x.AccountID != nil {
			account = *x.AccountID
		}
		if err := staff(tx, by, models.Matter{AccountID: account, Since: x.CreatedAt}); err != nil {
			return err
		}
		if x.Decision != nil {
			return refusal.New(refusal.WrongState, "The exception was %s already.", *x.Decision)
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

// NewRefund is a refund to a buyer.
type NewRefund struct {
	PaymentID string
	Amount    money.Cents
	Reason    string
	ReturnID  string // the institution's id of the return, "" if there is none
	Seen      int    // the number of the payment's refunds that the caller saw
}

// RefundPayment records that money of a payment was returned to its buyer, in full or in part,
// from the account's available money. The fee is not returned. For staff who are not members
// of the account, and who saw all of the payment's refunds: of several people who saw the same
// refunds, only one can record the next. Refusals: PaymentNotFound (also for a payment that
// paid no checkout), Forbidden, ChangedMeanwhile, InvalidAmount, InsufficientBalance,
// ReasonRequired, ProofRequired, ProofTaken.
func (s *Service) RefundPayment(ctx context.Context, by models.Actor, in NewRefund) (*models.Refund, error) {
	reason, err := checkReason(in.Reason)
	if err != nil {
		return nil, err
	}
	returnID, err := checkReturnID(in.ReturnID)
	if err != nil {
		return nil, err
	}
	if in.Amount <= 0 {
		return nil, refusal.New(refusal.InvalidAmount, "amount must be more than 0.00.")
	}
	r := &models.Refund{
		ID: models.NewRefundID(), PaymentID: in.PaymentID, Number: in.Seen + 1,
		Amount: in.Amount, Reason: reason, ReturnID: returnID,
		CreatedBy: by.UserID, CreatedAt: s.now(),
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error { return s.refund(tx, by, r) })
	switch {
	case models.Violates(err, models.RefundsWithinPayment):
		return nil, beyondPayment.Because(err)
	case models.Violates(err, models.RefundsReturnIDUnique):
		return nil, returnBooked.Because(err)
	case err != nil:
		return nil, fmt.Errorf("payments: refund %s: %w", in.PaymentID, err)
	}
	return r, nil
}

var beyondPayment = refusal.New(refusal.InvalidAmount, "More would go back than was paid.")

// refund locks the payment, then reads the earlier refunds, and then locks the account's book.
func (s *Service) refund(tx *models.Tx, by models.Actor, r *models.Refund) error {
	p, err := models.LockPayment(tx, r.PaymentID)
	if errors.Is(err, models.ErrNotFound) {
		return refusal.New(refusal.PaymentNotFound, "No checkout was paid by this payment.")
	} else if err != nil {
		return err
	}
	if err := staff(tx, by, models.Matter{AccountID: p.AccountID, Since: p.RecordedAt}); err != nil {
		return err
	}
	r.AccountID, r.Environment = p.AccountID, p.Environment
	refunded, n, err := models.RefundedOf(tx, p.ID)
	if err != nil {
		return err
	}
	if err := unchanged(r.Number, n+1); err != nil {
		return err
	}
	if refunded+r.Amount > p.Amount {
		return beyondPayment
	}
	if err := unbooked(tx, p.Environment, r.ReturnID); err != nil {
		return err
	}
	before, err := ledger.Spend(tx, p.AccountID, p.Environment, "refund/"+r.ID, r.CreatedAt, ledger.Transfer{
		From: ledger.Account(p.AccountID, p.Environment, ledger.Available), To: ledger.Refunds(p.Environment),
		Amount: r.Amount,
	})
	if errors.Is(err, ledger.ErrShort) {
		return insufficient(before)
	} else if err != nil {
		return err
	}
	if err := models.InsertRefund(tx, r); err != nil {
		return err
	}
	if err := models.AddUncovered(tx, p.AccountID, p.Environment, r.Amount); err != nil {
		return err
	}
	return s.audit(tx, by, p.AccountID, "payment.refunded", r.ID,
		map[string]string{"payment": p.ID, "amount": r.Amount.Decimal(), "reason": r.Reason})
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
