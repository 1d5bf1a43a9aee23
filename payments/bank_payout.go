package payments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/pix/pixkey"
	"garoupa/pix/psp"
)

const (
	// PayoutUnknownAfter is how long after a payout may have left staff say how it ended, if the bank does not.
	PayoutUnknownAfter = 15 * time.Minute
	// payoutPause is the first wait between two questions about a payout.
	payoutPause = 5 * time.Second
	// payoutsAtOnce limits the payouts of an account that a call handles, one after the other.
	payoutsAtOnce = 8
	// payoutRefused is the code, for programs, of a withdrawal that a bank refused to pay.
	payoutRefused = "PROVIDER_REFUSED"
)

// TendPayouts pays approved withdrawals by Pix from a bank account, if it is active and its bank pays by API,
// and asks the bank what has become of earlier ones. It does nothing while another process does that for
// the account. A payout is sent once: after a step that may have sent it, the bank is only read.
func (s *Service) TendPayouts(ctx context.Context, bankAccountID string) (err error) {
	if err := s.tellUnknownPayouts(ctx, bankAccountID); err != nil {
		return err
	}
	bank, err := s.Banks.For(ctx, bankAccountID)
	if err != nil {
		return fmt.Errorf("payments: pay from %s: %w", bankAccountID, err)
	}
	payer, pays := bank.(psp.Payer)
	if !pays {
		return nil
	}
	now := s.now()
	leased, err := models.LeasePayouts(ctx, s.DB.Pool, bankAccountID, now, now.Add(bankLease))
	if err != nil || !leased {
		return err
	}
	defer func() {
		ending, cancel := toTheEnd(ctx)
		defer cancel()
		err = errors.Join(err, models.ReleasePayouts(ending, s.DB.Pool, bankAccountID, s.now()))
	}()
	working, cancel := context.WithTimeout(ctx, bankWorkWithin)
	defer cancel()
	if err := s.storePayouts(working, bankAccountID); err != nil {
		return err
	}
	var failed []error
	for range payoutsAtOnce {
		due, err := models.ClaimPayoutAttempts(working, s.DB.Pool, bankAccountID, s.now(), bankLease, 1)
		if err != nil {
			return errors.Join(append(failed, fmt.Errorf("payments: find payouts: %w", err))...)
		}
		if len(due) == 0 {
			break
		}
		failed = append(failed, s.advancePayout(working, payer, &due[0]))
	}
	return errors.Join(failed...)
}

// BankPays reports whether a bank pays approved withdrawals of the rail, so that staff need not.
func (s *Service) BankPays(ctx context.Context, rail models.Rail) (bool, error) {
	if rail != models.RailPix || !s.atBank(models.Live) {
		return false, nil
	}
	active, err := models.ActiveBankAccount(ctx, s.DB)
	if errors.Is(err, models.ErrNotFound) {
		return false, nil
	} else if err != nil {
		return false, fmt.Errorf("payments: read the active bank account: %w", err)
	}
	bank, err := s.Banks.For(ctx, active.ID)
	if err != nil {
		return false, fmt.Errorf("payments: read the bank of %s: %w", active.ID, err)
	}
	_, pays := bank.(psp.Payer)
	return pays, nil
}

// storePayouts writes the payouts of approved withdrawals, which become PROCESSING, at the active account.
// Withdrawals of a stopped account wait.
func (s *Service) storePayouts(ctx context.Context, bankAccountID string) error {
	active, err := models.ActiveBankAccount(ctx, s.DB)
	if errors.Is(err, models.ErrNotFound) || err == nil && active.ID != bankAccountID {
		return nil
	} else if err != nil {
		return fmt.Errorf("payments: read the active bank account: %w", err)
	}
	ids, err := models.UnpaidWithdrawals(ctx, s.DB.Pool, models.RailPix, models.WithdrawalApproved, s.now(),
		payoutBatch)
	if err != nil {
		return fmt.Errorf("payments: find withdrawals to pay: %w", err)
	}
	for _, id := range ids {
		_, failed := s.startPayout(ctx, system, id, func(tx *models.Tx, w *models.Withdrawal,
			from models.WithdrawalStatus) error {
			if err := inState(w, from); err != nil {
				return err
			}
			made, err := models.InsertPayoutAttempt(tx, w, bankAccountID, s.now())
			if err == nil && !made {
				err = refusal.New(refusal.WrongState, "The bank account is not active any more.")
			}
			return err
		})
		switch refusal.Of(failed).Code {
		// Another process or staff were first, or staff have just stopped the account.
		case refusal.WrongState, refusal.AccountStopped:
		default:
			err = errors.Join(err, failed)
		}
	}
	return err
}

// advancePayout asks the bank about a payout, and sends it if nothing of it has left. The bank is read before
// that: it knows a payout of which a restored backup does not.
func (s *Service) advancePayout(ctx context.Context, payer psp.Payer, p *models.PayoutAttempt) error {
	sent, err := payer.Sent(ctx, p.ID)
	switch {
	case err == nil:
		return s.heedPayout(ctx, p, sent)
	case p.Status == models.PayoutStored && kindOf(err) == psp.NotFound:
		return s.sendPayout(ctx, payer, p)
	}
	return s.lookAgain(ctx, p, err)
}

func kindOf(err error) psp.Kind {
	if e, ok := errors.AsType[*psp.Error](err); ok {
		return e.Kind
	}
	return ""
}

// sendPayout sends a payout, once, after it has written that the bank may have it.
func (s *Service) sendPayout(ctx context.Context, payer psp.Payer, p *models.PayoutAttempt) error {
	order, err := s.orderPayout(ctx, p)
	if err != nil || order == nil {
		return err
	}
	sent, err := payer.Send(ctx, *order)
	recording, cancel := toTheEnd(ctx)
	defer cancel()
	switch kindOf(err) {
	case psp.Unavailable, psp.Limited, psp.Unauthorized, psp.Forbidden:
		return s.inPayout(recording, p.ID, func(now *models.PayoutAttempt) {
			if now.Status == models.PayoutSending { // certainly not sent
				now.Status = models.PayoutStored
				s.lookLater(now, failure(err))
			}
		})
	case psp.Invalid, psp.NotFound:
		return s.payoutInvalid(recording, payer, p, err)
	}
	if err != nil {
		return s.lookAgain(recording, p, err)
	}
	return s.heedPayout(recording, p, sent)
}

// orderPayout writes that the bank may have a payout from now on, and returns what is to be sent. It returns nil
// if the payout must not be sent now.
func (s *Service) orderPayout(ctx context.Context, p *models.PayoutAttempt) (order *psp.Payout, err error) {
	look, err := s.anyWithdrawal(ctx, p.WithdrawalID)
	if err != nil {
		return nil, err
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		order = nil
		account, err := models.ShareAccount(tx, look.AccountID)
		if err != nil {
			return err
		}
		w, err := models.LockWithdrawal(tx, look.AccountID, p.WithdrawalID)
		if err != nil {
			return err
		}
		now, err := models.LockPayoutAttempt(tx, p.ID)
		if err != nil || now.Status != models.PayoutStored {
			return err
		}
		if mayPayOut(account) != nil {
			s.lookLater(now, "the account is stopped")
			return models.SavePayoutAttempt(tx, now)
		}
		key, err := s.DestinationAddress(&w.Destination)
		if err != nil {
			return err
		}
		at := s.now()
		next := at.Add(payoutPause)
		now.Status, now.SendingAt, now.HeardAt, now.NextLookAt = models.PayoutSending, &at, nil, &next
		order = &psp.Payout{ID: now.ID, Key: key, Amount: int64(now.Amount), Note: "Saque " + w.ID,
			Document: ownerOf(w.Destination.Type, key)}
		return models.SavePayoutAttempt(tx, now)
	})
	if err != nil {
		return nil, fmt.Errorf("payments: begin the payout %s: %w", p.ID, err)
	}
	return order, nil
}

// ownerOf returns the CPF or CNPJ of a key's owner, as far as the key is one: the bank then refuses a key that
// has become another person's.
func ownerOf(keyType, key string) string {
	switch pixkey.Type(keyType) {
	case pixkey.CPF, pixkey.CNPJ:
		return key
	}
	return ""
}

// payoutInvalid ends a payout that the bank refused for good, if the bank has none by its id.
func (s *Service) payoutInvalid(ctx context.Context, payer psp.Payer, p *models.PayoutAttempt, cause error) error {
	sent, err := payer.Sent(ctx, p.ID)
	if err == nil {
		return s.heedPayout(ctx, p, sent)
	}
	if kindOf(err) != psp.NotFound {
		return s.lookAgain(ctx, p, err)
	}
	why, _ := errors.AsType[*psp.Error](cause)
	return s.refusePayout(ctx, p, why.Type, why.Detail)
}
