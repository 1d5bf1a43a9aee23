package payments

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"garoupa/fault"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/money"
)

// AcceptException credits the money of an exception to the account whose checkout it
// was meant for, less the account's fee; it is available at once. The checkout keeps
// its status. For staff who are not members of the account. Faults: PaymentNotFound,
// Forbidden, WrongState (it was decided, or nobody's checkout was meant),
// ReasonRequired.
func (s *Service) AcceptException(ctx context.Context, by Actor, paymentID, reason string) (*models.Exception, error) {
	return s.decide(ctx, by, paymentID, models.ExceptionAccepted, reason, func(tx *models.Tx, x *models.Exception) error {
		if x.Kind == models.ExceptionUnmatched || x.AccountID == nil {
			return fault.New(fault.WrongState, "The payment was meant for no checkout, so there is nobody to credit.")
		}
		fee, err := models.AccountFee(tx, *x.AccountID)
		if err != nil {
			return err
		}
		x.Fee = fee.Of(x.Amount)
		available := ledger.Account(*x.AccountID, x.Livemode, ledger.Available)
		_, err = ledger.Spend(tx, *x.AccountID, x.Livemode, "exception/"+x.PaymentID, *x.DecidedAt,
			ledger.Transfer{From: ledger.Suspense(x.Livemode), To: available, Amount: x.Amount},
			ledger.Transfer{From: available, To: ledger.Fees(x.Livemode), Amount: x.Fee})
		if err != nil {
			return err
		}
		return models.AddUncovered(tx, *x.AccountID, x.Livemode, x.Fee-x.Amount)
	})
}

// RefundException records that the money of an exception went back to the buyer,
// with the institution's name for the return (returnID), "" if there is none. For
// staff who are not members of the account that it was meant for. Faults:
// PaymentNotFound, Forbidden, WrongState, ReasonRequired, ProofRequired.
func (s *Service) RefundException(ctx context.Context, by Actor, paymentID, reason, returnID string) (*models.Exception, error) {
	id, err := checkReturnID(returnID)
	if err != nil {
		return nil, err
	}
	return s.decide(ctx, by, paymentID, models.ExceptionRefunded, reason, func(tx *models.Tx, x *models.Exception) error {
		x.ReturnID = id
		return moveSuspense(tx, x, ledger.Refunds(x.Livemode))
	})
}

// WriteOffException lets the installation keep the money of an exception. For staff
// who are not members of the account that it was meant for. Faults:
// PaymentNotFound, Forbidden, WrongState, ReasonRequired.
func (s *Service) WriteOffException(ctx context.Context, by Actor, paymentID, reason string) (*models.Exception, error) {
	return s.decide(ctx, by, paymentID, models.ExceptionWrittenOff, reason, func(tx *models.Tx, x *models.Exception) error {
		return moveSuspense(tx, x, ledger.WrittenOff(x.Livemode))
	})
}

func moveSuspense(tx *models.Tx, x *models.Exception, to ledger.Book) error {
	return ledger.Post(tx, *x.DecidedAt, ledger.Posting{Fact: "exception/" + x.PaymentID, Transfers: []ledger.Transfer{
		{From: ledger.Suspense(x.Livemode), To: to, Amount: x.Amount},
	}})
}

// decide holds an open exception while act moves its money, and writes the decision.
func (s *Service) decide(ctx context.Context, by Actor, paymentID string, decision models.ExceptionDecision, reason string,
	act func(*models.Tx, *models.Exception) error) (x *models.Exception, err error) {
	if reason, err = checkReason(reason); err != nil {
		return nil, err
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		x, err = models.LockException(tx, paymentID)
		if errors.Is(err, models.ErrNotFound) {
			return fault.New(fault.PaymentNotFound, "No exception is about this payment.")
		} else if err != nil {
			return err
		}
		account := ""
		if x.AccountID != nil {
			account = *x.AccountID
		}
		if err := staff(tx, by, account); err != nil {
			return err
		}
		if x.Decision != nil {
			return fault.New(fault.WrongState, "The exception was %s already.", *x.Decision)
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
			models.ExceptionAccepted: "accepted", models.ExceptionRefunded: "refunded", models.ExceptionWrittenOff: "written_off",
		}[decision], x.PaymentID, map[string]string{"kind": string(x.Kind), "amount": x.Amount.Decimal(), "reason": reason})
	})
	if err != nil {
		return nil, fmt.Errorf("payments: decide on %s: %w", paymentID, err)
	}
	return x, nil
}

// NewRefund is money that goes back to a buyer.
type NewRefund struct {
	PaymentID string
	Amount    money.Cents
	Reason    string
	ReturnID  string // the institution's name for it, "" if there is none
}

// RefundPayment records that money of a payment went back to its buyer, whole or in
// part, out of what the account has available; the fee is not given back. For staff
// who are not members of the account. Faults: PaymentNotFound (also for a payment
// that paid no checkout), Forbidden, InvalidAmount, InsufficientBalance,
// ReasonRequired, ProofRequired, ProofTaken.
func (s *Service) RefundPayment(ctx context.Context, by Actor, in NewRefund) (*models.Refund, error) {
	reason, err := checkReason(in.Reason)
	if err != nil {
		return nil, err
	}
	returnID, err := checkReturnID(in.ReturnID)
	if err != nil {
		return nil, err
	}
	if in.Amount <= 0 {
		return nil, fault.New(fault.InvalidAmount, "amount must be more than 0.00.")
	}
	r := &models.Refund{ID: models.NewRefundID(), PaymentID: in.PaymentID, Amount: in.Amount, Reason: reason, ReturnID: returnID, CreatedBy: by.UserID, CreatedAt: s.now()}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error { return s.refund(tx, by, r) })
	switch {
	case models.Violates(err, models.RefundsWithinPayment):
		return nil, beyondPayment.Because(err)
	case models.Violates(err, models.RefundsReturnIDUnique):
		return nil, fault.New(fault.ProofTaken, "Another refund has this id.").Because(err)
	case err != nil:
		return nil, fmt.Errorf("payments: refund %s: %w", in.PaymentID, err)
	}
	return r, nil
}

var beyondPayment = fault.New(fault.InvalidAmount, "More would go back than was paid.")

// refund holds the payment from the look at what went back of it before, then the
// account's book.
func (s *Service) refund(tx *models.Tx, by Actor, r *models.Refund) error {
	p, err := models.LockPayment(tx, r.PaymentID)
	if errors.Is(err, models.ErrNotFound) {
		return fault.New(fault.PaymentNotFound, "No checkout was paid by this payment.")
	} else if err != nil {
		return err
	}
	if err := staff(tx, by, p.AccountID); err != nil {
		return err
	}
	r.AccountID, r.Livemode = p.AccountID, p.Livemode
	refunded, err := models.RefundedOf(tx, p.ID)
	if err != nil {
		return err
	}
	if refunded+r.Amount > p.Amount {
		return beyondPayment
	}
	before, err := ledger.Spend(tx, p.AccountID, p.Livemode, "refund/"+r.ID, r.CreatedAt, ledger.Transfer{
		From: ledger.Account(p.AccountID, p.Livemode, ledger.Available), To: ledger.Refunds(p.Livemode), Amount: r.Amount,
	})
	if errors.Is(err, ledger.ErrShort) {
		return insufficient(before)
	} else if err != nil {
		return err
	}
	if err := models.InsertRefund(tx, r); err != nil {
		return err
	}
	if err := models.AddUncovered(tx, p.AccountID, p.Livemode, r.Amount); err != nil {
		return err
	}
	return s.audit(tx, by, p.AccountID, "payment.refunded", r.ID, map[string]string{"payment": p.ID, "amount": r.Amount.Decimal(), "reason": r.Reason})
}

var returnIDText = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)

// checkReturnID checks the institution's name for a return, nil if there is none.
// The fault is ProofRequired.
func checkReturnID(id string) (*string, error) {
	if id == "" {
		return nil, nil
	}
	if !returnIDText.MatchString(id) {
		return nil, fault.New(fault.ProofRequired, "The return's id must have up to 64 letters, digits and hyphens.")
	}
	return &id, nil
}
