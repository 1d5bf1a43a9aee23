package payments

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"garoupa/internal/input"
	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/models"
)

// answerWithin is how long an account has to answer a dispute if the bank does not say it.
const answerWithin = 5 * 24 * time.Hour

// ErrContested is the cause of the refusal of a refund while the payer contests the payment.
var ErrContested = errors.New("payments: the payer contests the payment")

var (
	contestedNow = refusal.New(refusal.RefundNotPossible, "The payer contests this payment, and the bank may take the "+
		"money back. It can be refunded once the dispute is closed.").Because(ErrContested)
	noDispute = refusal.New(refusal.NotFound, "No dispute has this id.")
)

// contested is a payment that its payer contests, locked with its checkout and its disputes.
type contested struct {
	*models.ContestablePayment
	checkout *models.LockedCheckout // nil if the payment was for none
	refunded models.Refunded
	disputes []models.Dispute // oldest first
}

// contested locks a payment, whether it paid its checkout or not. It fails with models.ErrNotFound.
func (s *Service) contested(tx *models.Tx, paymentID string) (*contested, error) {
	c := &contested{}
	checkoutID, err := models.CheckoutMeant(tx, paymentID)
	if err == nil && checkoutID != nil {
		c.checkout, err = models.LockCheckoutByID(tx, *checkoutID)
	}
	if err == nil {
		c.ContestablePayment, err = models.LockContestable(tx, paymentID)
	}
	if err == nil {
		c.refunded, err = models.RefundedOf(tx, paymentID)
	}
	if err == nil {
		c.disputes, err = models.LockDisputes(tx, paymentID)
	}
	return c, err
}

// refundable returns the contested payment in the form that the refund functions take.
func (c *contested) refundable() *refundable {
	return &refundable{checkout: c.checkout, refunded: c.refunded,
		ReceivedPayment: &models.ReceivedPayment{Payment: c.Payment, AccountID: c.AccountID, Own: c.Own}}
}

// of returns the dispute with an id, or nil.
func (c *contested) of(id string) *models.Dispute {
	for i := range c.disputes {
		if c.disputes[i].ID == id {
			return &c.disputes[i]
		}
	}
	return nil
}

// held returns what is blocked for the disputes of the payment.
func (c *contested) held() (sum money.Cents) {
	for i := range c.disputes {
		sum += c.disputes[i].Held()
	}
	return sum
}

// uncontested refuses to move a payment's money while a dispute of it is open, or has money blocked. The
// caller has locked the payment or its exception.
func uncontested(tx *models.Tx, paymentID string) error {
	disputes, err := models.LockDisputes(tx, paymentID)
	if err != nil {
		return fmt.Errorf("read the disputes: %w", err)
	}
	for i := range disputes {
		if disputes[i].Bars() {
			return contestedNow
		}
	}
	return nil
}

// NewDispute is a dispute that a bank reported on its portal and that staff enter by hand.
type NewDispute struct {
	PaymentID string
	BankRef   string      // the bank's id of it: 1 to 64 printable characters
	Amount    money.Cents // contested; 0 is the whole payment
	Cause     string      // in the bank's words, up to 200 characters
	AnswerBy  time.Time
}

// OpenDispute opens a dispute by hand. The amount is blocked, also if the account does not have it: its
// available money falls below zero. What was refunded already is not blocked, nor money that no account was
// credited with. An id that the bank account has already returns its dispute. For staff who are not members
// of the account. Refusals: PaymentNotFound, Forbidden, InvalidAmount, ProofRequired (the bank's id),
// ReasonRequired (the cause), WrongState (the deadline is over, or a dispute of the payment is open).
func (s *Service) OpenDispute(ctx context.Context, by models.Actor, in NewDispute) (d *models.Dispute, err error) {
	in.BankRef, in.Cause = input.TrimLine(in.BankRef), input.TrimLine(in.Cause)
	switch {
	case in.Amount < 0:
		return nil, refusal.New(refusal.InvalidAmount, "amount must be more than 0.00.")
	case !input.Length(in.BankRef, 1, 64) || !input.Plain(in.BankRef) || strings.Contains(in.BankRef, "/"):
		return nil, refusal.New(refusal.ProofRequired, "The bank's id must have 1 to 64 characters, and no slash.")
	case !input.Length(in.Cause, 1, 200) || !input.Plain(in.Cause):
		return nil, refusal.New(refusal.ReasonRequired, "The cause must have 1 to 200 characters.")
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		c, err := s.contested(tx, in.PaymentID)
		if errors.Is(err, models.ErrNotFound) {
			return refusal.New(refusal.PaymentNotFound, "No payment has this id.").Because(err)
		} else if err != nil {
			return err
		}
		if err := staff(tx, by, models.Matter{AccountID: c.AccountID, Since: c.RecordedAt}); err != nil {
			return err
		}
		d, err = s.openByHand(tx, by, c, in)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("payments: open a dispute of %s: %w", in.PaymentID, err)
	}
	return d, nil
}

func (s *Service) openByHand(tx *models.Tx, by models.Actor, c *contested, in NewDispute) (*models.Dispute, error) {
	if in.Amount == 0 {
		in.Amount = c.Amount
	}
	earlier, err := models.DisputeByRef(tx, c.BankAccountID, in.BankRef)
	switch {
	case err == nil && earlier.PaymentID == c.ID:
		return earlier, nil
	case err == nil:
		return nil, refusal.New(refusal.ProofTaken, "Another payment's dispute has this id.")
	case !errors.Is(err, models.ErrNotFound):
		return nil, err
	case in.Amount > c.Amount:
		return nil, refusal.New(refusal.InvalidAmount, "More is contested than was paid.")
	case !in.AnswerBy.After(s.now()):
		return nil, refusal.New(refusal.WrongState, "The deadline is over.")
	case c.Environment != models.Live:
		return nil, refusal.New(refusal.WrongState, "Only live payments can be contested.")
	}
	for _, d := range c.disputes {
		if !d.Status.Final() {
			return nil, refusal.New(refusal.WrongState, "A dispute of this payment is open already.")
		}
	}
	d := &models.Dispute{BankRef: in.BankRef, Cause: in.Cause, Amount: in.Amount, Status: models.DisputeOpen,
		AnswerBy: in.AnswerBy, OpenedBy: &by.UserID, OpenedAt: s.now()}
	return d, s.openDispute(tx, by, c, d)
}

// openDispute writes a dispute, blocks its money if it is not closed, and tells people.
func (s *Service) openDispute(tx *models.Tx, by models.Actor, c *contested, d *models.Dispute) (err error) {
	d.ID, d.PaymentID, d.Environment, d.BankAccountID = models.NewDisputeID(), c.ID, c.Environment, c.BankAccountID
	d.EndToEndID, d.CheckoutID, d.Paid, d.CreatedAt = c.EndToEndID, c.CheckoutID, c.Amount, s.now()
	if c.AccountID != "" {
		d.AccountID = &c.AccountID
	}
	if c.Credited() && !c.Own && !d.Status.Final() { // a merchant's own bank holds its money back by itself
		d.Blocked = max(0, min(d.Amount, c.Amount-c.refunded.Sum-c.held()))
	}
	if d.Blocked > 0 {
		if d.Short, _, err = ledger.Shortfall(tx, c.AccountID, c.Environment, d.Blocked); err != nil {
			return err
		}
	}
	if err := models.InsertDispute(tx, d); err != nil {
		return err
	}
	if d.Blocked > 0 {
		err := ledger.Post(tx, d.CreatedAt, ledger.Posting{Fact: "dispute/" + d.ID, Transfers: []ledger.Transfer{{
			From: ledger.Account(c.AccountID, c.Environment, ledger.Available),
			To:   ledger.Account(c.AccountID, c.Environment, ledger.Blocked), Amount: d.Blocked}}})
		if err != nil {
			return err
		}
	}
	c.disputes = append(c.disputes, *d)
	if err := s.auditDispute(tx, by, d, "opened"); err != nil || d.Status.Final() {
		return err
	}
	return s.tellOfDispute(tx, d, false, d.ID)
}

// auditDispute writes what happened to a dispute into the audit log.
func (s *Service) auditDispute(tx *models.Tx, by models.Actor, d *models.Dispute, what string) error {
	account := ""
	if d.AccountID != nil {
		account = *d.AccountID
	}
	detail := map[string]string{"payment": d.PaymentID, "amount": d.Amount.Decimal(), "ref": d.BankRef}
	if d.CloseReason != nil {
		detail["reason"] = *d.CloseReason
	}
	return s.audit(tx, by, account, "dispute."+what, d.ID, detail)
}

// CloseDispute closes a dispute that the bank rejected or its payer withdrew: it is WON, and what is blocked
// is released. Of a dispute that is LOST, it releases what is still blocked, because the bank takes no more.
// The bank's debit closes a dispute by itself. For staff who are not members of the account. Refusals:
// NotFound, Forbidden, WrongState (nothing is left to close), ReasonRequired.
func (s *Service) CloseDispute(ctx context.Context, by models.Actor, id, reason string) (d *models.Dispute, err error) {
	if reason, err = checkReason(reason); err != nil {
		return nil, err
	}
	return s.inDispute(ctx, "close", id, func(tx *models.Tx, c *contested, d *models.Dispute) error {
		if err := staff(tx, by, models.Matter{AccountID: c.AccountID, Since: d.CreatedAt}); err != nil {
			return err
		}
		if !d.Bars() {
			return refusal.New(refusal.WrongState, "The dispute was closed already.")
		}
		d.ClosedBy, d.CloseReason = &by.UserID, &reason
		return s.endDispute(tx, by, d)
	})
}

// endDispute ends a dispute in favor of the account, unless the bank has taken money for it, and makes what is
// blocked for it available.
func (s *Service) endDispute(tx *models.Tx, by models.Actor, d *models.Dispute) error {
	now, what := s.now(), "released"
	if !d.Status.Final() {
		d.Status, d.ClosedAt, what = models.DisputeWon, &now, "won"
	}
	rest := d.Held()
	d.Released += rest
	if err := models.SaveDispute(tx, d); err != nil {
		return err
	}
	if rest > 0 {
		_, err := ledger.Spend(tx, *d.AccountID, d.Environment, "dispute/"+d.ID+"/released", now, ledger.Transfer{
			From: ledger.Account(*d.AccountID, d.Environment, ledger.Blocked),
			To:   ledger.Account(*d.AccountID, d.Environment, ledger.Available), Amount: rest})
		if err != nil {
			return err
		}
	}
	return s.auditDispute(tx, by, d, what)
}

// inDispute runs fn in a transaction that has locked a dispute with its payment. It returns the dispute as
// fn left it. The refusal is NotFound.
func (s *Service) inDispute(ctx context.Context, what, id string,
	fn func(tx *models.Tx, c *contested, d *models.Dispute) error) (d *models.Dispute, err error) {
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		paymentID, err := models.PaymentOfDispute(tx, id)
		if errors.Is(err, models.ErrNotFound) {
			return noDispute.Because(err)
		} else if err != nil {
			return err
		}
		c, err := s.contested(tx, paymentID)
		if err != nil {
			return err
		}
		d = c.of(id)
		return fn(tx, c, d)
	})
	if err != nil {
		return nil, fmt.Errorf("payments: %s dispute %s: %w", what, id, err)
	}
	return d, nil
}
