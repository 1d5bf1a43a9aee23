package payments

import (
	"errors"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/pix/psp"
)

// foundByReturn begins the BankRef of a dispute of which only the debit is known.
const foundByReturn = "return/"

// unbooked locks the payment of a return that the bank has made, and what is contested of it. It returns nil if the
// return moves no money yet, is booked already, or is of no payment that is known.
func (s *Service) unbooked(tx *models.Tx, endToEndID string, state psp.Return) (*contested, error) {
	if state.Status != psp.TransferDone {
		return nil, nil
	}
	paymentID, err := models.PaymentNamed(tx, models.Live, endToEndID)
	if errors.Is(err, models.ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	c, err := s.contested(tx, paymentID)
	if err != nil {
		return nil, err
	}
	_, err = s.bookedReturn(tx, paymentID, state)
	if !errors.Is(err, models.ErrNotFound) {
		return nil, err
	}
	return c, nil
}

// recordDebit books a return that the bank made by the special mechanism (MED). It takes what is blocked for
// the dispute, and the rest from available money, which may fall below zero without a bound: the money has
// left. The dispute is LOST. Money that no account was credited with goes back from where it lies, see
// recordExceptionReturns. matchDebit judges a return for which the payment has not enough left.
func (s *Service) recordDebit(tx *models.Tx, received psp.Payment, state psp.Return) (queued bool, err error) {
	c, err := s.unbooked(tx, received.EndToEndID, state)
	if err != nil || c == nil {
		return false, err
	}
	beyond := c.Credited() && c.refunded.Sum+money.Cents(state.Amount) > c.Amount
	if beyond {
		if matched, err := s.matchDebit(tx, c.refundable(), received, state); err != nil || !matched {
			return false, err
		}
		if len(c.disputes) == 0 { // the note has booked the debit already, and no dispute waits for it
			return false, nil
		}
	}
	d, err := s.debited(tx, c, state)
	if err != nil {
		return false, err
	}
	if c.Credited() && !beyond {
		queued, err = s.adoptDebit(tx, c, d, state)
	}
	if err != nil || d.Status == models.DisputeLost {
		return queued, err
	}
	now := s.now()
	d.Status, d.ClosedAt = models.DisputeLost, &now
	if err := models.SaveDispute(tx, d); err != nil {
		return queued, err
	}
	return queued, s.auditDispute(tx, system, d, "lost")
}

// matchDebit looks for the note that a debit is, if the payment has not enough left for both: the bank gives back no
// more than it received, so a note of that amount is the debit, or was never made and stands for it from now on. No
// other note can be told from a refund that was made outside the bank's list, so that without one the debit is left
// to a person, as other returns are (see doubtReturn).
func (s *Service) matchDebit(tx *models.Tx, p *refundable, received psp.Payment, state psp.Return) (bool, error) {
	if p.refunded.UnderWay {
		return false, s.doubtReturn(tx, p, state)
	}
	noted, err := models.NotedRefund(tx, p.ID, money.Cents(state.Amount), idsOfOthers(received, state))
	switch {
	case err == nil:
		return true, s.claimNoted(tx, noted, state)
	case errors.Is(err, models.ErrNotFound):
		return false, s.doubtReturn(tx, p, state)
	}
	return false, err
}

// debited returns the dispute that a debit belongs to: the first with blocked money, otherwise the first that is open,
// otherwise the newest. If the payment has none, it creates one.
func (s *Service) debited(tx *models.Tx, c *contested, state psp.Return) (*models.Dispute, error) {
	var found *models.Dispute
	for i := range c.disputes {
		d := &c.disputes[i]
		if d.Held() > 0 {
			return d, nil
		}
		if found == nil || found.Status.Final() {
			found = d
		}
	}
	if found != nil {
		return found, nil
	}
	now := s.now()
	d := &models.Dispute{BankRef: foundByReturn + c.ID + "/" + state.ID, Cause: state.Nature,
		Amount: money.Cents(state.Amount), Status: models.DisputeLost, OpenedAt: now, AnswerBy: now, ClosedAt: &now}
	if err := s.openDispute(tx, system, c, d); err != nil {
		return nil, err
	}
	return d, nil
}

func (s *Service) adoptDebit(tx *models.Tx, c *contested, d *models.Dispute, state psp.Return) (bool, error) {
	p := c.refundable()
	r := newlyFound(p, state, s.now())
	r.Origin, r.Reason, r.DisputeID = models.RefundByDispute, foundDisputed, &d.ID
	r.FromBlocked = min(r.Amount, d.Held())
	return s.adoptRefund(tx, p, r)
}
