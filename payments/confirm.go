package payments

import (
	"context"
	"fmt"
	"time"

	"garoupa/ledger"
	"garoupa/models"
	"garoupa/money"
	"garoupa/pix/psp"
)

// Receipts that arrive at the same time share commits: at most so many each, each
// holding its checkout, and so many commits at once.
const (
	receiptsTogether = 64
	receiptCommits   = 2
)

// receipt is a Pix that an institution received.
type receipt struct {
	psp.Payment
	livemode    bool
	whenPending bool // it is sent to a pending checkout or not at all: the simulator's
}

func (r receipt) charge() models.Charge { return models.Charge{Livemode: r.livemode, TxID: r.TxID} }

// ConfirmPayment records a Pix that the environment's institution received. If it
// pays its checkout, the checkout turns PAID, the amount less the fee becomes
// pending balance, and checkout.paid goes out. Money that pays nothing (a wrong
// amount, a second payment, an unknown charge, one after the expiry) is booked
// all the same and opens an exception. Institutions repeat themselves: a payment
// with a known EndToEndID changes nothing. If ctx ends first, it may be recorded all
// the same.
func (s *Service) ConfirmPayment(ctx context.Context, livemode bool, received psp.Payment) error {
	if _, err := s.receipts.Add(ctx, receipt{Payment: received, livemode: livemode}); err != nil {
		return fmt.Errorf("payments: confirm %s: %w", received.EndToEndID, err)
	}
	return nil
}

// record writes receipts in one transaction. It returns the status in which each found
// its checkout, "" if it found none.
func (s *Service) record(ctx context.Context, receipts []receipt) (found []models.CheckoutStatus, err error) {
	err = s.commit(ctx, func(tx *models.Tx) (queued bool, err error) {
		found = make([]models.CheckoutStatus, len(receipts))
		for _, places := range rounds(receipts) {
			told, err := s.recordRound(tx, receipts, places, found)
			if err != nil {
				return false, err
			}
			queued = queued || told
		}
		return queued, nil
	})
	return found, err
}

// rounds groups the places of receipts so that a charge has one in each group: the next
// finds what that made of the checkout.
func rounds(receipts []receipt) (groups [][]int) {
	seen := map[models.Charge]int{}
	for i, r := range receipts {
		n := seen[r.charge()]
		if seen[r.charge()]++; n == len(groups) {
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], i)
	}
	return groups
}

// recordRound writes the receipts at some places, each of another charge.
func (s *Service) recordRound(tx *models.Tx, receipts []receipt, places []int, found []models.CheckoutStatus) (queued bool, err error) {
	charges := make([]models.Charge, len(places))
	for i, place := range places {
		charges[i] = receipts[place].charge()
	}
	held, err := models.LockCheckoutsByCharge(tx, charges)
	if err != nil {
		return false, fmt.Errorf("lock the checkouts: %w", err)
	}
	now := s.now()
	var payments []models.Payment
	for _, place := range places {
		r := receipts[place]
		c := held[r.charge()]
		if c != nil {
			found[place] = c.Status
		}
		if !r.whenPending || found[place] == models.CheckoutPending {
			payments = append(payments, r.payment(c, now))
		}
	}
	written, err := models.InsertPayments(tx, payments)
	if err != nil {
		return false, fmt.Errorf("insert payments: %w", err)
	}
	return s.book(tx, held, payments, written, now)
}

// payment is the receipt as it is kept, for the checkout that it found, which may be
// none.
func (r receipt) payment(c *models.LockedCheckout, now time.Time) models.Payment {
	p := models.Payment{
		ID: models.NewPaymentID(), Livemode: r.livemode, EndToEndID: r.EndToEndID, TxID: r.TxID,
		Amount: money.Cents(r.Amount), PaidAt: r.PaidAt.UTC(), RecordedAt: now,
	}
	if c != nil {
		p.CheckoutID = &c.ID
	}
	if p.Settles = exception(c, &p) == ""; p.Settles {
		p.Fee = c.Fee.Of(p.Amount)
	}
	return p
}

// exception says why the payment does not pay c, or "" if it does (decisions, 4).
// A checkout that was given up may still be paid by money sent in time.
func exception(c *models.LockedCheckout, p *models.Payment) models.ExceptionKind {
	switch {
	case c == nil:
		return models.ExceptionUnmatched
	case c.Status == models.CheckoutPaid:
		return models.ExceptionDuplicate
	case p.Amount < c.Amount:
		return models.ExceptionUnderpaid
	case p.Amount > c.Amount:
		return models.ExceptionOverpaid
	case c.Status != models.CheckoutPending && p.PaidAt.After(c.ExpiresAt):
		return models.ExceptionLate
	}
	return ""
}

// book moves the money of the payments that were written, and turns the checkouts PAID
// that they pay.
func (s *Service) book(tx *models.Tx, held map[models.Charge]*models.LockedCheckout, payments []models.Payment, written map[string]bool, now time.Time) (queued bool, err error) {
	var postings []ledger.Posting
	var paid []models.LockedCheckout
	for i := range payments {
		p := &payments[i]
		if !written[p.ID] {
			continue
		}
		c := held[models.Charge{Livemode: p.Livemode, TxID: p.TxID}]
		postings = append(postings, posting(c, p))
		if p.Settles {
			c.PaidAt = &p.PaidAt
			paid = append(paid, *c)
		} else if err := models.InsertException(tx, p.ID, exception(c, p), now); err != nil {
			return false, fmt.Errorf("open an exception: %w", err)
		}
	}
	if err := ledger.Post(tx, now, postings...); err != nil {
		return false, err
	}
	return s.transition(tx, models.CheckoutPaid, models.EventCheckoutPaid, paid...)
}

func posting(c *models.LockedCheckout, p *models.Payment) ledger.Posting {
	transfers := []ledger.Transfer{{From: ledger.Clearing(p.Livemode), To: ledger.Suspense(p.Livemode), Amount: p.Amount}}
	if p.Settles {
		pending := ledger.Account(c.AccountID, p.Livemode, ledger.Pending)
		transfers = []ledger.Transfer{
			{From: ledger.Clearing(p.Livemode), To: pending, Amount: p.Amount},
			{From: pending, To: ledger.Fees(p.Livemode), Amount: p.Fee},
		}
	}
	return ledger.Posting{Fact: "payment/" + p.ID, Transfers: transfers}
}
