package bank

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"garoupa/pix"
	"garoupa/pix/psp/bank/control"
	"garoupa/pix/psp/bank/journal"
)

// refusal is what the control socket answers to a request that cannot be done: one sentence.
type refusal struct {
	status   int
	sentence string
}

// Error implements error.
func (r refusal) Error() string { return r.sentence }

func refuse(status int, format string, args ...any) error {
	return refusal{status, fmt.Sprintf(format, args...)}
}

// pay does what a payer's app and bank do with a code.
func (s *Server) pay(r control.PayRequest) (control.PayAnswer, error) {
	code, err := pix.ParseLenient(r.Code)
	if err != nil {
		return control.PayAnswer{}, refuse(http.StatusBadRequest, "the code cannot be read: %v", err)
	}
	if r.Amount < 0 || r.Amount > maxAmount {
		return control.PayAnswer{}, refuse(http.StatusBadRequest, "the amount must be from 0 to %s", decimal(maxAmount))
	}
	now := s.clock()
	var paid []journal.Payment
	err = s.journal.Update(func(state *journal.State) (e journal.Entry, err error) {
		p := journal.Payment{Key: s.account.PixKey, At: now, Amount: r.Amount}
		if code.Location != "" {
			e, err = s.payCharge(state, code.Location, r, &p)
		} else {
			err = s.payKey(code, &p)
		}
		if err != nil {
			return journal.Entry{}, err
		}
		if r.NoTxID {
			p.TxID = ""
		}
		paid = s.arrive(&e, p, r.Twice)
		return s.numbered(state, e), nil
	})
	if err != nil {
		return control.PayAnswer{}, err
	}
	s.post.wake()
	var ids []string
	for _, p := range paid {
		ids = append(ids, p.EndToEndID)
	}
	return control.PayAnswer{EndToEndIDs: ids}, nil
}

// arrive adds one payment to the entry, or two, and the notices of those that have a TxID.
func (s *Server) arrive(e *journal.Entry, p journal.Payment, twice bool) []journal.Payment {
	times := 1
	if twice {
		times = 2
	}
	for range times {
		p.EndToEndID = pix.NewEndToEndID(ISPB, p.At)
		e.Payments = append(e.Payments, p)
		if p.TxID != "" {
			e.Notices = append(e.Notices, journal.Notice{EndToEndID: p.EndToEndID, NextAt: p.At})
		}
	}
	return e.Payments
}

// payCharge finds the charge at a location, decides whether it can be paid, and completes the
// payment. The entry has the charge as paid.
func (s *Server) payCharge(state *journal.State, location string, r control.PayRequest, p *journal.Payment) (
	e journal.Entry, err error) {
	token, ours := strings.CutPrefix(location, s.locationHost()+locationPath)
	if !ours {
		return e, refuse(http.StatusBadRequest, "the code is of another bank: it points to %s", location)
	}
	l, _ := state.LocationByToken(token)
	charge, known := state.Charge(l.TxID)
	switch {
	case !known:
		return e, refuse(http.StatusNotFound, "there is no charge at this code")
	case charge.Status == journal.Paid && !r.Twice:
		return e, refuse(http.StatusConflict, "the charge is paid already; --twice pays it all the same")
	case charge.Status == journal.RemovedByBank || charge.Status == journal.RemovedByReceiver:
		return e, refuse(http.StatusConflict, "the charge was removed")
	case p.At.After(charge.PayableUntil()) && !r.Late:
		return e, refuse(http.StatusConflict, "the charge expired at %s; --late pays it all the same",
			charge.PayableUntil().UTC().Format(time.RFC3339))
	}
	if p.TxID = charge.TxID; p.Amount == 0 {
		p.Amount = charge.Amount
	}
	if !r.NoTxID {
		charge.Status = journal.Paid
		e.Charges = append(e.Charges, charge)
	}
	return e, nil
}

// payKey completes the payment of a static code.
func (s *Server) payKey(code pix.Code, p *journal.Payment) error {
	if code.Key != s.account.PixKey {
		return refuse(http.StatusBadRequest, "the key of the code is not the account's")
	}
	if p.Amount == 0 {
		p.Amount = code.Amount
	}
	if p.Amount == 0 {
		return refuse(http.StatusBadRequest, "the code names no amount; --amount does")
	}
	p.TxID = code.TxID
	return nil
}

// giveBack returns a received Pix from the bank's app, or acts as the receiver of a payout who
// returns it.
func (s *Server) giveBack(r control.ReturnRequest) (control.ReturnAnswer, error) {
	now := s.clock()
	back := begin(journal.Return{ID: "app" + token(16), Amount: r.Amount, Nature: journal.Original}, now)
	err := s.journal.Update(func(state *journal.State) (e journal.Entry, err error) {
		if p, known := state.Payment(r.EndToEndID); known {
			if p.Returns, err = returnedIn(p.Amount, p.Returns, &back); err != nil {
				return e, err
			}
			e.Payments = []journal.Payment{p}
			return e, nil
		}
		p, known := state.PayoutByEndToEndID(r.EndToEndID)
		if !known || p.Status != journal.Done {
			return e, refuse(http.StatusNotFound, "there is no Pix %s that was received or sent", r.EndToEndID)
		}
		if p.Returns, err = returnedIn(p.Amount, p.Returns, &back); err != nil {
			return e, err
		}
		e.Payouts = []journal.Payout{p}
		return e, nil
	})
	if err != nil {
		return control.ReturnAnswer{}, err
	}
	return control.ReturnAnswer{ID: back.ID, Status: string(back.Status)}, nil
}

// returnedIn adds a return to the others, of all that is left if it has no amount.
func returnedIn(amount int64, others []journal.Return, r *journal.Return) ([]journal.Return, error) {
	rest := left(amount, others)
	if r.Amount == 0 {
		r.Amount = rest
	}
	if r.Amount < 1 || r.Amount > rest {
		return nil, refuse(http.StatusConflict, "R$ %s of this Pix can still be returned", decimal(rest))
	}
	return append(slices.Clone(others), *r), nil
}

// remove ends a charge as the bank.
func (s *Server) remove(r control.RemoveRequest) (control.StatusAnswer, error) {
	err := s.journal.Update(func(state *journal.State) (journal.Entry, error) {
		charge, known := state.Charge(r.TxID)
		switch {
		case !known:
			return journal.Entry{}, refuse(http.StatusNotFound, "there is no charge %s", r.TxID)
		case charge.Status != journal.Active:
			return journal.Entry{}, refuse(http.StatusConflict, "the charge is %s", charge.Status)
		}
		charge.Status = journal.RemovedByBank
		charge.Revision++
		return journal.Entry{Charges: []journal.Charge{charge}}, nil
	})
	if err != nil {
		return control.StatusAnswer{}, err
	}
	return control.StatusAnswer{Status: string(journal.RemovedByBank)}, nil
}
