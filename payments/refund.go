package payments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/models"
)

// RefundableFor is how long after its payment a Pix can be returned (BACEN, Regulamento do Pix).
const RefundableFor = 90 * 24 * time.Hour

// NewRefund is a refund to a buyer.
type NewRefund struct {
	PaymentID string
	Amount    money.Cents
	Reason    string
	ReturnID  string // the institution's id of the return, "" if there is none
	Seen      int    // the number of the payment's refunds that the caller saw
}

// RefundPayment records that money of a payment without a bank was returned to its buyer, in full or in
// part. For a payment at a bank it asks the bank for that. The money comes from what is pending of the payment,
// and the rest from the account's available money, which may fall below zero by the payment's fee: the fee is
// not returned. For staff who are not members of the account, and who saw all of the payment's refunds: of
// several people who saw the same refunds, only one can record the next. Refusals: PaymentNotFound (also
// for a payment that paid no checkout), Forbidden, ChangedMeanwhile, InvalidAmount, InsufficientBalance,
// RefundNotPossible (because of ErrNotAsked, for a closed account without an id), ReasonRequired, ProofRequired,
// ProofTaken.
func (s *Service) RefundPayment(ctx context.Context, by models.Actor, in NewRefund) (*models.Refund, error) {
	reason, err := checkReason(in.Reason)
	if err != nil {
		return nil, err
	}
	returnID, err := checkReturnID(in.ReturnID)
	if err != nil {
		return nil, err
	}
	if in.Amount <= 0 {
		return nil, refusal.New(refusal.InvalidAmount, "amount must be more than 0.00.")
	}
	r := &models.Refund{
		ID: models.NewRefundID(), PaymentID: in.PaymentID, Origin: models.RefundByStaff, Amount: in.Amount,
		Reason: reason, ReturnID: returnID, CreatedBy: &by.UserID, CreatedAt: s.now(),
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		p, err := s.refundable(tx, in.PaymentID)
		if err != nil {
			return err
		}
		if err := staff(tx, by, models.Matter{AccountID: p.AccountID, Since: p.RecordedAt}); err != nil {
			return err
		}
		if err := unchanged(in.Seen, p.refunded.Count); err != nil {
			return err
		}
		if err := unbookedOf(tx, p, r.ReturnID); err != nil {
			return err
		}
		if r.Status = models.RefundRequested; p.BankAccountID == nil || returnID != nil {
			r.Status, r.EndedAt = models.RefundCompleted, &r.CreatedAt
		}
		if err := s.bookRefund(tx, p, r); err != nil {
			return err
		}
		return s.audit(tx, by, p.AccountID, "payment.refunded", r.ID,
			map[string]string{"payment": p.ID, "amount": r.Amount.Decimal(), "reason": r.Reason})
	})
	if err != nil {
		return nil, fmt.Errorf("payments: refund %s: %w", in.PaymentID, refundViolation(err))
	}
	return r, nil
}

// unbookedOf is unbooked, and also refuses the bank's own id of a return of the payment that a refund has booked.
func unbookedOf(tx *models.Tx, p *refundable, returnID *string) error {
	if returnID == nil {
		return nil
	}
	r, err := models.RefundAtBank(tx, p.ID, *returnID, *returnID)
	switch {
	case err == nil && r.Status != models.RefundFailed:
		return returnBooked
	case err != nil && !errors.Is(err, models.ErrNotFound):
		return err
	}
	return unbooked(tx, p.Environment, returnID)
}

// refundViolation returns the refusal for a constraint that a concurrent refund made a refund violate.
func refundViolation(err error) error {
	switch {
	case models.Violates(err, models.RefundsWithinPayment):
		return beyondPayment.Because(err)
	case models.Violates(err, models.RefundsReturnIDUnique):
		return returnBooked.Because(err)
	}
	return err
}

// ErrNotAsked is the cause of the refusal of a refund, or of an exception's return, of a payment whose institution is
// not asked any more, as that of a bank account that is closed.
var ErrNotAsked = errors.New("payments: the institution that received the payment is not asked any more")

var notAskedAnyMore = refusal.New(refusal.RefundNotPossible, "The institution that received this payment cannot be "+
	"asked any more. The installation's staff can refund it.").Because(ErrNotAsked)

// StillAsked reports whether the institution that received a payment can still be asked to give it back.
func (s *Service) StillAsked(environment models.Environment, p *models.CheckoutPayment) bool {
	if p.BankStatus == nil {
		return s.simulated(environment)
	}
	return *p.BankStatus != models.BankAccountClosed
}

var beyondPayment = refusal.New(refusal.InvalidAmount, "More would go back than was paid.")

// refundable is a payment whose checkout and row are locked, with what was refunded of it.
type refundable struct {
	*models.ReceivedPayment
	checkout *models.LockedCheckout
	refunded models.Refunded
}

// unsettled returns what of the payment is still pending.
func (p *refundable) unsettled() money.Cents {
	if p.checkout == nil {
		return 0
	}
	return unsettled(&p.Payment, p.checkout.SettlementStatus, p.refunded.FromPending)
}

// Unsettled returns what of a payment is still pending after its refunds, from which a further refund is taken
// first.
func Unsettled(p *models.Payment, status models.SettlementStatus, refunds []models.Refund) money.Cents {
	var fromPending money.Cents
	for _, r := range refunds {
		fromPending += r.FromPending - r.BackToPending
	}
	return unsettled(p, status, fromPending)
}

func unsettled(p *models.Payment, status models.SettlementStatus, fromPending money.Cents) money.Cents {
	if !p.Settles || status != models.SettlementPending {
		return 0
	}
	return p.Amount - p.Fee - fromPending
}

// refundable locks a payment that paid its checkout: first the checkout, so that a settlement is before or
// after the refund. The refusal is PaymentNotFound.
func (s *Service) refundable(tx *models.Tx, paymentID string) (*refundable, error) {
	checkoutID, err := models.CheckoutOfPayment(tx, paymentID)
	if err == nil {
		p := &refundable{}
		if p.checkout, err = models.LockCheckoutByID(tx, checkoutID); err == nil {
			if p.ReceivedPayment, err = models.LockPayment(tx, paymentID); err == nil {
				p.refunded, err = models.RefundedOf(tx, paymentID)
				return p, err
			}
		}
	}
	if errors.Is(err, models.ErrNotFound) {
		err = refusal.New(refusal.PaymentNotFound, "No checkout was paid by this payment.").Because(err)
	}
	return nil, err
}

// bookRefund writes a refund that is asked for here, and moves its money.
func (s *Service) bookRefund(tx *models.Tx, p *refundable, r *models.Refund) error {
	if err := uncontested(tx, p.ID); err != nil {
		return err
	}
	if p.refunded.Sum+r.Amount > p.Amount {
		return beyondPayment
	}
	switch {
	case r.Status != models.RefundRequested:
	case s.now().After(p.PaidAt.Add(RefundableFor)):
		return refusal.New(refusal.RefundNotPossible, "A Pix can be returned for 90 days; this one is older.")
	case p.BankAccountID == nil && !s.simulated(p.Environment):
		return notAskedAnyMore
	}
	if err := bankStillAsked(tx, p, r); err != nil {
		return err
	}
	before, err := s.takeForRefund(tx, p, r)
	if err != nil {
		return err
	}
	if p.refunded.Short+r.Short > p.Fee {
		return insufficient(before)
	}
	return postRefund(tx, p, r)
}

// bankStillAsked refuses a refund that would be asked of a bank account that is closed, and keeps the account
// from being closed until tx ends.
func bankStillAsked(tx *models.Tx, p *refundable, r *models.Refund) error {
	if r.Status != models.RefundRequested || p.BankAccountID == nil {
		return nil
	}
	status, err := models.ShareBankAccount(tx, *p.BankAccountID)
	if err == nil && status == models.BankAccountClosed {
		err = notAskedAnyMore
	}
	return err
}

// takeForRefund decides where the amount of a refund comes from, and locks the account's books if it needs
// more than what is pending of the payment.
func (s *Service) takeForRefund(tx *models.Tx, p *refundable, r *models.Refund) (before models.Balance, err error) {
	r.AccountID, r.Environment, r.Number = p.AccountID, p.Environment, p.refunded.Count+1
	if r.EndToEndID = p.EndToEndID; p.checkout != nil {
		r.CheckoutID, r.ProjectID = p.checkout.ID, p.checkout.ProjectID
	}
	r.BankAccountID = p.BankAccountID
	if r.Origin != models.RefundByDispute || p.Own {
		r.FromPending = min(r.Amount, p.unsettled())
	}
	if p.Own {
		r.FromPaidOut = r.Amount - r.FromPending // its bank has it, whatever the account's books hold
	} else if r.Amount > r.FromPending {
		r.Short, before, err = ledger.Shortfall(tx, r.AccountID, r.Environment, r.FromAvailable())
	}
	if r.Status == models.RefundRequested {
		r.NextTryAt = &r.CreatedAt
	}
	return before, err
}

// postRefund writes a refund whose amounts are decided, and its postings.
func postRefund(tx *models.Tx, p *refundable, r *models.Refund) error {
	if err := models.InsertRefund(tx, r); err != nil {
		return err
	}
	to, pending := ledger.Refunds(r.Environment), ledger.Account(r.AccountID, r.Environment, ledger.Pending)
	err := ledger.Post(tx, r.CreatedAt, ledger.Posting{Fact: "refund/" + r.ID, Transfers: []ledger.Transfer{
		{From: ledger.PaidOut(r.Environment), To: pending, Amount: r.FromPaidOut},
		{From: pending, To: to, Amount: r.FromPending + r.FromPaidOut},
		{From: ledger.Account(r.AccountID, r.Environment, ledger.Available), To: to, Amount: r.FromAvailable()},
		{From: ledger.Account(r.AccountID, r.Environment, ledger.Blocked), To: to, Amount: r.FromBlocked},
	}})
	if err != nil || p.Own || r.Amount == r.FromPending {
		return err
	}
	return models.AddUncovered(tx, r.AccountID, r.Environment, r.Amount-r.FromPending)
}

// undoRefund gives a failed refund's money back to the account: what was pending becomes pending again,
// unless the checkout was settled meanwhile. Money at the merchant's own bank account never left it.
func undoRefund(tx *models.Tx, p *refundable, r *models.Refund, now time.Time) error {
	available := r.Amount
	if p.checkout.SettlementStatus == models.SettlementPending {
		r.BackToPending = r.FromPending
		available -= r.FromPending
	}
	if err := models.SaveRefund(tx, r); err != nil {
		return err
	}
	back, outside := available, money.Cents(0)
	if p.Own {
		back, outside = 0, available
	}
	if back > 0 {
		if _, _, err := ledger.Shortfall(tx, r.AccountID, r.Environment, 0); err != nil {
			return err
		}
		if err := models.AddUncovered(tx, r.AccountID, r.Environment, -back); err != nil {
			return err
		}
	}
	from, pending := ledger.Refunds(r.Environment), ledger.Account(r.AccountID, r.Environment, ledger.Pending)
	return ledger.Post(tx, now, ledger.Posting{Fact: "refund/" + r.ID + "/undone", Transfers: []ledger.Transfer{
		{From: from, To: pending, Amount: r.BackToPending + outside},
		{From: pending, To: ledger.PaidOut(r.Environment), Amount: outside},
		{From: from, To: ledger.Account(r.AccountID, r.Environment, ledger.Available), Amount: back},
	}})
}
