package payments

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/pix/psp"
)

// heedPayout acts on what the bank says of a payout.
func (s *Service) heedPayout(ctx context.Context, p *models.PayoutAttempt, sent psp.Sent) error {
	var err error
	switch {
	case sent.Amount != 0 && money.Cents(sent.Amount) != p.Amount:
		return s.doubtPayout(ctx, p, "the bank has another amount")
	case p.DecidedBy != nil && contradicts(p, sent):
		return s.doubtPayout(ctx, p, "staff said how it ended, and the bank says "+sent.RawStatus)
	case p.EndedAt != nil:
	case sent.Status == psp.TransferDone && sent.EndToEndID != "":
		_, err = s.completeWithdrawal(ctx, system, p.WithdrawalID,
			func(models.Rail) Proof { return Proof{EndToEndID: sent.EndToEndID} }, byItself)
	case sent.Status == psp.TransferRefused:
		return s.refusePayout(ctx, p, sent.RawStatus, sent.Reason)
	default:
		return s.payoutUnderWay(ctx, p, sent)
	}
	switch refusal.Of(err).Code {
	case refusal.ProofTaken:
		return s.doubtPayout(ctx, p, "another withdrawal has the EndToEndId of the bank")
	case refusal.WrongState: // staff were faster: the next look compares
		return nil
	}
	if err != nil {
		return err
	}
	if err := s.recordPayoutReturns(ctx, p.WithdrawalID, sent.Returns); err != nil {
		return errors.Join(err, s.doubtPayout(ctx, p, "what came back could not be recorded"))
	}
	return s.readForReturns(ctx, p, sent)
}

// contradicts reports whether the bank says another end of a payout than staff did.
func contradicts(p *models.PayoutAttempt, sent psp.Sent) bool {
	switch p.Status {
	case models.PayoutDone:
		return sent.Status == psp.TransferRefused || sent.EndToEndID != "" && sent.EndToEndID != *p.EndToEndID
	case models.PayoutRefused:
		return sent.Status != psp.TransferRefused
	}
	return false
}

// payoutUnderWay writes that a payout has not ended.
func (s *Service) payoutUnderWay(ctx context.Context, p *models.PayoutAttempt, sent psp.Sent) error {
	return s.inPayout(ctx, p.ID, func(now *models.PayoutAttempt) {
		if now.EndedAt != nil {
			return
		}
		at, why := s.now(), ""
		if now.SendingAt == nil {
			now.SendingAt = &at // before the state that a backup restored
		}
		if sent.EndToEndID != "" {
			now.EndToEndID = &sent.EndToEndID
		}
		switch {
		case sent.Status == psp.TransferUnknown && sent.RawStatus != "":
			why = "the bank says " + sent.RawStatus
		case sent.Status == psp.TransferDone:
			why = "the bank names no EndToEndId"
		}
		switch heard := sent.Status != psp.TransferUnknown; {
		case heard && now.Status != models.PayoutProcessing:
			now.Status, now.Looks = models.PayoutProcessing, 0
			fallthrough
		case heard:
			now.HeardAt = &at
		case now.Status == models.PayoutStored:
			now.Status = models.PayoutSending
		}
		s.lookLater(now, why)
	})
}

// refusePayout ends a payout that the bank refused: its withdrawal FAILED, and the money is free again.
func (s *Service) refusePayout(ctx context.Context, p *models.PayoutAttempt, code, reason string) error {
	failed, why := payoutRefused, "O banco recusou o envio."
	if reason != "" {
		why = "O banco recusou o envio: " + reason
	}
	_, err := s.moveWithdrawal(ctx, system, held("", p.WithdrawalID), models.WithdrawalFailed,
		func(tx *models.Tx, w *models.Withdrawal) error {
			if err := inState(w, models.WithdrawalProcessing); err != nil {
				return err
			}
			w.FailureCode, w.Reason = &failed, &why
			if err := s.endPayout(tx, system, w, models.PayoutRefused, code, reason); err != nil {
				return err
			}
			return s.release(tx, w)
		})
	if refusal.Of(err).Code == refusal.WrongState { // staff were faster: the next look compares
		return nil
	}
	return err
}

// endPayout ends the payout of a withdrawal by a bank, if there is one, in the transaction that ends the
// withdrawal. A person may end as refused what has not left, or what the bank does not know for
// PayoutUnknownAfter; and as done, with its proof, what the bank has not ended within that time. The refusal is
// WrongState.
func (s *Service) endPayout(tx *models.Tx, by models.Actor, w *models.Withdrawal, to models.PayoutStatus,
	code, why string) error {
	p, err := models.LockOpenPayout(tx, w.ID)
	if errors.Is(err, models.ErrNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	now := s.now()
	if by != system {
		if !endable(p, to, now) {
			return refusal.New(refusal.WrongState, "The bank is paying this withdrawal.")
		}
		p.DecidedBy = &by.UserID
	}
	if p.SendingAt == nil && to == models.PayoutDone {
		p.SendingAt = &now
	}
	read := to == models.PayoutDone || p.DecidedBy != nil && p.Status != models.PayoutStored
	p.Status, p.EndedAt, p.Code, p.Failure, p.Looks, p.NextLookAt = to, &now, code, why, 0, nil
	if to == models.PayoutDone {
		p.EndToEndID = w.EndToEndID
	}
	if read {
		p.NextLookAt = nextRead(p, now)
	}
	return models.SavePayoutAttempt(tx, p)
}

// endable reports whether a person may say how a payout ended.
func endable(p *models.PayoutAttempt, to models.PayoutStatus, now time.Time) bool {
	since := p.UnknownSince()
	if to == models.PayoutRefused {
		since = p.UnheardSince()
		if p.Status == models.PayoutStored {
			return true
		}
	}
	return since != nil && !now.Before(since.Add(PayoutUnknownAfter))
}

// PayoutEnds returns how a person may say that a payout ended, if it has not: DONE, REFUSED, both or neither.
func (s *Service) PayoutEnds(p *models.PayoutAttempt) (ends []models.PayoutStatus) {
	for _, to := range []models.PayoutStatus{models.PayoutDone, models.PayoutRefused} {
		if endable(p, to, s.now()) {
			ends = append(ends, to)
		}
	}
	return ends
}

// readForReturns puts off the next look at a payout that has ended, or ends the looks when nothing can come back
// any more.
func (s *Service) readForReturns(ctx context.Context, p *models.PayoutAttempt, sent psp.Sent) error {
	w, err := s.anyWithdrawal(ctx, p.WithdrawalID)
	if err != nil {
		return err
	}
	return s.inPayout(ctx, p.ID, func(now *models.PayoutAttempt) {
		if now.EndedAt == nil {
			return
		}
		now.Failure, now.NextLookAt = "", nextRead(now, s.now())
		if w.Status == models.WithdrawalReturned || sent.Status == psp.TransferRefused {
			now.NextLookAt = nil
		}
	})
}

// nextRead returns when a payout that has ended is read next, or nil when it is too old. Its receiver can return it for
// 90 days, and most returns come early.
func nextRead(p *models.PayoutAttempt, now time.Time) *time.Time {
	age, wait := now.Sub(*p.EndedAt), 3*24*time.Hour
	switch {
	case age < time.Hour:
		wait = 5 * time.Minute
	case age < 24*time.Hour:
		wait = time.Hour
	case age < 7*24*time.Hour:
		wait = 24 * time.Hour
	case age > returnsWithin:
		return nil
	}
	at := now.Add(wait)
	return &at
}

// lookLater puts off the next look at a payout: at most five minutes if it has not ended.
func (s *Service) lookLater(p *models.PayoutAttempt, why string) {
	at := s.now().Add(pause(payoutPause, p.Looks-1))
	p.Failure = why
	if p.NextLookAt = &at; p.EndedAt != nil {
		p.NextLookAt = nextRead(p, s.now())
	}
}

// lookAgain writes that the bank could not say what has become of a payout.
func (s *Service) lookAgain(ctx context.Context, p *models.PayoutAttempt, cause error) error {
	if kindOf(cause) == "" {
		return fmt.Errorf("payments: ask about the payout %s: %w", p.ID, cause)
	}
	return s.inPayout(ctx, p.ID, func(now *models.PayoutAttempt) {
		if now.NextLookAt != nil {
			s.lookLater(now, failure(cause))
		}
	})
}

// doubtPayout writes, and returns as an error, what does not agree about a payout.
func (s *Service) doubtPayout(ctx context.Context, p *models.PayoutAttempt, what string) error {
	return errors.Join(fmt.Errorf("payments: payout %s: %s", p.ID, what),
		s.inPayout(ctx, p.ID, func(now *models.PayoutAttempt) { s.lookLater(now, what) }))
}

// inPayout changes a payout under its lock.
func (s *Service) inPayout(ctx context.Context, id string, change func(p *models.PayoutAttempt)) error {
	err := models.UntilAnswered(ctx, func() error {
		return s.DB.InTx(ctx, func(tx *models.Tx) error {
			p, err := models.LockPayoutAttempt(tx, id)
			if err != nil {
				return err
			}
			change(p)
			return models.SavePayoutAttempt(tx, p)
		})
	})
	if err != nil {
		return fmt.Errorf("payments: change the payout %s: %w", id, err)
	}
	return nil
}

// tellUnknownPayouts mails the staff who review withdrawals about payouts of an account whose outcome is
// unknown, once for each.
func (s *Service) tellUnknownPayouts(ctx context.Context, bankAccountID string) error {
	since := s.now().Add(-PayoutUnknownAfter)
	unknown, err := models.UntoldPayouts(ctx, s.DB.Pool, bankAccountID, since)
	if err != nil {
		return fmt.Errorf("payments: find payouts with unknown outcome: %w", err)
	}
	for _, p := range unknown {
		failed := s.DB.InTx(ctx, func(tx *models.Tx) error {
			w, err := models.LockWithdrawal(tx, "", p.WithdrawalID)
			if err != nil {
				return err
			}
			now, err := models.LockPayoutAttempt(tx, p.ID)
			if err != nil || now.ToldAt != nil || now.UnknownSince() == nil || now.UnknownSince().After(since) {
				return err
			}
			at := s.now()
			now.ToldAt = &at
			if err := models.SavePayoutAttempt(tx, now); err != nil {
				return err
			}
			return s.tellReviewers(tx, models.MailPayoutUnknown, now.ID+"/"+strconv.FormatInt(at.Unix(), 10),
				map[string]string{"amount": strconv.FormatInt(int64(w.Net()), 10), "withdrawal": w.ID,
					"destination": w.Destination.Masked, "at": now.SendingAt.Format(time.RFC3339)})
		})
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("payments: tell of the payout %s: %w", p.ID, failed))
		}
	}
	return err
}

// tellReviewers mails the staff who may review, once for each fact.
func (s *Service) tellReviewers(tx *models.Tx, kind, fact string, params map[string]string) error {
	people, err := models.StaffWho(tx.Context(), tx, models.Review)
	if err != nil {
		return fmt.Errorf("staff to notify: %w", err)
	}
	mails := make([]models.Mail, len(people))
	for i, person := range people {
		own := maps.Clone(params)
		own["name"] = person.Name
		mails[i] = models.Mail{Fact: kind + "/" + fact, To: person.Email, Language: person.Language, Kind: kind,
			Params: own, CreatedAt: s.now()}
	}
	return models.InsertMails(tx, mails...)
}
