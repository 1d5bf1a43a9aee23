package payments

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/pix/psp"
)

const (
	// disputesEvery is the pause between two readings of a bank's disputes, and disputeOverlap how far one
	// goes back behind what is known: a bank may list one late.
	disputesEvery, disputeOverlap = 5 * time.Minute, 24 * time.Hour
	// answerPause is the pause before an answer that may not have reached the bank goes there again.
	answerPause = 4 * time.Minute
	// agreement is the text of the answer that accepts a dispute.
	agreement = "O recebedor concorda com a devolução."
)

// FindDisputes reads a bank's disputes, if it tells of them and it is time: it opens new ones, closes those
// that the bank has rejected, reads the debits of those that it has accepted, and sends answers. An answer
// goes to the bank only if the bank has just said that it awaits one. An unknown word changes
// nothing and is an error. The caller has the lease of the bank account.
func (s *Service) FindDisputes(ctx context.Context, bank psp.Bank, bankAccountID string) error {
	disputer, tells := bank.(psp.Disputer)
	if !tells {
		return nil
	}
	now := s.now()
	reading, err := models.ClaimDisputeReading(ctx, s.DB.Pool, bankAccountID, now, now.Add(-disputesEvery))
	if err != nil || reading == nil {
		return err
	}
	listed, err := disputer.Disputes(ctx, reading.Since.Add(-disputeOverlap))
	if err != nil {
		return fmt.Errorf("payments: read the disputes of %s: %w", bankAccountID, err)
	}
	var failed []error
	complete := true
	for _, state := range listed {
		d, err := s.noteDispute(ctx, bankAccountID, state)
		if err != nil {
			complete = false // it may not be known
		} else if d != nil {
			err = s.heedDispute(ctx, bank, disputer, d, state)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("payments: dispute %s of %s: %w", state.Ref, bankAccountID, err))
		}
	}
	if complete {
		if err := models.SaveDisputesKnown(ctx, s.DB.Pool, bankAccountID, reading.KnownUntil); err != nil {
			failed = append(failed, fmt.Errorf("payments: note the disputes of %s: %w", bankAccountID, err))
		}
	}
	return errors.Join(failed...)
}

// noteDispute writes what a bank says of a dispute, and returns the dispute: nil about a Pix that is not recorded. It
// is no business of the gateway, or will be recorded before the next reading.
func (s *Service) noteDispute(ctx context.Context, bankAccountID string, state psp.Dispute) (d *models.Dispute,
	err error) {
	paymentID, err := models.PaymentAt(ctx, s.DB.Pool, &bankAccountID, state.EndToEndID)
	if errors.Is(err, models.ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	err = models.UntilAnswered(ctx, func() error {
		return s.DB.InTx(ctx, func(tx *models.Tx) error {
			c, err := s.contested(tx, paymentID)
			if err == nil {
				d, err = s.applyDispute(tx, c, state)
			}
			return err
		})
	})
	return d, err
}

// heedDispute acts on what a bank says of a dispute.
func (s *Service) heedDispute(ctx context.Context, bank psp.Bank, disputer psp.Disputer, d *models.Dispute,
	state psp.Dispute) error {
	switch {
	case state.Status == psp.DisputeUnknown:
		return fmt.Errorf("the bank says %q", state.RawStatus)
	case state.Status == psp.DisputeLost && !d.Status.Final():
		received, err := bank.Payment(ctx, state.EndToEndID)
		if err != nil {
			return fmt.Errorf("read the debit: %w", err)
		}
		return s.recordReturns(ctx, received)
	case state.Status == psp.DisputeOpen && d.DefenseAt != nil && d.DefenseSentAt == nil && !d.Status.Final():
		return s.sendAnswer(ctx, disputer, d)
	}
	return nil
}

// applyDispute writes what a bank says of a dispute, and returns the dispute.
func (s *Service) applyDispute(tx *models.Tx, c *contested, state psp.Dispute) (*models.Dispute, error) {
	d := c.known(state)
	if d == nil {
		return s.adoptDispute(tx, c, state)
	}
	before, now := *d, s.now()
	d.BankRef, d.BankStatus = state.Ref, ""
	if !state.OpenedAt.IsZero() && state.OpenedAt.Before(d.OpenedAt) { // readings go back to it while it is open
		d.OpenedAt = state.OpenedAt
	}
	if !state.AnswerBy.IsZero() && !state.AnswerBy.Equal(d.AnswerBy) && !d.Status.Final() {
		d.AnswerBy = state.AnswerBy
	}
	switch {
	case state.Status == psp.DisputeUnknown:
		d.BankStatus = state.RawStatus
	case state.Status == psp.DisputeWon && !d.Status.Final():
		return d, s.endDispute(tx, system, d)
	case state.Status == psp.DisputeDefended && !d.Status.Final() && d.DefenseSentAt == nil:
		d.DefenseSentAt = &now
		if d.Status == models.DisputeOpen { // answered at the bank
			d.Status, d.DefenseAt = models.DisputeDefended, &now
		}
	}
	if *d == before {
		return d, nil
	}
	return d, models.SaveDispute(tx, d)
}

// known returns the dispute that a bank tells of, or nil. A debit may have been read before its dispute.
func (c *contested) known(state psp.Dispute) *models.Dispute {
	var debit *models.Dispute
	for i := range c.disputes {
		switch d := &c.disputes[i]; {
		case d.BankRef == state.Ref:
			return d
		case state.Status == psp.DisputeLost && strings.HasPrefix(d.BankRef, foundByReturn):
			debit = d
		}
	}
	return debit
}

// adoptDispute opens a dispute that was found at a bank. The account's money stays untouched if it is over.
func (s *Service) adoptDispute(tx *models.Tx, c *contested, state psp.Dispute) (*models.Dispute, error) {
	now := s.now()
	d := &models.Dispute{BankRef: state.Ref, Cause: state.Cause, Amount: money.Cents(state.Amount),
		Status: models.DisputeOpen, OpenedAt: state.OpenedAt, AnswerBy: state.AnswerBy}
	if d.Amount <= 0 || d.Amount > c.Amount {
		d.Amount = c.Amount
	}
	if d.OpenedAt.IsZero() {
		d.OpenedAt = now
	}
	if d.AnswerBy.IsZero() {
		d.AnswerBy = d.OpenedAt.Add(answerWithin)
	}
	switch state.Status {
	case psp.DisputeUnknown:
		d.BankStatus = state.RawStatus
	case psp.DisputeDefended:
		d.Status, d.DefenseAt, d.DefenseSentAt = models.DisputeDefended, &now, &now
	case psp.DisputeWon:
		d.Status, d.ClosedAt = models.DisputeWon, &now
	}
	return d, s.openDispute(tx, system, c, d)
}

// sendAnswer sends the answer to a dispute to the bank, which has just said that it has none. No other process
// sends it meanwhile.
func (s *Service) sendAnswer(ctx context.Context, disputer psp.Disputer, d *models.Dispute) error {
	now := s.now()
	claimed, err := models.ClaimAnswer(ctx, s.DB.Pool, d.ID, now, now.Add(-answerPause))
	if err != nil || !claimed {
		return err
	}
	if d.Status == models.DisputeAccepted {
		err = disputer.Agree(ctx, d.BankRef, agreement)
	} else {
		err = disputer.Defend(ctx, d.BankRef, *d.Defense)
	}
	if err != nil {
		return fmt.Errorf("send the answer: %w", err)
	}
	_, err = s.inDispute(ctx, "answer", d.ID, func(tx *models.Tx, _ *contested, d *models.Dispute) error {
		if d.DefenseSentAt != nil {
			return nil
		}
		sent := s.now()
		d.DefenseSentAt = &sent
		if err := models.SaveDispute(tx, d); err != nil {
			return err
		}
		return s.auditDispute(tx, system, d, "answer_sent")
	})
	return err
}
