package payments

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/pix/psp"
)

// exceptionReturnID returns the id at the bank of the request to give an exception's money back.
func exceptionReturnID(x *models.Exception) string {
	return fmt.Sprintf("exc%sn%d", strings.TrimPrefix(x.PaymentID, "pay_"), x.ReturnNumber)
}

var errReturning = refusal.New(refusal.WrongState, "The bank is giving this payment back.")

var returnByHand = refusal.New(refusal.ProofRequired, "The bank account that received this payment is closed, and "+
	"its bank is not asked any more. Give the money back by hand, and note the return by its id.").Because(ErrNotAsked)

// askExceptionReturn writes that the bank is to give an exception's money back. Until the bank has done that or
// refused, the exception cannot be decided otherwise. It returns false, and writes nothing, for a payment
// without a bank. The bank account stays open until then; a closed one is refused.
func (s *Service) askExceptionReturn(ctx context.Context, by models.Actor, paymentID, reason string) (
	x *models.Exception, asked bool, err error) {
	if reason, err = checkReason(reason); err != nil {
		return nil, false, err
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		var account string
		if x, account, err = openException(tx, by, paymentID); err != nil {
			return err
		}
		if asked = x.BankAccountID != nil; !asked {
			return nil
		}
		if err := uncontested(tx, x.PaymentID); err != nil { // the bank may give it back too
			return refusal.New(refusal.WrongState, "The payer contests the payment.").Because(err)
		}
		if bank, err := models.ShareBankAccount(tx, *x.BankAccountID); err != nil {
			return err
		} else if bank == models.BankAccountClosed {
			return returnByHand
		}
		now, status := s.now(), models.RefundRequested
		x.ReturnStatus, x.ReturnReason, x.ReturnBy, x.ReturnNextTryAt = &status, &reason, &by.UserID, &now
		x.ReturnNumber, x.ReturnTries, x.ReturnFailure, x.ReturnEndedAt = x.ReturnNumber+1, 0, "", nil
		if err := models.SaveExceptionReturn(tx, x); err != nil {
			return err
		}
		return s.audit(tx, by, account, "exception.refund_asked", x.PaymentID,
			map[string]string{"kind": string(x.Kind), "amount": x.Amount.Decimal(), "reason": reason})
	})
	if err != nil {
		return nil, false, fmt.Errorf("payments: ask to give %s back: %w", paymentID, err)
	}
	return x, asked, nil
}

// AskForExceptionReturns asks a bank about the exceptions of its account whose money it is to give back.
// Instances may call it at the same time: each asks about different ones.
func (s *Service) AskForExceptionReturns(ctx context.Context, bank psp.Bank, bankAccountID string) error {
	due, err := models.ClaimExceptionReturns(ctx, s.DB.Pool, bankAccountID, s.now(), bankWorkWithin, refundsAtOnce)
	if err != nil {
		return fmt.Errorf("payments: find exceptions to give back: %w", err)
	}
	return errors.Join(each("give an exception back", len(due), refundsAtOnce, func(i int) error {
		return s.askForExceptionReturn(ctx, bank, &due[i])
	})...)
}

// askForExceptionReturn asks the bank to give money back, or what has become of that. The bank is read before it
// is asked again, and before its refusal is believed.
func (s *Service) askForExceptionReturn(ctx context.Context, bank psp.Bank, x *models.Exception) error {
	id := exceptionReturnID(x)
	state, err := psp.Return{}, error(&psp.Error{Kind: psp.NotFound})
	if x.ReturnTries > 1 || *x.ReturnStatus == models.RefundProcessing {
		state, err = bank.Return(ctx, x.EndToEndID, id)
	}
	if kindOf(err) == psp.NotFound {
		if state, err = bank.PutReturn(ctx, x.EndToEndID, id, int64(x.Amount)); refusedForCertain(err) {
			state, err = exceptionReturnRefused(ctx, bank, x, id, err)
		}
	}
	return s.inException(ctx, x.EndToEndID, func(tx *models.Tx, now *models.Exception) error {
		if !now.Returning() || now.ReturnNumber != x.ReturnNumber {
			return nil
		}
		if err != nil {
			s.askExceptionAgain(now, failure(err))
			return models.SaveExceptionReturn(tx, now)
		}
		return s.heedExceptionReturn(tx, now, state)
	})
}

// exceptionReturnRefused returns what has become of a return that the bank refuses. While the bank is not believed
// that it has none, that is the refusal as an error.
func exceptionReturnRefused(ctx context.Context, bank psp.Bank, x *models.Exception, id string, cause error) (
	psp.Return, error) {
	state, err := bank.Return(ctx, x.EndToEndID, id)
	switch {
	case kindOf(err) != psp.NotFound:
		return state, err
	case !notFoundBelieved(x.ReturnTries):
		return psp.Return{}, cause
	}
	why, _ := errors.AsType[*psp.Error](cause)
	return psp.Return{ID: id, Status: psp.TransferRefused, Amount: int64(x.Amount),
		Reason: firstText(why.Detail, failure(why))}, nil
}

func firstText(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

func (s *Service) askExceptionAgain(x *models.Exception, why string) {
	at := s.now().Add(pause(refundPause, x.ReturnTries-1))
	x.ReturnNextTryAt, x.ReturnFailure = &at, why
}

// inException runs fn in a transaction that has locked an exception of a bank. fn must recognize what it did in an
// earlier call.
func (s *Service) inException(ctx context.Context, endToEndID string,
	fn func(tx *models.Tx, x *models.Exception) error) error {
	err := models.UntilAnswered(ctx, func() error {
		return s.DB.InTx(ctx, func(tx *models.Tx) error {
			x, err := models.ExceptionAtBank(tx, endToEndID)
			if err != nil {
				return err
			}
			return fn(tx, x)
		})
	})
	if err != nil {
		return fmt.Errorf("payments: change the exception of %s: %w", endToEndID, err)
	}
	return nil
}

// heedExceptionReturn acts on what the bank says of a return that staff asked for. tx has locked the exception.
func (s *Service) heedExceptionReturn(tx *models.Tx, x *models.Exception, state psp.Return) error {
	now := s.now()
	switch {
	case money.Cents(state.Amount) != x.Amount:
		s.askExceptionAgain(x, "the bank has another amount")
	case state.Status == psp.TransferDone:
		return s.exceptionGivenBack(tx, x, state, *x.ReturnReason, x.ReturnBy)
	case state.Status == psp.TransferRefused:
		failed := models.RefundFailed
		x.ReturnStatus, x.ReturnNextTryAt, x.ReturnFailure, x.ReturnEndedAt = &failed, nil, state.Reason, &now
		if err := s.auditException(tx, system, x, "exception.refund_failed", state.Reason); err != nil {
			return err
		}
	case state.Status == psp.TransferProcessing:
		processing := models.RefundProcessing
		x.ReturnStatus = &processing
		s.askExceptionAgain(x, "")
	default:
		s.askExceptionAgain(x, "the bank says "+state.RawStatus)
	}
	return models.SaveExceptionReturn(tx, x)
}

// exceptionGivenBack decides an open exception as refunded by its bank: for the person who asked, or for no person if
// the return was made at the bank.
func (s *Service) exceptionGivenBack(tx *models.Tx, x *models.Exception, state psp.Return, reason string,
	by *string) error {
	if err := noteReturnID(tx, x, state); err != nil {
		return err
	}
	now, done, refunded := s.now(), models.RefundCompleted, models.ExceptionRefunded
	x.ReturnStatus, x.ReturnNextTryAt, x.ReturnFailure, x.ReturnEndedAt = &done, nil, "", &now
	x.Decision, x.Reason, x.DecidedBy, x.DecidedAt = &refunded, &reason, by, &now
	if err := moveSuspense(tx, x, ledger.Refunds(x.Environment)); err != nil {
		return err
	}
	if err := models.SaveDecision(tx, x); err != nil {
		return err
	}
	return s.auditException(tx, system, x, "exception.refunded", reason)
}

// noteReturnID notes how the payment system calls a return, unless staff have booked it for another payment.
func noteReturnID(tx *models.Tx, x *models.Exception, state psp.Return) error {
	if state.RtrID == "" {
		return nil
	}
	id := state.RtrID
	if err := unbooked(tx, x.Environment, &id); err != nil {
		return err
	}
	x.ReturnID = &id
	return nil
}

func (s *Service) auditException(tx *models.Tx, by models.Actor, x *models.Exception, action, reason string) error {
	account := ""
	if x.AccountID != nil {
		account = *x.AccountID
	}
	return s.audit(tx, by, account, action, x.PaymentID,
		map[string]string{"kind": string(x.Kind), "amount": x.Amount.Decimal(), "reason": reason})
}

// The reasons of returns that were not asked for here.
const (
	foundReturn   = "Devolução feita no banco"
	foundDisputed = "Devolução por contestação (MED)"
)

// recordAcceptedReturn books a return of an exception's money that a merchant was credited with, as that of any
// other payment, whole or in part. Other money of exceptions is left to recordExceptionReturns.
func (s *Service) recordAcceptedReturn(tx *models.Tx, endToEndID string, state psp.Return) (queued bool, err error) {
	c, err := s.unbooked(tx, endToEndID, state)
	if err != nil || c == nil || !c.Credited() {
		return false, err
	}
	return s.adoptReturn(tx, c.refundable(), state)
}

// recordExceptionReturns writes what a bank says of the returns of a Pix that paid no checkout. If all of its
// money went back, an open exception is refunded, and one that was written off is paid back from that book. A part
// is written to the exception and logged once. Of money that a merchant was credited with, see
// recordAcceptedReturn.
func (s *Service) recordExceptionReturns(ctx context.Context, endToEndID string, returns []psp.Return) error {
	err := s.inException(ctx, endToEndID, func(tx *models.Tx, x *models.Exception) error {
		var back money.Cents
		var last psp.Return
		for _, state := range returns {
			if x.Returning() && state.ID == exceptionReturnID(x) {
				return s.heedExceptionReturn(tx, x, state)
			}
			if state.Status == psp.TransferDone {
				back, last = back+money.Cents(state.Amount), state
			}
		}
		switch done := x.ReturnEndedAt != nil && *x.ReturnStatus == models.RefundCompleted; {
		case back == 0 || done || x.Returning() || x.Decision != nil && *x.Decision != models.ExceptionWrittenOff:
			return nil
		case back != x.Amount:
			return s.doubtException(ctx, tx, x, back)
		case x.Decision == nil:
			reason := foundReturn
			if last.Disputed() {
				reason = foundDisputed
			}
			return s.exceptionGivenBack(tx, x, last, reason, nil)
		}
		return s.writtenOffGivenBack(tx, x, last)
	})
	if errors.Is(err, models.ErrNotFound) {
		return nil // recorded by no bank
	}
	return err
}

// writtenOffGivenBack posts the return of written-off money to its payer.
func (s *Service) writtenOffGivenBack(tx *models.Tx, x *models.Exception, state psp.Return) error {
	if err := noteReturnID(tx, x, state); err != nil {
		return err
	}
	now, done := s.now(), models.RefundCompleted
	x.ReturnStatus, x.ReturnNextTryAt, x.ReturnFailure, x.ReturnEndedAt = &done, nil, "", &now
	if err := models.SaveExceptionReturn(tx, x); err != nil {
		return err
	}
	err := ledger.Post(tx, now, ledger.Posting{Fact: "exception/" + x.PaymentID + "/returned",
		Transfers: []ledger.Transfer{{From: ledger.WrittenOff(x.Environment), To: ledger.Refunds(x.Environment),
			Amount: x.Amount}}})
	if err != nil {
		return err
	}
	return s.auditException(tx, system, x, "exception.refund_found", foundReturn)
}

// doubtException writes, and logs once, that the bank gave back what cannot be booked by itself.
func (s *Service) doubtException(ctx context.Context, tx *models.Tx, x *models.Exception, back money.Cents) error {
	what := "the bank gave " + back.Decimal() + " of it back"
	if x.ReturnFailure == what {
		return nil
	}
	x.ReturnFailure = what
	tx.AfterCommit(func() {
		s.DB.LogFailure(ctx, "record a return", fmt.Errorf("payments: %s, decided as %s: %s", x.PaymentID,
			decisionOf(x), what))
	})
	return models.SaveExceptionReturn(tx, x)
}

func decisionOf(x *models.Exception) models.ExceptionDecision {
	if x.Decision == nil {
		return "nothing yet"
	}
	return *x.Decision
}
