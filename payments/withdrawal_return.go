package payments

import (
	"context"
	"errors"
	"fmt"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/pix/psp"
)

// The code and the text of a withdrawal that came back by a bank.
const (
	returnedCode = "RECEIVER_RETURNED"
	returnedText = "Quem recebeu devolveu o Pix."
)

// ReturnWithdrawal records that the money of a completed withdrawal came back: what had not come back before
// is available again, the fee is not. For staff who are not involved and who saw its current version.
// Refusals: WithdrawalNotFound, Forbidden, WrongState, ChangedMeanwhile, ReasonRequired.
func (s *Service) ReturnWithdrawal(
	ctx context.Context, by models.Actor, id string, seen int, code, reason string,
) (*models.Withdrawal, error) {
	code, reason, err := checkRefusal(code, reason)
	if err != nil {
		return nil, err
	}
	w, err := s.changeWithdrawal(ctx, held("", id), func(tx *models.Tx, w *models.Withdrawal) (string, error) {
		if err := decidable(tx, by, w, seen, models.WithdrawalCompleted); err != nil {
			return "", err
		}
		before, err := returnedOf(tx, w)
		if err != nil {
			return "", err
		}
		return s.bookReturn(tx, by, w, before, &models.WithdrawalReturn{
			Amount: w.Net() - before, ReturnedAt: s.now(), CreatedBy: &by.UserID,
		}, code, reason)
	})
	if err != nil {
		return nil, fmt.Errorf("payments: return %s: %w", id, err)
	}
	return w, nil
}

// returnedOf returns what has come back of a withdrawal that tx has locked.
func returnedOf(tx *models.Tx, w *models.Withdrawal) (sum money.Cents, err error) {
	all, err := models.LockedWithdrawalReturns(tx, w.ID)
	for _, r := range all {
		sum += r.Amount
	}
	return sum, err
}

// bookReturn writes money of a completed withdrawal that came back, after an amount that came before, and
// makes it available. Once all has come back, the withdrawal is RETURNED. It returns the event, if any.
func (s *Service) bookReturn(tx *models.Tx, by models.Actor, w *models.Withdrawal, before money.Cents,
	r *models.WithdrawalReturn, code, reason string) (event string, err error) {
	r.ID, r.WithdrawalID, r.RecordedAt = models.NewWithdrawalReturnID(), w.ID, s.now()
	if err := models.InsertWithdrawalReturn(tx, r); err != nil {
		return "", err
	}
	_, err = ledger.Spend(tx, w.AccountID, models.Live, withdrawalFact(w, "/returned/"+r.ID), r.RecordedAt,
		ledger.Transfer{From: ledger.PaidOut(models.Live),
			To: ledger.Account(w.AccountID, models.Live, ledger.Available), Amount: r.Amount})
	if err != nil {
		return "", err
	}
	if err := models.AddUncovered(tx, w.AccountID, models.Live, -r.Amount); err != nil {
		return "", err
	}
	detail := map[string]string{"amount": r.Amount.Decimal()}
	if before+r.Amount < w.Net() {
		return "", s.auditWithdrawal(tx, by, w, "withdrawal.returned_in_part", detail)
	}
	w.Status, w.FailureCode, w.Reason = models.WithdrawalReturned, &code, &reason
	if err := s.mailWithdrawal(tx, w); err != nil {
		return "", err
	}
	detail["code"], detail["reason"] = code, reason
	return models.EventWithdrawalReturned, s.auditWithdrawal(tx, by, w, models.EventWithdrawalReturned, detail)
}

// errBooked reports a return that is recorded already.
var errBooked = errors.New("payments: the return is recorded already")

// recordPayoutReturns writes what a bank says came back of a completed withdrawal.
func (s *Service) recordPayoutReturns(ctx context.Context, withdrawalID string, returns []psp.Return) error {
	known, err := models.WithdrawalReturns(ctx, s.DB.Pool, withdrawalID)
	if err != nil {
		return fmt.Errorf("payments: read the returns of %s: %w", withdrawalID, err)
	}
	var failed []error
	for _, state := range returns {
		if state.Status != psp.TransferDone || returnKnown(known, state) {
			continue
		}
		err := models.UntilAnswered(ctx, func() error { return s.recordPayoutReturn(ctx, withdrawalID, state) })
		if err != nil && !errors.Is(err, errBooked) && refusal.Of(err).Code != refusal.WrongState {
			failed = append(failed, fmt.Errorf("payments: record a return of %s: %w", withdrawalID, err))
		}
	}
	return errors.Join(failed...)
}

func (s *Service) recordPayoutReturn(ctx context.Context, withdrawalID string, state psp.Return) error {
	r := &models.WithdrawalReturn{Amount: money.Cents(state.Amount), ReturnedAt: s.now()}
	if !state.EndedAt.IsZero() {
		r.ReturnedAt = state.EndedAt.UTC()
	}
	if state.ID != "" {
		r.BankReturnID = &state.ID
	}
	if state.RtrID != "" {
		r.ReturnID = &state.RtrID
	}
	_, err := s.changeWithdrawal(ctx, held("", withdrawalID),
		func(tx *models.Tx, w *models.Withdrawal) (string, error) {
			all, err := models.LockedWithdrawalReturns(tx, w.ID)
			if err != nil {
				return "", err
			}
			if returnKnown(all, state) {
				return "", errBooked
			}
			if err := inState(w, models.WithdrawalCompleted); err != nil {
				return "", err
			}
			before, err := returnedOf(tx, w)
			if err != nil {
				return "", err
			}
			if before+r.Amount > w.Net() {
				return "", fmt.Errorf("the bank says that more came back than was paid out: %s after %s",
					r.Amount.Decimal(), before.Decimal())
			}
			return s.bookReturn(tx, system, w, before, r, returnedCode, returnedText)
		})
	return err
}

// returnKnown reports whether a return is among those that are recorded.
func returnKnown(known []models.WithdrawalReturn, state psp.Return) bool {
	for _, r := range known {
		if r.ReturnID != nil && *r.ReturnID == state.RtrID || r.BankReturnID != nil && *r.BankReturnID == state.ID {
			return true
		}
	}
	return false
}
