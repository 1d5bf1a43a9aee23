package banks

import (
	"context"
	"fmt"

	"garoupa/internal/clientcert"
	"garoupa/models"
)

// Propose proposes a bank account with its first credentials and returns its id. Nothing uses it
// before another supervisor approves it. While it waits, its key cannot be proposed again. Only
// supervisors may call it. It fails with Invalid, which names the fields of NewAccount and "clientId",
// "clientSecret", "appKey" and "certificate", or refusal.Forbidden.
func (s *Service) Propose(ctx context.Context, by models.Actor, in NewAccount) (id string, err error) {
	account, credential, err := s.read(in, &by.UserID)
	if err != nil {
		return "", err
	}
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := manager(tx, by); err != nil {
			return err
		}
		if err := s.insert(tx, account, credential); err != nil {
			return err
		}
		return s.record(tx, by, "bank_account.proposed", account, credential)
	})
	if models.Violates(err, models.BankAccountsDraftOnce) {
		err = Invalid{"pixKey": Taken}
	}
	if err != nil {
		return "", fmt.Errorf("banks: propose an account: %w", err)
	}
	return account.ID, nil
}

// read checks a new account and returns its rows. by is nil for one made on the server.
func (s *Service) read(in NewAccount, by *string) (*models.BankAccount, *models.BankCredential, error) {
	profile, problems := s.check(&in)
	parsed := s.parse(&in.Credential, profile, in.HolderDocument, problems)
	if err := problems.orNil(); err != nil {
		return nil, nil, err
	}
	account := &models.BankAccount{
		ID: models.NewBankAccountID(), Name: in.Name, Profile: in.Profile, Overrides: in.Overrides,
		Sandbox: in.Sandbox, PixKey: in.PixKey, AccountNumber: in.AccountNumber, HolderName: in.HolderName,
		HolderDocument: in.HolderDocument, Status: models.BankAccountDraft, Version: 1, CreatedBy: by,
		CreatedAt: s.now(),
	}
	account.NoticeToken, account.NoticeDigest = s.sealNoticeToken(account.ID)
	return account, s.seal(account.ID, in.Credential, parsed, by), nil
}

func (s *Service) insert(tx *models.Tx, account *models.BankAccount, credential *models.BankCredential) error {
	if err := models.InsertBankAccount(tx, account); err != nil {
		return err
	}
	return models.InsertBankCredential(tx, credential)
}

// seal returns the row of new credentials.
func (s *Service) seal(accountID string, in NewCredential, parsed clientcert.Parsed,
	by *string) *models.BankCredential {
	id := models.NewBankCredentialID()
	c := &models.BankCredential{
		ID: id, BankAccountID: accountID, ClientID: in.ClientID,
		ClientSecret: s.Vault.Seal(models.SealedBankSecret.Place(id), in.ClientSecret),
		Certificate:  s.Vault.Seal(models.SealedCertificate.Place(id), string(parsed.Chain)),
		PrivateKey:   s.Vault.Seal(models.SealedPrivateKey.Place(id), string(parsed.Key)),
		Subject:      parsed.Subject, Fingerprint: parsed.Fingerprint, ExpiresAt: parsed.NotAfter,
		Status: models.CredentialNew, CreatedBy: by, CreatedAt: s.now(),
	}
	if in.AppKey != "" {
		c.AppKey = s.Vault.Seal(models.SealedAppKey.Place(id), in.AppKey)
	}
	return c
}

// facts returns what the audit log says about an account and its credentials.
func facts(account *models.BankAccount, credential *models.BankCredential) map[string]string {
	detail := map[string]string{"name": account.Name, "profile": account.Profile}
	if credential != nil {
		detail["certificate"] = credential.Subject
		detail["fingerprint"] = credential.Fingerprint
	}
	if account.Sandbox {
		detail["environment"] = "sandbox"
	}
	return detail
}

// ProposeCredential proposes credentials that replace those of a bank account. The account goes on
// with the old ones until another supervisor approves the new ones. Only supervisors may call it, and for an own
// account its owner: the new ones take effect a day after the approval, and an account that was retired is
// used again then. It fails with Invalid, ErrChanged if others are proposed already or the account is closed,
// models.ErrNotFound or refusal.Forbidden.
func (s *Service) ProposeCredential(ctx context.Context, by models.Actor, accountID string,
	in NewCredential) (id string, err error) {
	account, err := models.BankAccountByID(ctx, s.DB, accountID)
	if err != nil {
		return "", fmt.Errorf("banks: read the account: %w", err)
	}
	profile, err := s.profile(account)
	if err != nil {
		return "", err
	}
	problems := Invalid{}
	parsed := s.parse(&in, profile, account.HolderDocument, problems)
	if err := problems.orNil(); err != nil {
		return "", err
	}
	credential := s.seal(accountID, in, parsed, &by.UserID)
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		if err := mayChange(tx, by, accountID); err != nil {
			return err
		}
		account, _, err := models.LockBankAccounts(tx, accountID)
		if err == nil && account.Own() {
			err = holds(tx, account)
		}
		if err != nil {
			return err
		}
		if account.Status == models.BankAccountClosed {
			return ErrChanged
		}
		if err := models.InsertBankCredential(tx, credential); err != nil {
			return err
		}
		if err := s.record(tx, by, "bank_account.credentials_proposed", account, credential); err != nil {
			return err
		}
		return s.tellProposed(tx, account)
	})
	if models.Violates(err, models.BankCredentialsOneNew) {
		err = ErrChanged
	}
	if err != nil {
		return "", fmt.Errorf("banks: propose credentials: %w", err)
	}
	return credential.ID, nil
}
