package banks

import (
	"context"
	"errors"
	"fmt"

	"garoupa/models"
	"garoupa/pix/psp"
)

// Failed reports that credentials were not approved because the bank does not accept them. It has
// what was tried.
type Failed []psp.Finding

// Error implements error.
func (f Failed) Error() string { return "banks: the bank does not accept the credentials" }

// Approve makes proposed credentials those of their bank account, and a proposed account active:
// new live charges go there. The account that was active until then takes no new charges, and is
// still read. Credentials of an own account take effect later, see ApplyDue. Only a supervisor may call it who did
// not propose the credentials, and is not a member of the merchant whose account it is. The bank is asked
// first; if it does not accept the credentials, Approve fails with Failed. It also fails with
// ErrChanged if other credentials are proposed by now, models.ErrNotFound or refusal.Forbidden.
func (s *Service) Approve(ctx context.Context, by models.Actor, accountID, credentialID string) error {
	var account *models.BankAccount
	var credential *models.BankCredential
	err := s.DB.InTx(ctx, func(tx *models.Tx) (err error) { // so that a stranger makes us call no bank
		account, credential, _, err = lockFor(tx, by, accountID, credentialID)
		return err
	})
	if err != nil {
		return fmt.Errorf("banks: approve credentials: %w", err)
	}
	findings, err := s.try(ctx, account, credential)
	if err != nil {
		return err
	}
	if !passed(findings) {
		return Failed(findings)
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		account, credential, active, err := lockFor(tx, by, accountID, credentialID)
		if err != nil {
			return err
		}
		credential.ApprovedBy = &by.UserID
		if account.Own() {
			err = s.approveOwn(tx, account, credential)
		} else {
			err = s.activate(tx, account, credential, active)
		}
		if err != nil {
			return err
		}
		return s.record(tx, by, "bank_account.credentials_approved", account, credential)
	})
	if models.Violates(err, models.BankAccountsKeyOnce) {
		err = Invalid{"pixKey": Taken}
	}
	if err != nil {
		return fmt.Errorf("banks: approve credentials: %w", err)
	}
	return nil
}

// lockFor is lockNew for a supervisor who wants to approve, and did not propose, the credentials.
func lockFor(tx *models.Tx, by models.Actor, accountID, credentialID string) (
	account *models.BankAccount, credential *models.BankCredential, active *models.BankAccount, err error) {
	if err := manager(tx, by); err != nil {
		return nil, nil, nil, err
	}
	account, credential, active, err = lockNew(tx, accountID, credentialID)
	switch {
	case err != nil:
	case credential.CreatedBy != nil && *credential.CreatedBy == by.UserID:
		err = errOwn
	case credential.ApprovedAt != nil:
		err = ErrChanged
	case account.Own():
		err = outsider(tx, by, account, credential)
	}
	return account, credential, active, err
}

// lockNew locks an account and returns it with the credentials proposed for it, and the account that
// is active. It fails with ErrChanged if other credentials are proposed, or none.
func lockNew(tx *models.Tx, accountID, credentialID string) (
	account *models.BankAccount, credential *models.BankCredential, active *models.BankAccount, err error) {
	if account, active, err = models.LockBankAccounts(tx, accountID); err != nil {
		return nil, nil, nil, err
	}
	credential, err = models.BankCredentialOf(tx.Context(), tx, accountID, models.CredentialNew)
	if errors.Is(err, models.ErrNotFound) || err == nil && credential.ID != credentialID {
		return nil, nil, nil, ErrChanged
	}
	return account, credential, active, err
}

// activate retires what the credentials replace, and makes them and their account active. It fails with
// ErrChanged if another account becomes active at the same time.
func (s *Service) activate(tx *models.Tx, account *models.BankAccount, credential *models.BankCredential,
	active *models.BankAccount) error {
	now := s.now()
	if credential.ApprovedAt == nil {
		credential.ApprovedAt = &now
	}
	old, err := models.BankCredentialOf(tx.Context(), tx, account.ID, models.CredentialActive)
	if err != nil && !errors.Is(err, models.ErrNotFound) {
		return err
	}
	if old != nil {
		if err := s.retire(tx, old); err != nil {
			return err
		}
	}
	credential.Status = models.CredentialActive
	if err := models.SaveCredentialStatus(tx, credential); err != nil {
		return err
	}
	if account.Status != models.BankAccountDraft && !(account.Own() && account.Status == models.BankAccountRetiring) {
		return nil
	}
	if active != nil {
		if err := models.SetBankAccountStatus(tx, active, models.BankAccountRetiring); err != nil {
			return err
		}
	}
	err = models.SetBankAccountStatus(tx, account, models.BankAccountActive)
	if models.Violates(err, models.BankAccountsOneActive) { // by one that was added after ours was locked
		err = ErrChanged.Because(err)
	}
	return err
}

// retire ends credentials that the caller has locked, and after the commit their client.
func (s *Service) retire(tx *models.Tx, c *models.BankCredential) error {
	now := s.now()
	c.Status, c.RetiredAt = models.CredentialRetired, &now
	tx.AfterCommit(func() { s.forget(c.ID) })
	return models.SaveCredentialStatus(tx, c)
}

// Discard ends proposed credentials, and with them an account that was never active. Any
// supervisor may call it, and for an own account its owner, also after the approval, and supervisors who are no
// members. It fails with ErrChanged, models.ErrNotFound or refusal.Forbidden.
func (s *Service) Discard(ctx context.Context, by models.Actor, accountID, credentialID string) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		refuses, err := mayDiscard(tx, by, accountID)
		if err != nil {
			return err
		}
		account, credential, _, err := lockNew(tx, accountID, credentialID)
		if err == nil && refuses {
			err = outsider(tx, by, account, credential)
		}
		if err != nil {
			return err
		}
		if err := s.retire(tx, credential); err != nil {
			return err
		}
		if account.Status == models.BankAccountDraft {
			if err := models.SetBankAccountStatus(tx, account, models.BankAccountClosed); err != nil {
				return err
			}
		}
		return s.record(tx, by, "bank_account.credentials_discarded", account, credential)
	})
	if err != nil {
		return fmt.Errorf("banks: discard credentials: %w", err)
	}
	return nil
}

// Retire stops new charges at an active bank account, which is still read. seen is the version of
// the account that the actor saw. Any supervisor may call it, and for an own account only its owner: then new
// charges go to the installation's, and credentials that wait for it are discarded. It fails with ErrChanged,
// models.ErrNotFound or refusal.Forbidden.
func (s *Service) Retire(ctx context.Context, by models.Actor, accountID string, seen int) error {
	err := s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := mayChange(tx, by, accountID); err != nil {
			return err
		}
		account, _, err := models.LockBankAccounts(tx, accountID)
		if err != nil {
			return err
		}
		if account.Version != seen || account.Status != models.BankAccountActive {
			return ErrChanged
		}
		if err := models.SetBankAccountStatus(tx, account, models.BankAccountRetiring); err != nil {
			return err
		}
		if account.Own() {
			if err := s.retireCredential(tx, account.ID, models.CredentialNew); err != nil {
				return err
			}
		}
		return s.record(tx, by, "bank_account.retired", account, nil)
	})
	if err != nil {
		return fmt.Errorf("banks: retire an account: %w", err)
	}
	return nil
}
