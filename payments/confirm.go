package payments

import (
	"context"
	"errors"
	"fmt"

	"garoupa/ledger"
	"garoupa/models"
	"garoupa/money"
	"garoupa/pix/psp"
)

// ConfirmPayment records a Pix that the environment's institution received. If it
// pays its checkout, the checkout turns PAID, the amount less the fee becomes
// pending balance, and checkout.paid goes out. Money that pays nothing (a wrong
// amount, a second payment, an unknown charge, one after the expiry) is booked
// all the same and opens an exception. Institutions repeat themselves: a payment
// with a known EndToEndID changes nothing.
func (s *Service) ConfirmPayment(ctx context.Context, livemode bool, received psp.Payment) error {
	err := s.commit(ctx, func(tx *models.Tx) (queued bool, err error) { return s.confirm(tx, livemode, received) })
	if err != nil {
		return fmt.Errorf("payments: confirm %s: %w", received.EndToEndID, err)
	}
	return nil
}

func (s *Service) confirm(tx *models.Tx, livemode bool, received psp.Payment) (queued bool, err error) {
	c, err := models.LockCheckoutByTxID(tx, livemode, received.TxID)
	if err != nil && !errors.Is(err, models.ErrNotFound) {
		return false, fmt.Errorf("lock the checkout: %w", err)
	}
	p := &models.Payment{
		ID: models.NewPaymentID(), Livemode: livemode, EndToEndID: received.EndToEndID, TxID: received.TxID,
		Amount: money.Cents(received.Amount), PaidAt: received.PaidAt.UTC(), RecordedAt: s.now(),
	}
	kind := exception(c, p)
	if c != nil {
		p.CheckoutID = &c.ID
	}
	if p.Settles = kind == ""; p.Settles {
		p.Fee = c.Fee.Of(p.Amount)
	}
	inserted, err := models.InsertPayment(tx, p)
	if err != nil || !inserted {
		return false, err
	}
	if err := s.book(tx, c, p); err != nil {
		return false, err
	}
	if !p.Settles {
		return false, models.InsertException(tx, p.ID, kind, p.RecordedAt)
	}
	c.PaidAt = &p.PaidAt
	return s.transition(tx, models.CheckoutPaid, models.EventCheckoutPaid, *c)
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

func (s *Service) book(tx *models.Tx, c *models.LockedCheckout, p *models.Payment) error {
	transfers := []ledger.Transfer{{From: ledger.Clearing(p.Livemode), To: ledger.Suspense(p.Livemode), Amount: p.Amount}}
	if p.Settles {
		pending := ledger.Account(c.AccountID, p.Livemode, ledger.Pending)
		transfers = []ledger.Transfer{
			{From: ledger.Clearing(p.Livemode), To: pending, Amount: p.Amount},
			{From: pending, To: ledger.Fees(p.Livemode), Amount: p.Fee},
		}
	}
	_, err := ledger.Post(tx, "payment/"+p.ID, p.RecordedAt, transfers...)
	return err
}
