package banks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/internal/refusal"
	"garoupa/models"
)

// OwnWait is how long after their approval credentials of an own account take effect, so that the owner hears of
// them before money goes elsewhere.
const OwnWait = 24 * time.Hour

// ProposeOwn proposes a merchant's own bank account with its first credentials and returns its id. Its holder is
// the merchant, with the CPF or CNPJ of the approved production access. Nothing uses it before a supervisor has
// approved it and OwnWait is over. A merchant has at most one proposed account. Only its owner may call it. It
// fails as Propose does, with ErrChanged if another is proposed, or refusal.AccountSuspended.
func (s *Service) ProposeOwn(ctx context.Context, by models.Actor, accountID string, in NewAccount) (id string,
	err error) {
	err = s.DB.InTx(ctx, func(tx *models.Tx) error { // so that a stranger learns nothing of the merchant
		if err := owner(tx, by, accountID); err != nil {
			return err
		}
		document, err := holder(tx, accountID)
		if in.HolderDocument == "" {
			in.HolderDocument = document
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("banks: propose an own account: %w", err)
	}
	if in.Overrides != "" && !s.AllowPrivate { // a merchant does not choose which address the installation calls
		return "", Invalid{"overrides": Malformed}
	}
	in.Sandbox = false
	account, credential, err := s.read(in, &by.UserID)
	if err != nil {
		return "", err
	}
	account.AccountID = &accountID
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := owner(tx, by, accountID); err != nil {
			return err
		}
		if err := holds(tx, account); err != nil {
			return err
		}
		if err := s.insert(tx, account, credential); err != nil {
			return err
		}
		if err := s.record(tx, by, "bank_account.proposed", account, credential); err != nil {
			return err
		}
		return s.tellProposed(tx, account)
	})
	if models.Violates(err, models.BankAccountsOwnDraft) {
		err = ErrChanged.Because(err)
	}
	if err != nil {
		return "", fmt.Errorf("banks: propose an own account: %w", err)
	}
	return account.ID, nil
}

// approveOwn lets approved credentials wait. The caller has set who approves them.
func (s *Service) approveOwn(tx *models.Tx, account *models.BankAccount, credential *models.BankCredential) error {
	if err := holds(tx, account); err != nil {
		return err
	}
	now := s.now()
	then := now.Add(OwnWait)
	credential.ApprovedAt, credential.AppliesAt = &now, &then
	return models.SaveCredentialStatus(tx, credential)
}

// ApplyDue makes credentials of own accounts those in use whose wait is over, and their accounts active. The
// bank is asked first. While it does not accept them, or the merchant is suspended, has no production access or
// another CPF or CNPJ, they wait, and what was in use stays so. Processes may call it at the same time.
func (s *Service) ApplyDue(ctx context.Context) error {
	due, err := models.DueBankCredentials(ctx, s.DB, s.now())
	if err != nil {
		return fmt.Errorf("banks: find credentials that take effect: %w", err)
	}
	var failed []error
	for i := range due {
		if err := s.apply(ctx, &due[i]); err != nil {
			failed = append(failed, fmt.Errorf("banks: apply %s: %w", due[i].ID, err))
		}
	}
	return errors.Join(failed...)
}

func (s *Service) apply(ctx context.Context, due *models.BankCredential) error {
	account, err := models.BankAccountByID(ctx, s.DB, due.BankAccountID)
	if err != nil {
		return err
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error { return holds(tx, account) })
	if waits(err) {
		return nil
	} else if err != nil {
		return err
	}
	findings, err := s.try(ctx, account, due)
	if err != nil {
		return err
	}
	if !passed(findings) {
		s.Log.WarnContext(ctx, "credentials wait: the bank does not accept them", "bank_account", account.ID)
		return nil
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		account, credential, active, err := lockNew(tx, due.BankAccountID, due.ID)
		if err == nil {
			err = holds(tx, account)
		}
		if err == nil {
			err = s.activate(tx, account, credential, active)
		}
		if err != nil {
			return err
		}
		return s.record(tx, models.Actor{UserID: models.ActorSystem}, "bank_account.applied", account, credential)
	})
	if waits(err) || models.Violates(err, models.BankAccountsKeyOnce) {
		return nil
	}
	return err
}

// waits reports whether credentials are not applied now for a reason that is no failure.
func waits(err error) bool {
	_, invalid := errors.AsType[Invalid](err)
	return invalid || err != nil && refusal.Of(err).Code != refusal.Internal
}
