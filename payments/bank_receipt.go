package payments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"garoupa/internal/guard"
	"garoupa/models"
	"garoupa/pix/psp"
)

// errEarly reports a Pix whose checkout is being created.
var errEarly = errors.New("payments: the checkout of the payment is being created")

// errUnrecorded reports that something that a bank lists cannot be recorded, also if it is listed again, such as a
// return with an id that another refund has. A person has to look at it. All else in the list is recorded.
var errUnrecorded = errors.New("what the bank lists cannot be recorded")

// RecordBankPayments records Pix that a bank account received, as ConfirmPayment does. A Pix pays only a
// checkout that was charged at this account. A Pix whose checkout is being created is not recorded but
// returned: the caller passes it again later. Payments that are recorded already change nothing, nor do
// those for another Pix key of the bank's customer, which are no business of the gateway. One that fails
// holds up no other; the error is errUnrecorded if passing them again is of no use.
func (s *Service) RecordBankPayments(ctx context.Context, bankAccountID string,
	received []psp.Payment) (early []psp.Payment, err error) {
	if len(received) == 0 {
		return nil, nil
	}
	account, err := models.BankAccountByID(ctx, s.DB, bankAccountID)
	if err != nil {
		return nil, fmt.Errorf("payments: read the bank account: %w", err)
	}
	all := received
	if received, err = s.unrecorded(ctx, account, received); err != nil {
		return nil, err
	}
	failed := each("record a Pix", len(received), receiptsTogether, func(i int) error {
		_, err := s.receive(ctx, receipt{Payment: received[i], environment: models.Live, bank: &bankAccountID,
			own: account.Own()})
		return err
	})
	for i, err := range failed {
		if errors.Is(err, errEarly) {
			early, failed[i] = append(early, received[i]), nil
		}
	}
	for _, p := range all {
		if len(p.Returns) > 0 {
			failed = append(failed, s.recordReturns(ctx, p))
		}
	}
	err = errors.Join(failed...)
	switch {
	case err == nil:
		return early, nil
	case passes(err):
		return early, fmt.Errorf("payments: record Pix of %s: %w", bankAccountID, err)
	}
	return early, fmt.Errorf("payments: record Pix of %s: %w: %w", bankAccountID, errUnrecorded, err)
}

// passes reports whether an outage is among joined errors. Each is judged alone, because models.Unavailable looks at
// the first error of the database.
func passes(err error) bool {
	if joined, is := err.(interface{ Unwrap() []error }); is {
		return slices.ContainsFunc(joined.Unwrap(), passes)
	}
	return models.Unavailable(err)
}

// unrecorded leaves out the payments that are recorded already, and those for another key.
func (s *Service) unrecorded(ctx context.Context, account *models.BankAccount, received []psp.Payment) (
	[]psp.Payment, error) {
	ids := make([]string, len(received))
	for i, p := range received {
		ids[i] = p.EndToEndID
	}
	known, err := models.KnownPayments(ctx, s.DB.Pool, models.Live, ids)
	if err != nil {
		return nil, fmt.Errorf("payments: find recorded payments: %w", err)
	}
	left := make([]psp.Payment, 0, len(received)-len(known))
	for _, p := range received {
		if !known[p.EndToEndID] && !foreign(p, account) {
			left = append(left, p)
		}
	}
	return left, nil
}

// foreign reports whether a Pix came for another key of the bank's customer.
func foreign(p psp.Payment, account *models.BankAccount) bool {
	return p.Key != "" && !strings.EqualFold(p.Key, account.PixKey)
}

// each calls do for 0 to n-1, at most atOnce at a time, and returns their errors in this order.
func each(what string, n, atOnce int, do func(i int) error) []error {
	failed := make([]error, n)
	var running sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for i := range n {
		places <- struct{}{}
		running.Go(func() {
			failed[i] = guard.Call(what, func() error { return do(i) })
			<-places
		})
	}
	running.Wait()
	return failed
}

// lockBankCharges locks the charges of the receipts of banks at some indexes. It takes its checkout away
// from a receipt of another account than the one that charged, and marks receipts whose checkouts are
// being created.
func lockBankCharges(tx *models.Tx, receipts []receipt, places []int, held map[models.Charge]*models.LockedCheckout,
	outcomes []recorded) (map[string]*models.BankCharge, error) {
	var txIDs []string
	for _, place := range places {
		if receipts[place].bank != nil && !outcomes[place].held {
			txIDs = append(txIDs, receipts[place].TxID)
		}
	}
	if len(txIDs) == 0 {
		return nil, nil
	}
	charges, err := models.LockBankCharges(tx, txIDs)
	if err != nil {
		return nil, err
	}
	for _, place := range places {
		r, o := receipts[place], &outcomes[place]
		if r.bank == nil || o.held {
			continue
		}
		charge := charges[r.TxID]
		if charge != nil && charge.BankAccountID != *r.bank {
			charge = nil
			delete(charges, r.TxID)
		}
		switch c := held[r.charge()]; {
		case charge == nil:
			delete(held, r.charge())
			o.found = ""
		case c == nil && (charge.Status == models.BankChargeCreating || charge.Status == models.BankChargeOpen):
			o.early = true
		case c != nil:
			c.PayableUntil, c.Own = charge.PayableUntil, r.own
		}
	}
	return charges, nil
}

// payCharges marks the charges of the receipts that were written as PAID.
func payCharges(tx *models.Tx, charges map[string]*models.BankCharge, payments []models.Payment,
	written map[string]bool) error {
	var txIDs []string
	for _, p := range payments {
		if written[p.ID] && p.BankAccountID != nil && charges[p.TxID] != nil {
			txIDs = append(txIDs, p.TxID)
		}
	}
	if len(txIDs) == 0 {
		return nil
	}
	return models.PayBankCharges(tx, txIDs)
}
