package payments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/models"
	"garoupa/pix/psp"
)

const (
	// sweptEvery is the pause between two readings of the list of received Pix.
	sweptEvery = 20 * time.Second
	// sweepOverlap is how far a sweep goes back behind what is recorded: a bank may list a Pix late. Every
	// sweptDeepEvery it goes back by deepOverlap.
	sweepOverlap, deepOverlap = 2 * time.Minute, 15 * time.Minute
	sweptDeepEvery            = 5 * time.Minute
	// returnsWithin is how far back returns are looked for, and oldDayEvery the pause between two of its
	// days: all are read once a day.
	returnsWithin = RefundableFor + 2*24*time.Hour
	oldDayEvery   = 15 * time.Minute
	// sweepWindow limits the time of which one reading asks. A list of more than sweepPages is read in
	// shorter windows, so that a page that the bank does not give, or gives late, costs few others.
	sweepWindow, shortestWindow = time.Hour, 5 * time.Second
	sweepPages                  = 5
	// sweepWithin limits one sweep; the next one goes on.
	sweepWithin = 30 * time.Second
	// listedAfter is how long after a payment the bank lists it for certain.
	listedAfter = 15 * time.Second
	// bankWorkWithin limits one call of TendBank. After bankLease another process does the work of one
	// that ended.
	bankWorkWithin, bankLease = 45 * time.Second, time.Minute
	// endedWithin is how long it may take to write how work at a bank ended, also while the process ends.
	endedWithin = 10 * time.Second
)

// toTheEnd returns a context for what must still be written if ctx has ended.
func toTheEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), endedWithin)
}

// TendBank does what is due at a bank account: it asks about charges, removes those that are to be
// removed, and records the Pix that the bank lists. It does nothing while another process tends the
// account. A Pix is recorded once, however often it is listed.
func (s *Service) TendBank(ctx context.Context, bankAccountID string) (err error) {
	now := s.now()
	sweep, err := models.LeaseBankSweep(ctx, s.DB.Pool, bankAccountID, now, now.Add(bankLease))
	if err != nil || sweep == nil {
		return err
	}
	working, cancel := context.WithTimeout(ctx, bankWorkWithin)
	defer cancel()
	defer func() {
		ending, cancel := toTheEnd(ctx)
		defer cancel()
		err = errors.Join(err, models.ReleaseBankSweep(ending, s.DB.Pool, bankAccountID, s.now()))
	}()
	bank, err := s.Banks.For(working, bankAccountID)
	if err != nil {
		return fmt.Errorf("payments: tend %s: %w", bankAccountID, err)
	}
	return errors.Join(s.sweepDue(working, bank, bankAccountID, *sweep), s.LookAtCharges(working, bank, bankAccountID),
		s.AskForRefunds(working, bank, bankAccountID), s.AskForExceptionReturns(working, bank, bankAccountID),
		s.FindDisputes(working, bank, bankAccountID), s.readOldDay(working, bank, bankAccountID, *sweep),
		s.CompareBankDay(working, bank, bankAccountID, sweep.StartedAt))
}

// sweepDue reads the list of received Pix if it is time, one window after the other until now.
func (s *Service) sweepDue(ctx context.Context, bank psp.Bank, bankAccountID string, last models.BankSweep) error {
	now := bank.Now()
	if last.Hurries == 0 && last.SweptAt != nil && now.Sub(*last.SweptAt) < sweptEvery {
		return nil
	}
	deep := last.SweptDeepAt == nil || now.Sub(*last.SweptDeepAt) >= sweptDeepEvery
	from, next := last.Watermark.Add(-sweepOverlap), last
	if deep {
		from, next.SweptDeepAt = last.Watermark.Add(-deepOverlap), &now
	}
	next.SweptAt = &now
	sweeping, cancel := context.WithTimeout(ctx, sweepWithin)
	defer cancel()
	done, err := s.sweepWindows(sweeping, bank, bankAccountID, latest(from, last.StartedAt), now)
	if done.After(next.Watermark) {
		next.Watermark = done
		if err != nil && sweeping.Err() != nil { // there is more than one sweep reads
			next.SweptAt, err = last.SweptAt, ctx.Err()
		}
	}
	saving, cancel := toTheEnd(ctx)
	defer cancel()
	return errors.Join(err, models.SaveBankSweep(saving, s.DB.Pool, bankAccountID, last, next))
}

// sweepWindows records the Pix from a time until now, one window after the other, and returns until when all
// are recorded.
func (s *Service) sweepWindows(ctx context.Context, bank psp.Bank, bankAccountID string, from, now time.Time) (
	done time.Time, err error) {
	for length := sweepWindow; ; {
		w := psp.Window{From: from, Until: now}
		if from.Add(length).Before(now) {
			w.Until = from.Add(length)
		}
		if w.Until.Sub(from) > shortestWindow {
			w.MostPages = sweepPages
		}
		done, err = s.sweep(ctx, bank, bankAccountID, w)
		many, isMany := errors.AsType[psp.ManyPages](err)
		switch {
		case isMany:
			length = max(w.Until.Sub(from)*(sweepPages-1)/time.Duration(many.Pages), shortestWindow)
		case err != nil || done.Before(w.Until) || w.Until.Equal(now):
			return done, err
		default:
			from = w.Until
		}
	}
}

// sweep records the Pix of a window, and returns until when all are recorded. Charges that could be paid
// only before have lapsed. Pix that cannot be read or recorded are an error, and hold up neither the others nor the
// next windows: a person has to look at them. So is a list that keeps changing long after its window.
func (s *Service) sweep(ctx context.Context, bank psp.Bank, bankAccountID string, w psp.Window) (done time.Time,
	err error) {
	all, settled, unread := psp.AllPayments(ctx, bank, w)
	if _, isMany := errors.AsType[psp.ManyPages](unread); isMany {
		return w.From, unread
	} else if unread != nil {
		unread = fmt.Errorf("payments: read the Pix of %s: %w", bankAccountID, unread)
	}
	early, err := s.RecordBankPayments(ctx, bankAccountID, all)
	failed := errors.Join(err, unread)
	changing := !settled && bank.Now().Sub(w.Until) < deepOverlap
	if changing || err != nil && !errors.Is(err, errUnrecorded) {
		return w.From, failed
	} else if !settled {
		failed = errors.Join(failed, fmt.Errorf("payments: read the Pix of %s: %w", bankAccountID, errUnsettled))
	}
	done = w.Until
	for _, p := range early {
		if p.PaidAt.Before(done) {
			done = p.PaidAt
		}
	}
	if failed != nil { // one of them may have paid such a charge
		return done, failed
	}
	return done, models.LapseBankCharges(ctx, s.DB.Pool, bankAccountID, done.Add(-listedAfter))
}

// readOldDay reads, from time to time, the Pix with returns of one day of the past: a return that was made in
// the bank's app, or for a contested payment, may come long after its Pix. All days are read within a day. A day that
// the bank or the database cannot answer now is read again; what a person has to look at holds up no other day.
func (s *Service) readOldDay(ctx context.Context, bank psp.Bank, bankAccountID string, last models.BankSweep) error {
	now := bank.Now()
	if last.OldReadAt != nil && now.Sub(*last.OldReadAt) < oldDayEvery {
		return nil
	}
	from := latest(now.Add(-returnsWithin), last.StartedAt)
	if last.OldFrom != nil {
		from = latest(from, *last.OldFrom)
	}
	w := psp.Window{From: from, Until: from.Add(24 * time.Hour), Returned: true}
	next := &w.Until
	if !w.Until.Before(now) {
		w.Until, next = now, nil
	}
	again, err := s.recordOldDay(ctx, bank, bankAccountID, w)
	if again {
		next = &from
	}
	saved := models.SaveOldDay(ctx, s.DB.Pool, bankAccountID, next, now)
	if err != nil {
		err = fmt.Errorf("payments: read the returns of a day of %s: %w", bankAccountID, err)
	}
	return errors.Join(err, saved)
}

// recordOldDay records the Pix of a window, and reports whether it is to be read again at once.
func (s *Service) recordOldDay(ctx context.Context, bank psp.Bank, bankAccountID string, w psp.Window) (again bool,
	err error) {
	all, settled, unread := psp.AllPayments(ctx, bank, w)
	if unread != nil && !errors.Is(unread, psp.ErrUnread) {
		return !kindOf(unread).Refused(), unread
	}
	_, err = s.RecordBankPayments(ctx, bankAccountID, all)
	again = err != nil && !errors.Is(err, errUnrecorded)
	if err = errors.Join(err, unread); !settled {
		err = errors.Join(err, errUnsettled)
	}
	return again, err
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
