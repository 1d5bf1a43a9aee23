package payments

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"garoupa/internal/money"
	"garoupa/ledger"
	"garoupa/models"
	"garoupa/pix/psp"
)

const (
	// Receipts that arrive at the same time share commits. A commit has at most
	// receiptsTogether receipts, and locks their checkouts.
	receiptsTogether = 64
	receiptCommits   = 2
	// A receipt whose checkout is locked by another transaction is tried again after a
	// pause, which doubles each time, until heldWait is over. During a pause it uses no
	// connection. heldWait is shorter than a request's time.
	firstHeldPause, longestHeldPause = 5 * time.Millisecond, 500 * time.Millisecond
	heldWait                         = 8 * time.Second
)

// receipt is a Pix payment that an institution received.
type receipt struct {
	psp.Payment
	environment models.Environment
	whenPending bool    // applies only to a pending checkout; set for payments of the simulator
	bank        *string // the bank account that received it; nil for the simulator
	own         bool    // the bank account is a merchant's own
}

func (r receipt) charge() models.Charge {
	return models.Charge{Environment: r.environment, TxID: r.TxID}
}

func (r receipt) name() models.PaymentName {
	return models.PaymentName{Environment: r.environment, EndToEndID: r.EndToEndID}
}

// recorded is the result of a receipt.
type recorded struct {
	// found is the status in which the receipt found its checkout, "" without a checkout. If
	// the receipt is recorded again, found is the first status if that was PENDING.
	found models.CheckoutStatus
	// held means that another transaction has locked the checkout, and that nothing was
	// written.
	held bool
	// early means that the checkout is being created, and that nothing was written.
	early bool
}

// ConfirmPayment records a Pix payment that the environment's institution received. If it pays
// its checkout, the checkout becomes PAID, the amount minus the fee becomes pending balance,
// and checkout.paid is sent. Other money (a wrong amount, a second payment, an unknown charge,
// a payment after the expiry) is booked too, and opens an exception. Institutions repeat their
// notices: a payment with a known EndToEndID changes nothing. After an error, and if ctx ends
// first, the payment may or may not be recorded, and the institution repeats the notice. Tests call it for
// their institution; the program records what a bank received through TendBank, and what the simulator did
// through SimulatePayment and PayDue.
func (s *Service) ConfirmPayment(ctx context.Context, environment models.Environment, received psp.Payment) error {
	if _, err := s.receive(ctx, receipt{Payment: received, environment: environment}); err != nil {
		return fmt.Errorf("payments: confirm %s: %w", received.EndToEndID, err)
	}
	return nil
}

// receive records r together with other receipts that arrive, and returns the status in which
// it found r's checkout. While another transaction has locked the checkout, only r waits.
func (s *Service) receive(ctx context.Context, r receipt) (found models.CheckoutStatus, err error) {
	ctx, cancel := context.WithTimeout(ctx, heldWait)
	defer cancel()
	for pause := firstHeldPause; ; pause = min(2*pause, longestHeldPause) {
		done, err := s.receipts.Add(ctx, r)
		switch {
		case err == nil && done.early:
			return "", errEarly
		case err != nil || !done.held:
			return done.found, err
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("another transaction has locked the checkout: %w", ctx.Err())
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// record writes receipts in one transaction, except those whose checkouts another transaction
// has locked. It returns one outcome for each receipt.
func (s *Service) record(ctx context.Context, receipts []receipt) (outcomes []recorded, err error) {
	err = s.commit(ctx, s.DB.InBatchTx, func(tx *models.Tx) (queued bool, err error) {
		outcomes = make([]recorded, len(receipts))
		for _, places := range rounds(receipts) {
			told, err := s.recordRound(tx, receipts, places, outcomes)
			if err != nil {
				return false, err
			}
			queued = queued || told
		}
		return queued, nil
	})
	return outcomes, err
}

// rounds groups the indexes of receipts so that no charge is twice in a group. Receipts of a
// later group see what earlier groups did to the checkout.
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

// recordRound writes the receipts at some indexes, each of a different charge.
func (s *Service) recordRound(
	tx *models.Tx, receipts []receipt, places []int, outcomes []recorded,
) (queued bool, err error) {
	charges := make([]models.Charge, len(places))
	for i, place := range places {
		charges[i] = receipts[place].charge()
	}
	held, elsewhere, err := models.LockCheckoutsByCharge(tx, charges)
	if err != nil {
		return false, fmt.Errorf("lock the checkouts: %w", err)
	}
	for _, place := range places {
		if c := held[receipts[place].charge()]; c != nil {
			outcomes[place].found = c.Status
		}
		outcomes[place].held = elsewhere[receipts[place].charge()]
	}
	atBanks, err := lockBankCharges(tx, receipts, places, held, outcomes)
	if err != nil {
		return false, fmt.Errorf("lock the charges at banks: %w", err)
	}
	if err := recognize(tx, receipts, places, outcomes); err != nil {
		return false, err
	}
	now := s.now()
	var payments []models.Payment
	for _, place := range places {
		r, o := receipts[place], outcomes[place]
		if !o.held && !o.early && (!r.whenPending || o.found == models.CheckoutPending) {
			payments = append(payments, r.payment(held[r.charge()], now))
		}
	}
	if len(payments) == 0 {
		return false, nil
	}
	written, err := models.InsertPayments(tx, payments)
	if err != nil {
		return false, fmt.Errorf("insert payments: %w", err)
	}
	if err := payCharges(tx, atBanks, payments, written); err != nil {
		return false, fmt.Errorf("mark charges as paid: %w", err)
	}
	return s.book(tx, held, payments, written, now)
}

// recognize completes the outcomes of receipts that found no pending checkout. A receipt that
// applies only to a pending checkout may have paid it in an earlier commit whose answer was
// lost: then it found the checkout PENDING. A receipt without a checkout is held while another
// transaction writes the same payment.
func recognize(tx *models.Tx, receipts []receipt, places []int, outcomes []recorded) error {
	var late, unmatched []models.PaymentName
	for _, place := range places {
		r, o := receipts[place], outcomes[place]
		switch {
		case o.held, o.early:
		case o.found == "":
			unmatched = append(unmatched, r.name())
		case r.whenPending && o.found != models.CheckoutPending:
			late = append(late, r.name())
		}
	}
	known, err := models.RecordedPayments(tx, late)
	if err != nil {
		return fmt.Errorf("look up payments recorded before: %w", err)
	}
	taken, err := models.TakePaymentNames(tx, unmatched)
	if err != nil {
		return fmt.Errorf("lock payments without a checkout: %w", err)
	}
	for _, place := range places {
		switch o := &outcomes[place]; {
		case o.held, o.early:
		case o.found == "":
			o.held = !taken[receipts[place].name()]
		case known[receipts[place].name()]:
			o.found = models.CheckoutPending
		}
	}
	return nil
}

// payment returns the row for the receipt and the checkout that it found, which may be nil.
func (r receipt) payment(c *models.LockedCheckout, now time.Time) models.Payment {
	p := models.Payment{
		ID: models.NewPaymentID(), Environment: r.environment, EndToEndID: r.EndToEndID, TxID: r.TxID,
		Amount: money.Cents(r.Amount), PaidAt: r.PaidAt.UTC(), RecordedAt: now,
		BankAccountID: r.bank,
	}
	if c != nil {
		p.CheckoutID = &c.ID
	}
	if p.Settles = exception(c, &p) == ""; p.Settles && !r.own { // the installation has nothing of money elsewhere
		p.Fee = c.Fee.Of(p.Amount)
	}
	return p
}

// exception returns the reason why the payment does not pay c, or "" if it does
// (docs/rules.md, "Exceptions"). Money that was sent in time pays a checkout that has expired
// or was canceled in the meantime.
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
	case c.Status != models.CheckoutPending && late(c, p.PaidAt):
		return models.ExceptionLate
	}
	return ""
}

// late reports whether a payment at a time comes after the end of c: here, and at the bank by its own
// clock.
func late(c *models.LockedCheckout, paidAt time.Time) bool {
	return paidAt.After(c.ExpiresAt) && (c.PayableUntil == nil || paidAt.After(*c.PayableUntil))
}

// book posts the money of the new payments, and marks the checkouts that they pay as PAID.
func (s *Service) book(tx *models.Tx, held map[models.Charge]*models.LockedCheckout, payments []models.Payment,
	written map[string]bool, now time.Time) (queued bool, err error) {
	var postings []ledger.Posting
	var paid []models.LockedCheckout
	for i := range payments {
		p := &payments[i]
		if !written[p.ID] {
			continue
		}
		c := held[models.Charge{Environment: p.Environment, TxID: p.TxID}]
		postings = append(postings, posting(c, p))
		if p.Settles {
			c.PaidAt = &p.PaidAt
			paid = append(paid, *c)
		} else if err := models.InsertException(tx, p.ID, exception(c, p), now); err != nil {
			return false, fmt.Errorf("open an exception: %w", err)
		} else if c != nil {
			tx.AfterCommit(func() { s.Tell(c.ID) })
		}
	}
	if err := ledger.Post(tx, now, postings...); err != nil {
		return false, err
	}
	return s.transition(tx, models.CheckoutPaid, models.EventCheckoutPaid, paid...)
}

func posting(c *models.LockedCheckout, p *models.Payment) ledger.Posting {
	transfers := []ledger.Transfer{{From: ledger.Clearing(p.Environment), To: ledger.Suspense(p.Environment),
		Amount: p.Amount}}
	if p.Settles {
		pending := ledger.Account(c.AccountID, p.Environment, ledger.Pending)
		transfers = []ledger.Transfer{
			{From: ledger.Clearing(p.Environment), To: pending, Amount: p.Amount},
			{From: pending, To: ledger.Fees(p.Environment), Amount: p.Fee},
		}
	}
	return ledger.Posting{Fact: "payment/" + p.ID, Transfers: transfers}
}
