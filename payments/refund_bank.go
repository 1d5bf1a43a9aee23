package payments

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"garoupa/internal/money"
	"garoupa/internal/payload"
	"garoupa/models"
	"garoupa/pix/psp"
)

const (
	// refundsAtOnce limits the refunds of an account that a call asks the bank about.
	refundsAtOnce = 8
	// refundPause is the first wait between two questions about a refund.
	refundPause = 2 * time.Second
	// refundedAfter is when the simulator has given the money back. It refuses amounts that end in
	// refusedCents.
	refundedAfter = 2 * time.Second
	refusedCents  = 67
)

// bankReturnID returns the id of a refund at the bank.
func bankReturnID(refundID string) string { return strings.ReplaceAll(refundID, "_", "") }

// AskForRefunds asks a bank about the refunds of its account that are under way. Instances may call it at
// the same time: each asks about different refunds.
func (s *Service) AskForRefunds(ctx context.Context, bank psp.Bank, bankAccountID string) error {
	due, err := models.ClaimRefunds(ctx, s.DB.Pool, &bankAccountID, s.now(), bankWorkWithin, refundsAtOnce)
	if err != nil {
		return fmt.Errorf("payments: find refunds to ask for: %w", err)
	}
	return errors.Join(each("ask for a refund", len(due), refundsAtOnce, func(i int) error {
		return s.askForRefund(ctx, bank, &due[i])
	})...)
}

// askForRefund asks the bank to give money back, or what has become of that. The bank is read before it is
// asked again.
func (s *Service) askForRefund(ctx context.Context, bank psp.Bank, r *models.Refund) error {
	id := bankReturnID(r.ID)
	var state psp.Return
	err := error(&psp.Error{Kind: psp.NotFound})
	if r.Tries > 1 || r.Status == models.RefundProcessing {
		state, err = bank.Return(ctx, r.EndToEndID, id)
	}
	if why, ok := errors.AsType[*psp.Error](err); ok && why.Kind == psp.NotFound {
		if state, err = bank.PutReturn(ctx, r.EndToEndID, id, int64(r.Amount)); refusedForCertain(err) {
			return s.refundRefused(ctx, bank, r, id, err)
		}
	}
	if err != nil {
		return s.askLater(ctx, r, err)
	}
	return s.heedReturn(ctx, r, state)
}

func refusedForCertain(err error) bool {
	why, ok := errors.AsType[*psp.Error](err)
	return ok && (why.Kind == psp.Invalid || why.Kind == psp.Conflict)
}

// notFoundBelieved reports whether a bank is believed at a try that it has no return by an id: for some time after
// the first try it may have one that it does not show.
func notFoundBelieved(tries int) bool {
	var since time.Duration // the first try, at least
	for try := 1; try < tries; try++ {
		since += pause(refundPause, try-1)
	}
	return since >= notFoundAfter
}

// refundRefused ends a refund that the bank refused, if the bank has no return by its id and is believed.
func (s *Service) refundRefused(ctx context.Context, bank psp.Bank, r *models.Refund, id string, cause error) error {
	state, err := bank.Return(ctx, r.EndToEndID, id)
	if err == nil {
		return s.heedReturn(ctx, r, state)
	}
	why, ok := errors.AsType[*psp.Error](err)
	if !ok || why.Kind != psp.NotFound {
		return s.askLater(ctx, r, err)
	}
	if !notFoundBelieved(r.Tries) {
		return s.askLater(ctx, r, cause)
	}
	reason := failure(cause)
	if refused, ok := errors.AsType[*psp.Error](cause); ok && refused.Detail != "" {
		reason = refused.Detail
	}
	return s.heedReturn(ctx, r, psp.Return{ID: id, Status: psp.TransferRefused, Reason: reason,
		Amount: int64(r.Amount)})
}

// askLater writes that the bank did not answer.
func (s *Service) askLater(ctx context.Context, r *models.Refund, cause error) error {
	if _, ok := errors.AsType[*psp.Error](cause); !ok {
		return fmt.Errorf("payments: ask for refund %s: %w", r.ID, cause)
	}
	return s.inRefund(ctx, r.PaymentID, r.ID, func(_ *models.Tx, _ *refundable, now *models.Refund) (bool, error) {
		if now.EndedAt == nil {
			s.askAgain(now, failure(cause))
		}
		return false, nil
	})
}

func (s *Service) askAgain(r *models.Refund, why string) {
	at := s.now().Add(pause(refundPause, r.Tries-1))
	r.NextTryAt, r.Failure = &at, why
}

// heedReturn acts on what the bank says of a refund.
func (s *Service) heedReturn(ctx context.Context, r *models.Refund, state psp.Return) error {
	return s.inRefund(ctx, r.PaymentID, r.ID, func(tx *models.Tx, p *refundable, now *models.Refund) (bool, error) {
		return s.applyReturn(tx, p, now, state)
	})
}

// inRefund runs fn in a transaction that has locked a refund, its payment and its checkout, and then writes
// the refund. fn must recognize what it did in an earlier call.
func (s *Service) inRefund(ctx context.Context, paymentID, refundID string,
	fn func(tx *models.Tx, p *refundable, r *models.Refund) (queued bool, err error)) error {
	err := models.UntilAnswered(ctx, func() error {
		return s.commit(ctx, s.DB.InTx, func(tx *models.Tx) (queued bool, err error) {
			p, err := s.refundable(tx, paymentID)
			if err != nil {
				return false, err
			}
			r, err := models.LockRefund(tx, refundID)
			if err != nil {
				return false, err
			}
			if queued, err = fn(tx, p, r); err != nil {
				return false, err
			}
			return queued, models.SaveRefund(tx, r)
		})
	})
	if err != nil {
		return fmt.Errorf("payments: change refund %s: %w", refundID, err)
	}
	return nil
}

// applyReturn writes the state of a return to its refund, which tx has locked. A refund that has ended
// stays as it is.
func (s *Service) applyReturn(tx *models.Tx, p *refundable, r *models.Refund, state psp.Return) (bool, error) {
	if r.EndedAt != nil {
		return false, nil
	}
	if r.BankReturnID == nil && state.ID != "" {
		r.BankReturnID = &state.ID
	}
	if r.ReturnID == nil && state.RtrID != "" {
		r.ReturnID = &state.RtrID
	}
	now := s.now()
	switch {
	case money.Cents(state.Amount) != r.Amount:
		s.askAgain(r, "the bank has another amount")
	case state.Status == psp.TransferDone:
		r.Status, r.EndedAt, r.NextTryAt, r.Failure = models.RefundCompleted, &now, nil, ""
		return s.tellRefunded(tx, p, r)
	case state.Status == psp.TransferRefused:
		r.Status, r.EndedAt, r.NextTryAt, r.Failure = models.RefundFailed, &now, nil, state.Reason
		if err := undoRefund(tx, p, r, now); err != nil {
			return false, err
		}
		return false, s.raiseDisputes(tx, p, r)
	case state.Status == psp.TransferProcessing:
		r.Status = models.RefundProcessing
		s.askAgain(r, "")
	default:
		s.askAgain(r, "the bank says "+state.RawStatus)
	}
	return false, nil
}

// tellRefunded writes the event checkout.refunded, if an endpoint subscribes to it.
func (s *Service) tellRefunded(tx *models.Tx, p *refundable, r *models.Refund) (queued bool, err error) {
	scope := models.Scope{ProjectID: p.checkout.ProjectID, Environment: r.Environment}
	wanted, err := models.EndpointsWant(tx, scope, models.EventCheckoutRefunded)
	if err != nil || !wanted {
		return false, err
	}
	s.OpenDocument(&p.checkout.Checkout)
	id, now := models.NewEventID(), s.now()
	return models.InsertEvents(tx, models.Event{
		ID: id, ProjectID: scope.ProjectID, Environment: scope.Environment, Type: models.EventCheckoutRefunded,
		CheckoutID: p.checkout.ID, RefundID: r.ID, CreatedAt: now,
		Body: payload.AppendRefundEvent(nil, id, models.EventCheckoutRefunded, now, &p.checkout.Checkout, r,
			s.CheckoutURL),
	})
}

// recordReturns writes what a bank says of the returns of a Pix that is recorded. Returns that were
// not asked for here, such as one made in the bank's app, become refunds: the buyer has the money already.
func (s *Service) recordReturns(ctx context.Context, received psp.Payment) error {
	var failed []error
	for _, state := range received.Returns {
		err := models.UntilAnswered(ctx, func() error {
			return s.commit(ctx, s.DB.InTx, func(tx *models.Tx) (bool, error) {
				return s.recordReturn(tx, received, state)
			})
		})
		if err != nil {
			failed = append(failed, fmt.Errorf("payments: record the return %s: %w", state.ID, err))
		}
	}
	return errors.Join(append(failed, s.recordExceptionReturns(ctx, received.EndToEndID, received.Returns))...)
}

func (s *Service) recordReturn(tx *models.Tx, received psp.Payment, state psp.Return) (queued bool, err error) {
	if state.Disputed() {
		return s.recordDebit(tx, received, state)
	}
	paymentID, err := models.SettlingPayment(tx, models.Live, received.EndToEndID)
	if errors.Is(err, models.ErrNotFound) {
		return s.recordAcceptedReturn(tx, received.EndToEndID, state)
	} else if err != nil {
		return false, err
	}
	p, err := s.refundable(tx, paymentID)
	if err != nil {
		return false, err
	}
	r, err := s.bookedReturn(tx, paymentID, state)
	if errors.Is(err, models.ErrNotFound) {
		return s.findReturn(tx, p, received, state)
	}
	if err != nil || r.EndedAt != nil {
		return false, err
	}
	if queued, err = s.applyReturn(tx, p, r, state); err != nil {
		return false, err
	}
	return queued, models.SaveRefund(tx, r)
}

// bookedReturn returns the refund that has booked a return of a payment that tx has locked, or ErrNotFound. A
// refund that staff noted with an id of the return is the return's from now on. One that failed has not booked a
// return that the bank made nevertheless: the account has its money again.
func (s *Service) bookedReturn(tx *models.Tx, paymentID string, state psp.Return) (*models.Refund, error) {
	r, err := models.RefundAtBank(tx, paymentID, state.ID, state.RtrID)
	switch {
	case err != nil || state.Status != psp.TransferDone:
	case r.Status == models.RefundFailed:
		err = models.ErrNotFound
	case r.Noted():
		err = s.claimNoted(tx, r, state)
	}
	return r, err
}

// findReturn books a return that no refund has booked by its ids. Staff may have noted it before they knew the ids:
// a note of its amount that no other return has claimed is the return's, so that one return is not booked twice.
func (s *Service) findReturn(tx *models.Tx, p *refundable, received psp.Payment, state psp.Return) (bool, error) {
	if state.Status != psp.TransferDone {
		return false, nil // it moves nothing yet, or never did
	}
	amount := money.Cents(state.Amount)
	noted, err := models.NotedRefund(tx, p.ID, amount, idsOfOthers(received, state))
	switch {
	case err == nil:
		return false, s.claimNoted(tx, noted, state)
	case !errors.Is(err, models.ErrNotFound):
		return false, err
	case p.refunded.Sum+amount > p.Amount:
		return false, s.doubtReturn(tx, p, state)
	}
	return s.adoptReturn(tx, p, state)
}

// idsOfOthers returns the ids of the returns of a Pix but one.
func idsOfOthers(received psp.Payment, state psp.Return) (ids []string) {
	for _, other := range received.Returns {
		if other.ID != state.ID {
			ids = append(ids, other.ID, other.RtrID)
		}
	}
	return ids
}

// doubtReturn logs a return that would give back more than was paid: a refund in the books was not made at the bank.
// If one is under way that may be it, and the bank's list is read again until it has ended.
func (s *Service) doubtReturn(tx *models.Tx, p *refundable, state psp.Return) error {
	err := fmt.Errorf("payments: the bank gave %s of %s back by the return %s, and by the books only %s are left",
		money.Cents(state.Amount).Decimal(), p.ID, state.ID, (p.Amount - p.refunded.Sum).Decimal())
	if p.refunded.UnderWay {
		return err
	}
	ctx := tx.Context()
	tx.AfterCommit(func() { s.DB.LogFailure(ctx, "record a return", err) })
	return nil
}

// claimNoted writes to a refund that staff noted which return of the bank it is. The audit log keeps what staff wrote.
func (s *Service) claimNoted(tx *models.Tx, r *models.Refund, state psp.Return) error {
	detail := map[string]string{"payment": r.PaymentID, "amount": r.Amount.Decimal(), "return": state.ID}
	if r.ReturnID != nil {
		detail["noted"] = *r.ReturnID
	}
	if r.BankReturnID = &state.ID; state.RtrID != "" {
		r.ReturnID = &state.RtrID
	}
	if err := models.FreeReturn(tx, r); err != nil {
		return err
	}
	if err := models.SaveRefund(tx, r); err != nil {
		return err
	}
	return s.audit(tx, system, r.AccountID, "payment.refund_matched", r.ID, detail)
}

// adoptReturn books a return that was made at the bank. Available money may fall below zero for it without
// a bound, because the money has left.
func (s *Service) adoptReturn(tx *models.Tx, p *refundable, state psp.Return) (queued bool, err error) {
	if state.Status != psp.TransferDone {
		return false, nil // it moves nothing yet, or never did
	}
	return s.adoptRefund(tx, p, newlyFound(p, state, s.now()))
}

// newlyFound returns the refund of a return that was found at the bank.
func newlyFound(p *refundable, state psp.Return, now time.Time) *models.Refund {
	r := &models.Refund{
		ID: models.NewRefundID(), PaymentID: p.ID, Status: models.RefundCompleted, Origin: models.RefundByBank,
		Amount: money.Cents(state.Amount), Reason: "Devolução feita no banco", BankReturnID: &state.ID, CreatedAt: now,
		EndedAt: &now,
	}
	if state.RtrID != "" {
		r.ReturnID = &state.RtrID
	}
	return r
}

func (s *Service) adoptRefund(tx *models.Tx, p *refundable, r *models.Refund) (queued bool, err error) {
	if err := models.FreeReturn(tx, r); err != nil {
		return false, err
	}
	if _, err := s.takeForRefund(tx, p, r); err != nil {
		return false, err
	}
	if err := postRefund(tx, p, r); err != nil {
		return false, err
	}
	if err := s.audit(tx, system, p.AccountID, "payment.refund_found", r.ID,
		map[string]string{"payment": p.ID, "amount": r.Amount.Decimal(), "origin": string(r.Origin)}); err != nil {
		return false, err
	}
	if !p.Settles { // an exception's money: the checkout was paid by another payment, or by none
		return false, models.ForgetReturnDoubt(tx, p.ID)
	}
	return s.tellRefunded(tx, p, r)
}

// SimulateRefunds does what the simulator's bank does with refunds: after two seconds it gives the money
// back, or refuses it if the amount ends in 67 centavos.
func (s *Service) SimulateRefunds(ctx context.Context) error {
	due, err := models.ClaimRefunds(ctx, s.DB.Pool, nil, s.now().Add(-refundedAfter), bankLease, settleBatch)
	if err != nil {
		return fmt.Errorf("payments: find simulated refunds: %w", err)
	}
	return errors.Join(each("simulate a refund", len(due), refundsAtOnce, func(i int) error {
		state := psp.Return{ID: bankReturnID(due[i].ID), Status: psp.TransferDone, Amount: int64(due[i].Amount),
			RtrID: simulatedReturnID(due[i].ID, s.now())}
		if due[i].Amount%100 == refusedCents {
			state.Status, state.RtrID, state.Reason = psp.TransferRefused, "", "Recusada pelo simulador"
		}
		return s.heedReturn(ctx, &due[i], state)
	})...)
}

// simulatedReturnID returns an id as the payment system assigns it to a return (BACEN, SPI): D, the
// institution, the minute and eleven characters.
func simulatedReturnID(refundID string, at time.Time) string {
	return "D00000000" + at.UTC().Format("200601021504") + refundID[len(refundID)-11:]
}
