package payments

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"garoupa/internal/payload"
	"garoupa/internal/refusal"
	"garoupa/internal/usdt/quote"
	"garoupa/ledger"
	"garoupa/models"
)

// CancelWithdrawal cancels a withdrawal of the account that is still in review: the reserved
// amount is available again. For members who can MoveMoney. Refusals: WithdrawalNotFound,
// Forbidden, WrongState.
func (s *Service) CancelWithdrawal(
	ctx context.Context, by models.Actor, accountID, id string,
) (*models.Withdrawal, error) {
	return s.moveWithdrawal(ctx, by, held(accountID, id), models.WithdrawalCancelled,
		func(tx *models.Tx, w *models.Withdrawal) error {
			if err := member(tx, by, accountID, models.MoveMoney); err != nil {
				return err
			}
			if err := inState(w, models.WithdrawalPendingReview); err != nil {
				return err
			}
			return s.release(tx, w)
		})
}

// ApproveWithdrawal approves a withdrawal in review, so that it can be paid out. For staff who
// are not members of its account and who saw its current version. Above the four-eyes amount
// it takes two people: the first approval is recorded, and the withdrawal stays in review for
// the second. If the first person could no longer approve it when the second does, the second
// approval becomes the first.
//
// A withdrawal to a wallet gets a new quote. If the rate is more than 1 % worse than at the
// request, the withdrawal stays in review with both rates, and the refusal is QuoteWorse.
// Other refusals: WithdrawalNotFound, Forbidden, WrongState, ChangedMeanwhile, AccountStopped,
// SecondPersonRequired, QuoteUnavailable.
func (s *Service) ApproveWithdrawal(
	ctx context.Context, by models.Actor, id string, seen int,
) (*models.Withdrawal, error) {
	look, err := s.anyWithdrawal(ctx, id)
	if err != nil {
		return nil, err
	}
	var fresh *models.Quote
	if look.Rail == models.RailUSDT && look.Status == models.WithdrawalPendingReview {
		if fresh, err = s.quoteOf(ctx, look); err != nil { // no network request within a transaction
			return nil, err
		}
	}
	var worse bool
	account := models.Account{ID: look.AccountID}
	w, err := s.changeWithdrawal(ctx, heldWith(&account, id),
		func(tx *models.Tx, w *models.Withdrawal) (event string, err error) {
			if w.FirstApprovedBy != nil {
				if err := models.ShareUsers(tx, by.UserID, *w.FirstApprovedBy); err != nil {
					return "", err
				}
			}
			if err := reviewable(tx, by, w, seen); err != nil {
				return "", err
			}
			if err := mayPayOut(&account); err != nil {
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
		return w,
			refusal.New(refusal.QuoteWorse,
				"The rate is %s, more than 1 %% worse than %s at the request. The withdrawal stays in review.",
				quote.FormatRate(w.ApprovalQuote.Rate), quote.FormatRate(w.Quote.Rate))
	}
	return w, nil
}

func (s *Service) approve(tx *models.Tx, by models.Actor, w *models.Withdrawal) (event string, err error) {
	now := s.now()
	if err := s.judgeFirstApproval(tx, by, w); err != nil {
		return "", err
	}
	if w.Amount > s.Withdrawals.FourEyes && w.FirstApprovedBy == nil {
		w.FirstApprovedBy, w.FirstApprovedAt = &by.UserID, &now
		return "", s.auditWithdrawal(tx, by, w, "withdrawal.first_approved", nil)
	}
	if w.FirstApprovedBy != nil && *w.FirstApprovedBy == by.UserID {
		return "", refusal.New(refusal.SecondPersonRequired,
			"You approved it already. Another person has to approve it, too.")
	}
	w.Status, w.ApprovedBy, w.ApprovedAt = models.WithdrawalApproved, &by.UserID, &now
	return models.EventWithdrawalApproved, s.auditWithdrawal(tx, by, w, models.EventWithdrawalApproved, nil)
}

// judgeFirstApproval removes a first approval by a person who could not give it now, because
// the person has left the staff or joined the account.
func (s *Service) judgeFirstApproval(tx *models.Tx, by models.Actor, w *models.Withdrawal) error {
	if w.FirstApprovedBy == nil {
		return nil
	}
	err := staff(tx, models.Actor{UserID: *w.FirstApprovedBy}, withdrawalMatter(w))
	if refusal.Of(err).Code != refusal.Forbidden {
		return err
	}
	w.FirstApprovedBy, w.FirstApprovedAt = nil, nil
	return s.auditWithdrawal(tx, by, w, "withdrawal.first_approval_void", nil)
}

// FirstApprovalStands reports whether the first approval of a withdrawal in review is valid,
// because the person who gave it could still give it. It reports false if there is none.
func (s *Service) FirstApprovalStands(ctx context.Context, w *models.Withdrawal) (bool, error) {
	if w.FirstApprovedBy == nil {
		return false, nil
	}
	first, err := models.UserAsDecider(ctx, s.DB.Pool, *w.FirstApprovedBy, withdrawalMatter(w))
	if err != nil {
		return false, fmt.Errorf("payments: read the first approver of %s: %w", w.ID, err)
	}
	return first.StaffRole.Can(models.Review) && !first.TakesPart, nil
}

func withdrawalMatter(w *models.Withdrawal) models.Matter {
	return models.Matter{AccountID: w.AccountID, Since: w.CreatedAt, AskedBy: w.RequestedBy}
}

// reviewable refuses a person who may not decide about a withdrawal in review.
func reviewable(tx *models.Tx, by models.Actor, w *models.Withdrawal, seen int) error {
	return decidable(tx, by, w, seen, models.WithdrawalPendingReview)
}

// decidable refuses a person who may not decide about a withdrawal, a withdrawal whose status
// is not allowed, and one that has changed since the person saw it.
func decidable(
	tx *models.Tx, by models.Actor, w *models.Withdrawal, seen int, allowed ...models.WithdrawalStatus,
) error {
	if err := staff(tx, by, withdrawalMatter(w)); err != nil {
		return err
	}
	if err := inState(w, allowed...); err != nil {
		return err
	}
	return unchanged(seen, w.Version)
}

// RejectWithdrawal rejects a withdrawal in review, with a code for programs and a text for the
// merchant: the reserved amount is available again. For staff who are not members of its
// account and who saw its current version. Refusals: WithdrawalNotFound, Forbidden,
// WrongState, ChangedMeanwhile, ReasonRequired.
func (s *Service) RejectWithdrawal(
	ctx context.Context, by models.Actor, id string, seen int, code, reason string,
) (*models.Withdrawal, error) {
	code, reason, err := checkRefusal(code, reason)
	if err != nil {
		return nil, err
	}
	return s.moveWithdrawal(ctx, by, held("", id), models.WithdrawalRejected,
		func(tx *models.Tx, w *models.Withdrawal) error {
			if err := reviewable(tx, by, w, seen); err != nil {
				return err
			}
			w.FailureCode, w.Reason = &code, &reason
			return s.release(tx, w)
		})
}

// release makes the reserved amount available again.
func (s *Service) release(tx *models.Tx, w *models.Withdrawal) error {
	_, err := ledger.Spend(tx, w.AccountID, models.Live, withdrawalFact(w, "/released"), s.now(), ledger.Transfer{
		From: ledger.Account(w.AccountID, models.Live, ledger.Reserved),
		To:   ledger.Account(w.AccountID, models.Live, ledger.Available), Amount: w.Amount,
	})
	return err
}

// WithdrawalEvents are the types of events for a withdrawal's states.
var WithdrawalEvents = map[models.WithdrawalStatus]string{
	models.WithdrawalPendingReview: models.EventWithdrawalCreated,
	models.WithdrawalCancelled:     models.EventWithdrawalCancelled,
	models.WithdrawalRejected:      models.EventWithdrawalRejected,
	models.WithdrawalApproved:      models.EventWithdrawalApproved,
	models.WithdrawalProcessing:    models.EventWithdrawalProcessing,
	models.WithdrawalCompleted:     models.EventWithdrawalCompleted,
	models.WithdrawalFailed:        models.EventWithdrawalFailed,
	models.WithdrawalReturned:      models.EventWithdrawalReturned,
}

// moveWithdrawal changes the status of a withdrawal, unless check refuses. check may also set
// further fields. It writes the audit line and the event.
func (s *Service) moveWithdrawal(ctx context.Context, by models.Actor, hold holdWithdrawal, to models.WithdrawalStatus,
	check func(tx *models.Tx, w *models.Withdrawal) error) (*models.Withdrawal, error) {
	w, err := s.changeWithdrawal(ctx, hold, func(tx *models.Tx, w *models.Withdrawal) (event string, err error) {
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
		return nil, fmt.Errorf("payments: move a withdrawal to %s: %w", to, err)
	}
	return w, nil
}

// holdWithdrawal returns a withdrawal and locks its row until tx ends.
type holdWithdrawal func(tx *models.Tx) (*models.Withdrawal, error)

// held locks a withdrawal of the account, or of any account if accountID is "".
func held(accountID, id string) holdWithdrawal {
	return func(tx *models.Tx) (*models.Withdrawal, error) { return models.LockWithdrawal(tx, accountID, id) }
}

// heldWith also locks the account's row and reads it again, so that its switches cannot change
// meanwhile. As everywhere, the account is locked first.
func heldWith(account *models.Account, id string) holdWithdrawal {
	return func(tx *models.Tx) (*models.Withdrawal, error) {
		now, err := models.ShareAccount(tx, account.ID)
		if err != nil {
			return nil, err
		}
		*account = *now
		return models.LockWithdrawal(tx, account.ID, id)
	}
}

// changeWithdrawal locks a withdrawal, calls change, saves the withdrawal, and writes the
// event that change returns, if any.
func (s *Service) changeWithdrawal(ctx context.Context, hold holdWithdrawal,
	change func(tx *models.Tx, w *models.Withdrawal) (event string, err error)) (w *models.Withdrawal, err error) {
	err = s.commit(ctx, s.DB.InTx, func(tx *models.Tx) (queued bool, err error) {
		w, err = hold(tx)
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

// tellWithdrawal writes the event for every project of the account that subscribes to it.
func (s *Service) tellWithdrawal(tx *models.Tx, w *models.Withdrawal, event string) (queued bool, err error) {
	projects, err := models.ProjectsWanting(tx, w.AccountID, models.Live, event)
	if err != nil || len(projects) == 0 {
		return false, err
	}
	now := s.now()
	events := make([]models.Event, len(projects))
	for i, project := range projects {
		id := models.NewEventID()
		events[i] = models.Event{
			ID: id, ProjectID: project, Environment: models.Live, Type: event, WithdrawalID: w.ID, CreatedAt: now,
			Body: payload.AppendWithdrawalEvent(nil, id, event, now, w),
		}
	}
	return models.InsertEvents(tx, events...)
}

func (s *Service) auditWithdrawal(
	tx *models.Tx, by models.Actor, w *models.Withdrawal, action string, detail map[string]string,
) error {
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
		return refusal.New(refusal.WrongState, "The withdrawal is %s, so this cannot be done to it.", w.Status)
	}
	return nil
}
