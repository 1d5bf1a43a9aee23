package banks

import (
	"context"
	"errors"
	"fmt"

	"garoupa/models"
)

// ErrOpen reports that an account cannot be closed, because something of it is still under way at the bank.
var ErrOpen = errors.New("banks: something of the account is still open")

// Close ends a retiring bank account: it is not read any more, and its credentials are retired. Its Pix can
// no longer be returned by the gateway, so staff refund them. seen is the version of the account that the
// actor saw. Any supervisor may call it, and for an own account only its owner. It fails with ErrOpen while a
// charge, a dispute or a payout of the account is open or a return of its Pix under way, with ErrChanged,
// models.ErrNotFound or refusal.Forbidden.
func (s *Service) Close(ctx context.Context, by models.Actor, accountID string, seen int) error {
	// A charge may be being written that chose the account while it was active. The database sees it once it is
	// written, and since its version is the same at the end, the account was retiring all the time.
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		_, err := retiring(tx, by, accountID, seen)
		return err
	})
	if err == nil {
		err = models.AwaitBankCharges(ctx, s.DB)
	}
	if err == nil {
		err = s.close(ctx, by, accountID, seen)
	}
	if models.Violates(err, models.BankAccountsClosed) {
		err = ErrOpen
	}
	if err != nil {
		return fmt.Errorf("banks: close an account: %w", err)
	}
	return nil
}

// retiring locks an account that the actor may close and saw as it is.
func retiring(tx *models.Tx, by models.Actor, accountID string, seen int) (*models.BankAccount, error) {
	if err := mayChange(tx, by, accountID); err != nil {
		return nil, err
	}
	account, _, err := models.LockBankAccounts(tx, accountID)
	if err == nil && (account.Version != seen || account.Status != models.BankAccountRetiring) {
		err = ErrChanged
	}
	return account, err
}

func (s *Service) close(ctx context.Context, by models.Actor, accountID string, seen int) error {
	return s.DB.InTx(ctx, func(tx *models.Tx) error {
		account, err := retiring(tx, by, accountID, seen)
		if err != nil {
			return err
		}
		if err := models.SetBankAccountStatus(tx, account, models.BankAccountClosed); err != nil {
			return err
		}
		for _, status := range []models.CredentialStatus{models.CredentialActive, models.CredentialNew} {
			if err := s.retireCredential(tx, accountID, status); err != nil {
				return err
			}
		}
		return s.record(tx, by, "bank_account.closed", account, nil)
	})
}

// retireCredential retires the credentials of an account with a status, if it has any.
func (s *Service) retireCredential(tx *models.Tx, accountID string, status models.CredentialStatus) error {
	c, err := models.BankCredentialOf(tx.Context(), tx, accountID, status)
	if errors.Is(err, models.ErrNotFound) {
		return nil
	} else if err != nil {
		return err
	}
	return s.retire(tx, c)
}
