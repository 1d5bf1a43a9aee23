package payments

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"garoupa/fault"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/quote"
	"garoupa/wire"
)

// CancelWithdrawal takes back a withdrawal of the account that is still in review:
// the reserved amount is available again. For members with the role OWNER, ADMIN or
// FINANCE. Faults: WithdrawalNotFound, WrongState.
func (s *Service) CancelWithdrawal(ctx context.Context, by Actor, accountID, id string) (*models.Withdrawal, error) {
	return s.moveWithdrawal(ctx, by, accountID, id, models.WithdrawalCancelled, func(tx *models.Tx, w *models.Withdrawal) error {
		if err := inState(w, models.WithdrawalPendingReview); err != nil {
			return err
		}
		return s.release(tx, w)
	})
}

// ApproveWithdrawal lets a withdrawal in review be paid out. For staff who are not
// members of its account, and who saw the version that it still has. Above the
// four-eyes amount it takes two people: the first approval is noted, and the
// withdrawal stays in review for the second.
//
// A withdrawal to a wallet gets a new quote. If its rate is more than 1 % worse than
// the one of the request, the withdrawal stays in review with both rates, and the
// fault is QuoteWorse. Other faults: WithdrawalNotFound, Forbidden, WrongState,
// ChangedMeanwhile, SecondPersonRequired, QuoteUnavailable.
func (s *Service) ApproveWithdrawal(ctx context.Context, by Actor, id string, seen int) (*models.Withdrawal, error) {
	look, err := s.anyWithdrawal(ctx, id)
	if err != nil {
		return nil, err
	}
	var fresh *models.Quote
	if look.Rail == models.RailUSDT && look.Status == models.WithdrawalPendingReview {
		if fresh, err = s.quoteOf(ctx, look); err != nil { // no request goes out within a transaction
			return nil, err
		}
	}
	var worse bool
	w, err := s.changeWithdrawal(ctx, "", id, func(tx *models.Tx, w *models.Withdrawal) (event string, err error) {
		if err := reviewable(tx, by, w, seen); err != nil {
			return "", err
		}
		if fresh != nil {
			w.ApprovalQuote = fresh
			if worse = quote.Worse(fresh.Rate, w.Quote.Rate); worse {
				return "", s.auditWithdrawal(tx, by, w, "withdrawal.quote_worse", nil)
			}
		}
		return s.approve(tx, by, w)
	})
	if err != nil {
		return nil, fmt.Errorf("payments: approve %s: %w", id, err)
	}
	if worse {
		return w, fault.New(fault.QuoteWorse, "The rate is %s, more than 1 %% worse than %s at the request. The withdrawal stays in review.",
			quote.FormatRate(w.ApprovalQuote.Rate), quote.FormatRate(w.Quote.Rate))
	}
	return w, nil
}

func (s *Service) approve(tx *models.Tx, by Actor, w *models.Withdrawal) (event string, err error) {
	now := s.now()
	if w.Amount > s.Withdrawals.FourEyes && w.FirstApprovedBy == nil {
		w.FirstApprovedBy, w.FirstApprovedAt = &by.UserID, &now
		return "", s.auditWithdrawal(tx, by, w, "withdrawal.first_approved", nil)
	}
	if w.FirstApprovedBy != nil && *w.FirstApprovedBy == by.UserID {
		return "", fault.New(fault.SecondPersonRequired, "You approved it already. Somebody else has to approve it, too.")
	}
	w.Status, w.ApprovedBy, w.ApprovedAt = models.WithdrawalApproved, &by.UserID, &now
	return models.EventWithdrawalApproved, s.auditWithdrawal(tx, by, w, models.EventWithdrawalApproved, nil)
}

// reviewable refuses who may not decide about a withdrawal in review.
func reviewable(tx *models.Tx, by Actor, w *models.Withdrawal, seen int) error {
	if err := staff(tx, by, w.AccountID); err != nil {
		return err
	}
	if err := inState(w, models.WithdrawalPendingReview); err != nil {
		return err
	}
	return unchanged(seen, w.Version)
}

// RejectWithdrawal refuses a withdrawal in review, with a code for programs and a
// text for the merchant: the reserved amount is available again. For staff who are
// not members of its account, and who saw the version that it still has. Faults:
// WithdrawalNotFound, Forbidden, WrongState, ChangedMeanwhile, ReasonRequired.
func (s *Service) RejectWithdrawal(ctx context.Context, by Actor, id string, seen int, code, reason string) (*models.Withdrawal, error) {
	code, reason, err := checkRefusal(code, reason)
	if err != nil {
		return nil, err
	}
	return s.moveWithdrawal(ctx, by, "", id, models.WithdrawalRejected, func(tx *models.Tx, w *models.Withdrawal) error {
		if err := reviewable(tx, by, w, seen); err != nil {
			return err
		}
		w.FailureCode, w.Reason = &code, &reason
		return s.release(tx, w)
	})
}

// release gives the reserved amount back to what is available.
func (s *Service) release(tx *models.Tx, w *models.Withdrawal) error {
	_, err := ledger.Spend(tx, w.AccountID, true, withdrawalFact(w, "/released"), s.now(), ledger.Transfer{
		From: ledger.Account(w.AccountID, true, ledger.Reserved), To: ledger.Account(w.AccountID, true, ledger.Available), Amount: w.Amount,
	})
	return err
}

// WithdrawalEvents are the types of the events that tell of a withdrawal's states.
var WithdrawalEvents = map[models.WithdrawalStatus]string{
	models.WithdrawalPendingReview: models.EventWithdrawalCreated,
	models.WithdrawalCancelled:     models.EventWithdrawalCancelled, models.WithdrawalRejected: models.EventWithdrawalRejected,
	models.WithdrawalApproved: models.EventWithdrawalApproved, models.WithdrawalProcessing: models.EventWithdrawalProcessing,
	models.WithdrawalCompleted: models.EventWithdrawalCompleted, models.WithdrawalFailed: models.EventWithdrawalFailed,
	models.WithdrawalReturned: models.EventWithdrawalReturned,
}

// moveWithdrawal brings a withdrawal into another state, with what check adds to it
// or has against it, the line in the audit log and the event.
func (s *Service) moveWithdrawal(ctx context.Context, by Actor, accountID, id string, to models.WithdrawalStatus,
	check func(tx *models.Tx, w *models.Withdrawal) error) (*models.Withdrawal, error) {
	w, err := s.changeWithdrawal(ctx, accountID, id, func(tx *models.Tx, w *models.Withdrawal) (event string, err error) {
		if err := check(tx, w); err != nil {
			return "", err
		}
		w.Status = to
		if err := s.mailWithdrawal(tx, w); err != nil {
			return "", err
		}
		var detail map[string]string
		if w.FailureCode != nil {
			detail = map[string]string{"code": *w.FailureCode, "reason": *w.Reason}
		}
		return WithdrawalEvents[to], s.auditWithdrawal(tx, by, w, WithdrawalEvents[to], detail)
	})
	if err != nil {
		return nil, fmt.Errorf("payments: move %s to %s: %w", id, to, err)
	}
	return w, nil
}

// changeWithdrawal holds a withdrawal of the account, any if it is "", while change
// works on it, saves it and tells of the event that change returns, if any.
func (s *Service) changeWithdrawal(ctx context.Context, accountID, id string,
	change func(tx *models.Tx, w *models.Withdrawal) (event string, err error)) (w *models.Withdrawal, err error) {
	err = s.commit(ctx, func(tx *models.Tx) (queued bool, err error) {
		w, err = models.LockWithdrawal(tx, accountID, id)
		if errors.Is(err, models.ErrNotFound) {
			return false, noWithdrawal
		} else if err != nil {
			return false, err
		}
		event, err := change(tx, w)
		if err != nil {
			return false, err
		}
		w.UpdatedAt = s.now()
		if err := models.SaveWithdrawal(tx, w); err != nil || event == "" {
			return false, err
		}
		return s.tellWithdrawal(tx, w, event)
	})
	return w, err
}

// tellWithdrawal writes the event for every project of the account that wants it.
func (s *Service) tellWithdrawal(tx *models.Tx, w *models.Withdrawal, event string) (queued bool, err error) {
	projects, err := models.ProjectsWanting(tx, w.AccountID, true, event)
	if err != nil || len(projects) == 0 {
		return false, err
	}
	now := s.now()
	events := make([]models.Event, len(projects))
	for i, project := range projects {
		id := models.NewEventID()
		events[i] = models.Event{
			ID: id, ProjectID: project, Livemode: true, Type: event, WithdrawalID: w.ID, CreatedAt: now,
			Body: wire.AppendWithdrawalEvent(nil, id, event, now, w),
		}
	}
	return models.InsertEvents(tx, events...)
}

func (s *Service) auditWithdrawal(tx *models.Tx, by Actor, w *models.Withdrawal, action string, detail map[string]string) error {
	return s.audit(tx, by, w.AccountID, action, w.ID, detail)
}

func (s *Service) anyWithdrawal(ctx context.Context, id string) (*models.Withdrawal, error) {
	w, err := models.AccountWithdrawalByID(ctx, s.DB.Pool, id)
	if errors.Is(err, models.ErrNotFound) {
		return nil, noWithdrawal
	} else if err != nil {
		return nil, fmt.Errorf("payments: read withdrawal: %w", err)
	}
	return &w.Withdrawal, nil
}

func inState(w *models.Withdrawal, allowed ...models.WithdrawalStatus) error {
	if !slices.Contains(allowed, w.Status) {
		return fault.New(fault.WrongState, "The withdrawal is %s, so this cannot be done to it.", w.Status)
	}
	return nil
}
