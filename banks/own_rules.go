package banks

import (
	"context"
	"errors"
	"maps"
	"time"

	"garoupa/internal/refusal"
	"garoupa/models"
)

var (
	errPart     = refusal.New(refusal.Forbidden, "A member of the account may not approve it.")
	errNoAccess = refusal.New(refusal.Forbidden, "Own bank accounts need an approved production access.")
	errPaused   = refusal.New(refusal.AccountSuspended, "This account is suspended.")
)

// holder returns the CPF or CNPJ of a merchant who may have an own bank account, and locks that until tx ends.
func holder(tx *models.Tx, accountID string) (document string, err error) {
	merchant, err := models.ShareAccount(tx, accountID)
	switch {
	case err != nil:
		return "", err
	case merchant.ProductionAccess != models.AccessApproved || merchant.Document == nil:
		return "", errNoAccess
	case merchant.Suspended:
		return "", errPaused
	}
	return *merchant.Document, nil
}

// holds returns an error unless the merchant may have an own bank account, its approved CPF or CNPJ is the holder's,
// and no other used account has the key.
func holds(tx *models.Tx, account *models.BankAccount) error {
	document, err := holder(tx, *account.AccountID)
	if err != nil {
		return err
	}
	if document != account.HolderDocument {
		return Invalid{"holderDocument": ForeignHolder}
	}
	used, err := models.PixKeyInUse(tx, account)
	if err == nil && used {
		err = Invalid{"pixKey": Taken}
	}
	return err
}

// owner checks that the actor is the owner of a merchant, and locks that until tx ends.
func owner(tx *models.Tx, by models.Actor, accountID string) error {
	role, err := models.LockMember(tx, accountID, by.UserID)
	if err == nil && !role.Can(models.Own) {
		err = errRole
	}
	return err
}

// mayChange checks that the actor may propose and retire: staff who may manage banks for the installation's
// accounts, and the owner for an own one.
func mayChange(tx *models.Tx, by models.Actor, bankAccountID string) error {
	account, err := models.BankAccountByID(tx.Context(), tx, bankAccountID)
	switch {
	case err != nil && !errors.Is(err, models.ErrNotFound):
		return err
	case err == nil && account.Own():
		return owner(tx, by, *account.AccountID)
	}
	return manager(tx, by)
}

// outsider checks that the actor, who may manage banks, was not a member of the merchant since the credentials
// were proposed.
func outsider(tx *models.Tx, by models.Actor, account *models.BankAccount, credential *models.BankCredential) error {
	matter := models.Matter{AccountID: *account.AccountID, Since: credential.CreatedAt}
	decider, err := models.LockDecider(tx, by.UserID, matter)
	if err == nil && decider.TakesPart {
		err = errPart
	}
	return err
}

// mayDiscard is mayChange, and admits staff who may manage banks for own accounts too. If refuses is true the
// actor is one of these staff, and the caller checks that the actor is an outsider.
func mayDiscard(tx *models.Tx, by models.Actor, bankAccountID string) (refuses bool, err error) {
	err = mayChange(tx, by, bankAccountID)
	if errors.Is(err, errRole) {
		return true, manager(tx, by)
	}
	return false, err
}

// tellProposed mails all who may manage banks that an own account waits for them, at most once a day for each
// merchant. For the installation's accounts record has done it.
func (s *Service) tellProposed(tx *models.Tx, account *models.BankAccount) error {
	if !account.Own() {
		return nil
	}
	merchant, err := models.AccountByID(tx.Context(), tx, *account.AccountID)
	if err != nil {
		return err
	}
	return s.tell(tx, models.MailOwnBankProposed, "own_bank_proposed/"+merchant.ID+"/"+s.now().Format(time.DateOnly),
		map[string]string{"account": merchant.Name, "bank_name": account.Name, "bank": account.ID})
}

// tellOwner mails the owner of the merchant whose account it is, once for each fact.
func (s *Service) tellOwner(tx *models.Tx, account *models.BankAccount, kind, fact string,
	params map[string]string) error {
	merchant, err := models.AccountByID(tx.Context(), tx, *account.AccountID)
	if err != nil {
		return err
	}
	var owners []models.Recipient
	err = tx.PGX(func(ctx context.Context, conn models.Querier) (err error) {
		owners, err = models.MembersToTell(ctx, conn, merchant.ID, kind)
		return err
	})
	if err != nil {
		return err
	}
	letters := make([]models.Mail, 0, len(owners))
	for _, person := range owners {
		own := map[string]string{"name": person.Name, "account": merchant.Name}
		maps.Copy(own, params)
		if own["certificate"] == "" {
			delete(own, "certificate")
		}
		letters = append(letters, models.Mail{Fact: fact, To: person.Email, Language: person.Language, Kind: kind,
			Params: own, CreatedAt: s.now()})
	}
	return models.InsertMails(tx, letters...)
}
