package payments

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"garoupa/internal/payload"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/pix"
	"garoupa/pix/psp"
)

const (
	// bankMargin is how much earlier than the checkout its charge at the bank expires, so that the bank
	// takes no payment of an expired checkout.
	bankMargin = 10 * time.Second
	// creationWithin limits a creation at a bank. It is longer than a request's time: once the bank is
	// asked, an answer is better than a charge that is given up.
	creationWithin = 20 * time.Second
	// givenUpAfter is when a charge without a checkout is removed at the bank.
	givenUpAfter = 5 * time.Minute
)

// Banks gives the clients of the installation's accounts at banks.
type Banks interface {
	// For returns the bank of an account that is active or retiring.
	For(ctx context.Context, bankAccountID string) (psp.Bank, error)
}

// atBank reports whether new charges of the environment are made at a bank.
func (s *Service) atBank(environment models.Environment) bool {
	return s.provider(environment) == nil
}

// chargeTxID returns the id of a checkout's charge, which begins with the hour of the checkout's id, so that the ids
// of an hour lie together in an index. The first charge of a checkout is generation 0; another is made only when the
// earlier one can no longer be paid.
func chargeTxID(checkoutID string, generation int) string {
	hour, of := models.HourOf(checkoutID), checkoutID
	if generation > 0 {
		of += "/" + strconv.Itoa(generation)
	}
	return hour + pix.ChargeTxID(of)[len(hour):]
}

// createAtBank creates a checkout whose charge is at a bank. The charge and the key are written first, so
// that no charge is forgotten; then the bank is asked; then the checkout is written. A request with the
// same key goes on where an earlier one ended.
func (s *Service) createAtBank(ctx context.Context, scope models.Scope, account *models.Account,
	in NewCheckout) (c *models.Checkout, created bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), creationWithin)
	defer cancel()
	var resume earlier
	for try := range 3 { // a second time for a key that is taken, a third if its charge changes meanwhile
		charge, err := s.begin(ctx, scope, in, resume)
		if try == 0 && errors.Is(err, noBankAccount) {
			err = nil // a request with the key of an earlier one gets the earlier one's answer
		}
		if err != nil {
			return nil, false, err
		}
		if charge != nil {
			return s.charge(ctx, scope, account, in, charge)
		}
		if resume, err = s.earlier(ctx, scope, in); err != nil || resume.checkout != nil {
			return resume.checkout, false, err
		}
	}
	return nil, false, errors.New("payments: the charge of the idempotency key changes again and again")
}

// begin writes the charge of a checkout, or returns the one that an earlier request with the same key left. It returns
// nil if the key is taken, or if the charge has changed since resume was read; the caller reads resume again.
func (s *Service) begin(ctx context.Context, scope models.Scope, in NewCheckout,
	resume earlier) (*models.BankCharge, error) {
	id, generation := resume.boundID, 0
	if id == "" {
		id = models.NewCheckoutID()
	} else {
		last, err := models.BankChargeOf(ctx, s.DB.Pool, id)
		switch {
		case errors.Is(err, models.ErrNotFound):
		case err != nil:
			return nil, fmt.Errorf("payments: read the charge of %s: %w", id, err)
		case last.Status == models.BankChargeOpen:
			return nil, nil // its checkout exists by now
		case last.Status == models.BankChargeCreating:
			return s.resumed(ctx, in, last)
		case !last.Dead():
			return nil, unconfirmed
		default:
			generation = last.Generation + 1
		}
	}
	n := &models.NewBankCharge{
		TxID: chargeTxID(id, generation), ProjectID: scope.ProjectID, CheckoutID: id, PaymentLinkID: in.PaymentLinkID,
		Generation: generation, Amount: int64(in.Amount), Expiration: int((in.ExpiresIn - bankMargin).Seconds()),
		CreatedAt: s.now(), IdempotencyKey: in.IdempotencyKey, RequestHash: in.RequestHash,
		Resumed: resume.boundID != "",
	}
	begun, err := s.charges.Write(ctx, n)
	switch {
	case err != nil:
		return nil, fmt.Errorf("payments: insert the charge of %s: %w", id, err)
	case begun.BankAccountID == "":
		return nil, noBankAccount
	case !begun.Begun:
		return nil, nil
	}
	return &models.BankCharge{TxID: n.TxID, BankAccountID: begun.BankAccountID, ProjectID: n.ProjectID, CheckoutID: id,
		Generation: generation, Amount: in.Amount, Expiration: n.Expiration, Status: models.BankChargeCreating,
		CreatedAt: n.CreatedAt}, nil
}

var (
	unreachable = refusal.New(refusal.ProviderUnavailable,
		"The Pix institution cannot be reached now. Nothing was charged; repeat the request with the same "+
			"Idempotency-Key.")
	noBankAccount = unreachable.Because(errors.New("no bank account is active"))
	unconfirmed   = refusal.New(refusal.ProviderUnavailable,
		"The Pix institution has not confirmed the end of an earlier charge of this Idempotency-Key. Nothing was "+
			"charged; repeat the request with the same key in a minute.")
	institutionRefused = refusal.New(refusal.ProviderUnavailable,
		"The Pix institution refused the charge. Nothing was charged. The installation's staff can see the reason.")
)

// resumed returns a charge that an earlier request began, if half of its time is left. Otherwise the
// bank is to remove it.
func (s *Service) resumed(ctx context.Context, in NewCheckout, charge *models.BankCharge) (*models.BankCharge, error) {
	if s.now().Before(charge.CreatedAt.Add(in.ExpiresIn / 2)) {
		return charge, nil
	}
	if err := s.giveUpCharge(ctx, charge, "begun too long ago"); err != nil {
		return nil, err
	}
	return nil, unconfirmed
}

// charge asks the bank for a charge that is written, and writes its checkout.
func (s *Service) charge(ctx context.Context, scope models.Scope, account *models.Account, in NewCheckout,
	charge *models.BankCharge) (c *models.Checkout, created bool, err error) {
	bank, err := s.Banks.For(ctx, charge.BankAccountID)
	if err != nil {
		return nil, false, fmt.Errorf("payments: charge %s: %w", charge.CheckoutID, err)
	}
	asked := psp.Charge{
		TxID: charge.TxID, Amount: int64(charge.Amount), ExpiresIn: time.Duration(charge.Expiration) * time.Second,
		MerchantName: account.Name, City: account.City, Description: in.Description, Payer: payer(in.Customer),
	}
	issued, err := bank.PutCharge(ctx, asked)
	if err != nil {
		return s.notIssued(ctx, scope, in, bank, charge, err)
	}
	row := s.bankRow(scope, in, charge, issued, bank.Now())
	made, queued, err := s.write(ctx, scope, &in, row)
	refused, _ := errors.AsType[saleRefused](err)
	switch {
	case refused.error != nil:
		return s.notSold(ctx, scope, in, charge, refused)
	case err != nil:
		return nil, false, fmt.Errorf("payments: insert checkout: %w", err)
	case queued:
		s.Wake()
	}
	if made {
		return &row.Checkout, true, nil
	}
	// Another request with the same key was faster, or the answer to an earlier try was lost.
	c, err = models.CheckoutByID(ctx, s.DB.Pool, scope, row.ID)
	if errors.Is(err, models.ErrNotFound) { // the charge was given up meanwhile
		return nil, false, unconfirmed
	} else if err != nil {
		return nil, false, fmt.Errorf("payments: read checkout: %w", err)
	}
	s.OpenDocument(c)
	created, err = s.madeBy(ctx, row, c)
	return c, created, err
}

// notSold handles a sale that the payment link refused after the bank had created the charge: it lets the bank remove
// the charge, whose code no buyer has seen. If only the link changed, it keeps the charge for the next try.
func (s *Service) notSold(ctx context.Context, scope models.Scope, in NewCheckout, charge *models.BankCharge,
	refused saleRefused) (*models.Checkout, bool, error) {
	if !errors.Is(refused, errLinkChanged) {
		if err := s.giveUpCharge(ctx, charge, "the payment link does not sell it now"); err != nil {
			return nil, false, err
		}
	}
	c, err := s.earlierSale(ctx, scope, in, refused)
	return c, false, err
}

// payer returns the customer as the payer of a charge. Banks know payers by CPF or CNPJ.
func payer(c Customer) (p psp.Person) {
	if c.Name != nil && c.Document != nil {
		p = psp.Person{Name: *c.Name, Document: *c.Document}
	}
	return p
}

// bankRow returns the row of a checkout whose charge the bank has issued. The checkout's time began with
// its charge.
func (s *Service) bankRow(scope models.Scope, in NewCheckout, charge *models.BankCharge, issued psp.Issued,
	bankNow time.Time) *models.NewCheckout {
	row := s.newRow(scope, in, earlier{boundID: charge.CheckoutID})
	row.TxID, row.CreatedAt, row.ExpiresAt = charge.TxID, charge.CreatedAt, charge.CreatedAt.Add(in.ExpiresIn)
	row.CopyPaste, row.Resumed = issued.CopyPaste, in.IdempotencyKey != ""
	opened := models.OpenedCharge{BankCreatedAt: issued.CreatedAt, PayableUntil: issued.PayableUntil,
		Revision: issued.Revision, FirstLookAt: s.now().Add(firstLook)}
	if opened.BankCreatedAt.IsZero() {
		opened.BankCreatedAt = bankNow
	}
	if opened.PayableUntil.IsZero() {
		opened.PayableUntil = opened.BankCreatedAt.Add(time.Duration(charge.Expiration) * time.Second)
	}
	row.Opened = &opened
	row.Created.Body = payload.AppendEvent(nil, row.Created.ID, models.EventCheckoutCreated, row.CreatedAt,
		&row.Checkout, s.CheckoutURL)
	return row
}

// notIssued returns the refusal of a creation that the bank did not accept, unless a concurrent request
// with the same key succeeded meanwhile.
func (s *Service) notIssued(ctx context.Context, scope models.Scope, in NewCheckout, bank psp.Bank,
	charge *models.BankCharge, cause error) (*models.Checkout, bool, error) {
	failed, known := errors.AsType[*psp.Error](cause)
	if !known {
		return nil, false, fmt.Errorf("payments: put the charge of %s: %w", charge.CheckoutID, cause)
	}
	if err := s.noteRefusal(ctx, bank, charge, failed); err != nil {
		return nil, false, err
	}
	if earlier, err := s.earlier(ctx, scope, in); err != nil || earlier.checkout != nil {
		return earlier.checkout, false, err
	}
	if failed.Kind.Refused() {
		return nil, false, institutionRefused.Because(cause)
	}
	return nil, false, unreachable.Because(cause)
}

// noteRefusal records why the bank issued no code. If the code was wrong, the charge is removed at the bank. If the
// bank has another charge with our TxID, that charge is left alone.
func (s *Service) noteRefusal(ctx context.Context, bank psp.Bank, charge *models.BankCharge, why *psp.Error) error {
	conflict := why.Kind == psp.Conflict
	if conflict {
		state, err := bank.Charge(ctx, charge.TxID)
		conflict = err != nil || state.Status != psp.ChargeRemoved || state.Amount != int64(charge.Amount)
	}
	if why.Kind == psp.Protocol || why.Kind == psp.Conflict && !conflict {
		return s.giveUpCharge(ctx, charge, failure(why))
	}
	return s.inCharge(ctx, charge, func(_ *models.Tx, _ *models.LockedCheckout, now *models.BankCharge) (bool, error) {
		if now.Failure = failure(why); conflict && now.Status == models.BankChargeCreating {
			now.Status, now.NextCheckAt = models.BankChargeConflict, nil
		}
		return false, nil
	})
}
