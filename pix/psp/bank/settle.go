package bank

import (
	"context"
	"slices"
	"time"

	"garoupa/internal/guard"
	"garoupa/pix/psp/bank/journal"
)

// settleInterval is how often the bank looks for transfers whose time is over.
const settleInterval = 100 * time.Millisecond

// settle ends the returns and payouts whose time in the payment system is over, until ctx ends.
func (s *Server) settle(ctx context.Context) {
	guard.Keep(ctx, "bank: settle", func(ctx context.Context) {
		ticker := time.NewTicker(settleInterval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				if err := s.settleDue(); err != nil && ctx.Err() == nil {
					s.log.Error("bank: returns cannot be settled", "err", err)
				}
			}
		}
	})
}

func (s *Server) settleDue() error {
	now := s.clock()
	posted := false
	err := s.journal.Update(func(state *journal.State) (e journal.Entry, err error) {
		for _, id := range state.Processing() {
			if p, known := state.Payment(id); known {
				settlePayment(&e, p, now)
			} else if p, known := state.PayoutByEndToEndID(id); known && !s.active("send-unknown") {
				settlePayout(&e, p, now)
			}
		}
		e = s.numbered(state, e)
		posted = len(e.Notices) > 0
		return e, nil
	})
	if posted {
		s.post.wake()
	}
	return err
}

func settlePayment(e *journal.Entry, p journal.Payment, now time.Time) {
	returns, changed := ended(p.Returns, now)
	if !changed {
		return
	}
	p.Returns = returns
	e.Payments = append(e.Payments, p)
	if p.TxID != "" {
		e.Notices = append(e.Notices, journal.Notice{EndToEndID: p.EndToEndID, NextAt: now})
	}
}

// ended returns the returns with those ended whose time is over. A reason that was given at the
// start means that the payment system refuses.
func ended(returns []journal.Return, now time.Time) (after []journal.Return, changed bool) {
	for i, r := range returns {
		if r.Status != journal.Processing || now.Before(r.DueAt) {
			continue
		}
		if !changed {
			returns, changed = slices.Clone(returns), true
		}
		r.Status, r.EndedAt = journal.Returned, now
		if r.Reason != "" {
			r.Status = journal.Refused
		}
		returns[i] = r
	}
	return returns, changed
}
