package banks

import (
	"context"
	"fmt"

	"garoupa/models"
	"garoupa/pix/psp"
)

// AddHere adds a bank account and makes it active, without a second person: it is for a command that
// a person runs on the server itself. The bank is asked first. If it does not accept the
// credentials, nothing is written and the error is Failed. It also fails with Invalid, or ErrChanged if
// another account becomes active at the same time. The findings are those of Check.
func (s *Service) AddHere(ctx context.Context, in NewAccount) (id string, findings []psp.Finding, err error) {
	account, credential, err := s.read(in, nil)
	if err != nil {
		return "", nil, err
	}
	if findings, err = s.try(ctx, account, credential); err != nil {
		return "", nil, err
	}
	if !passed(findings) {
		return "", findings, Failed(findings)
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := s.insert(tx, account, credential); err != nil {
			return err
		}
		_, active, err := models.LockBankAccounts(tx, account.ID)
		if err != nil {
			return err
		}
		if err := s.activate(tx, account, credential, active); err != nil {
			return err
		}
		by := models.Actor{UserID: models.ActorSystem}
		return s.record(tx, by, "bank_account.added_on_server", account, credential)
	})
	if models.Violates(err, models.BankAccountsKeyOnce) || models.Violates(err, models.BankAccountsDraftOnce) {
		err = Invalid{"pixKey": Taken}
	}
	if err != nil {
		return "", findings, fmt.Errorf("banks: add an account: %w", err)
	}
	return account.ID, findings, nil
}
