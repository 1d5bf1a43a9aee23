package payments

import (
	"garoupa/ledger"
	"garoupa/models"
)

// raiseDisputes blocks the money of a refund that failed for the open disputes of its payment, the oldest first: while
// the refund was under way they could not block it. At most what is contested is blocked, and available money may
// fall below zero for it, as at the opening. tx has undone the refund. What is at a merchant's own bank account that
// bank holds back by itself.
func (s *Service) raiseDisputes(tx *models.Tx, p *refundable, r *models.Refund) error {
	if p.Own {
		return nil
	}
	disputes, err := models.LockDisputes(tx, p.ID)
	if err != nil {
		return err
	}
	free := p.Amount - (p.refunded.Sum - r.Amount) // neither refunded nor blocked
	for i := range disputes {
		free -= disputes[i].Held()
	}
	free = min(free, r.Amount)
	for i := range disputes {
		d := &disputes[i]
		more := min(free, d.Amount-d.Blocked)
		if d.Status.Final() || more <= 0 {
			continue
		}
		short, _, err := ledger.Shortfall(tx, p.AccountID, p.Environment, more)
		if err != nil {
			return err
		}
		d.Blocked, d.Short, free = d.Blocked+more, d.Short+short, free-more
		if err := models.RaiseDispute(tx, d); err != nil {
			return err
		}
		err = ledger.Post(tx, *r.EndedAt, ledger.Posting{Fact: "dispute/" + d.ID + "/raised/" + r.ID,
			Transfers: []ledger.Transfer{{From: ledger.Account(p.AccountID, p.Environment, ledger.Available),
				To: ledger.Account(p.AccountID, p.Environment, ledger.Blocked), Amount: more}}})
		if err != nil {
			return err
		}
		if err := s.auditDispute(tx, system, d, "raised"); err != nil {
			return err
		}
	}
	return nil
}
