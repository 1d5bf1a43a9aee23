package bank

import (
	"net/http"
	"slices"

	"garoupa/pix/psp/bank/control"
	"garoupa/pix/psp/bank/journal"
)

// contest acts as a payer who claims fraud: the amount is blocked at once, even if the account
// has less.
func (s *Server) contest(r control.DisputeRequest) (control.DisputeAnswer, error) {
	now := s.clock()
	d := journal.Dispute{ID: "inf" + token(16), EndToEndID: r.EndToEndID, Amount: r.Amount,
		Status: journal.DisputeOpen, OpenedAt: now, AnswerBy: now.Add(answerTime)}
	err := s.journal.Update(func(state *journal.State) (journal.Entry, error) {
		p, known := state.Payment(r.EndToEndID)
		if !known {
			return journal.Entry{}, refuse(http.StatusNotFound, "there is no Pix %s", r.EndToEndID)
		}
		open := func(d journal.Dispute) bool {
			return d.EndToEndID == r.EndToEndID && d.Status == journal.DisputeOpen
		}
		if slices.ContainsFunc(state.Disputes, open) {
			return journal.Entry{}, refuse(http.StatusConflict, "a dispute about this Pix is open already")
		}
		rest := left(p.Amount, p.Returns)
		if d.Amount == 0 {
			d.Amount = rest
		}
		if d.Amount < 1 || d.Amount > rest {
			return journal.Entry{}, refuse(http.StatusConflict, "R$ %s of this Pix can be contested", decimal(rest))
		}
		return journal.Entry{Disputes: []journal.Dispute{d}}, nil
	})
	if err != nil {
		return control.DisputeAnswer{}, err
	}
	return control.DisputeAnswer{ID: d.ID}, nil
}

// closeDispute ends a dispute: the payer gets the amount, or a part of it, or nothing.
func (s *Server) closeDispute(r control.CloseRequest) (control.StatusAnswer, error) {
	now := s.clock()
	outcome := journal.DisputeStatus(r.Outcome)
	if outcome != journal.DisputeReturned && outcome != journal.DisputeRejected {
		return control.StatusAnswer{}, refuse(http.StatusBadRequest,
			"the outcome is RETURNED or REJECTED, not %q", r.Outcome)
	}
	err := s.journal.Update(func(state *journal.State) (e journal.Entry, err error) {
		d, known := state.Dispute(r.ID)
		switch {
		case !known:
			return e, refuse(http.StatusNotFound, "there is no dispute %s", r.ID)
		case d.Status != journal.DisputeOpen:
			return e, refuse(http.StatusConflict, "the dispute is %s", d.Status)
		}
		d.Status, d.ClosedAt = outcome, now
		e.Disputes = []journal.Dispute{d}
		if outcome == journal.DisputeRejected {
			return e, nil
		}
		p, _ := state.Payment(d.EndToEndID)
		back := begin(journal.Return{ID: "med" + token(16), Amount: r.Amount, Nature: journal.MEDFraud}, now)
		if back.Amount == 0 {
			back.Amount = min(d.Amount, left(p.Amount, p.Returns))
		}
		if back.Amount > d.Amount {
			return e, refuse(http.StatusConflict, "R$ %s of this Pix were contested", decimal(d.Amount))
		}
		back.Status, back.EndedAt = journal.Returned, now
		if p.Returns, err = returnedIn(p.Amount, p.Returns, &back); err != nil {
			return e, err
		}
		e.Payments = []journal.Payment{p}
		if p.TxID != "" {
			e.Notices = []journal.Notice{{EndToEndID: p.EndToEndID, NextAt: now}}
		}
		return s.numbered(state, e), nil
	})
	if err != nil {
		return control.StatusAnswer{}, err
	}
	s.post.wake()
	return control.StatusAnswer{Status: string(outcome)}, nil
}
