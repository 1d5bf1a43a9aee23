package dashboard

import (
	"errors"
	"maps"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/banks"
	"garoupa/internal/refusal"
	"garoupa/internal/taxid"
	"garoupa/models"
	"garoupa/views/components"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// newOwnBank shows GET /app/conta-bancaria/nova.
func (s *treasury) newOwnBank(c *fiber.Ctx) error {
	return s.showNewOwnBank(c, pages.OwnBankFields{}, nil)
}

// showNewOwnBank shows the form, or the accounts while nothing can be proposed.
func (s *treasury) showNewOwnBank(c *fiber.Ctx, fields pages.OwnBankFields, errs components.FieldErrors) error {
	merchant, err := account(s.Site, c)
	if err != nil {
		return err
	}
	if !holds(merchant) || merchant.Suspended {
		return c.Redirect(ownBankPath, fiber.StatusSeeOther)
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	return page.Render(c, pages.NewOwnBank(pages.NewOwnBankProps{Shell: shell, Profiles: s.ownProfiles(),
		Document: taxid.Format(*merchant.Document), Advanced: s.Banks.AllowPrivate, Fields: fields, Errors: errs}))
}

// ownProfiles are the banks that a merchant can choose: those whose addresses are known.
func (s *treasury) ownProfiles() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(s.Banks.Profiles)) {
		if s.Banks.AllowPrivate || s.Banks.Profiles[name].Base != "" {
			names = append(names, name)
		}
	}
	return names
}

// proposeOwnBank handles POST /app/conta-bancaria/nova. A merchant has one proposal at a time, so a second form
// is told that the first is there.
func (s *treasury) proposeOwnBank(c *fiber.Ctx) error {
	fields := pages.OwnBankFields{
		Name: page.Field(c, "name"), Profile: page.Field(c, "profile"), PixKey: page.Field(c, "pixKey"),
		AccountNumber: page.Field(c, "accountNumber"), HolderName: page.Field(c, "holderName"),
		Overrides: page.FormText(c, "overrides"), ClientID: page.Field(c, "clientId"),
	}
	credential, err := page.ReadBankCredential(c)
	if err != nil {
		return err
	}
	_, err = s.Banks.ProposeOwn(c.UserContext(), page.Actor(c), page.Visitor(c).AccountID, banks.NewAccount{
		Name: fields.Name, Profile: fields.Profile, Overrides: fields.Overrides, PixKey: fields.PixKey,
		AccountNumber: fields.AccountNumber, HolderName: fields.HolderName, Credential: credential,
	})
	if problems, ok := errors.AsType[banks.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showNewOwnBank(c, fields, page.BankErrors(c, problems, credential))
	}
	return s.proposedOwn(c, err)
}

// proposedOwn answers a proposal that ended with err. A merchant that may not propose now sees why on the page.
func (s *treasury) proposedOwn(c *fiber.Ctx, err error) error {
	if err != nil && refusal.Of(err).Code == refusal.AccountSuspended {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showOwnBanks(c, pages.OwnBankProps{})
	}
	return s.ownBankDone(c, err, "own_bank_proposed")
}

// newOwnCredential shows GET /app/conta-bancaria/:id/credenciais. While others wait it leads to the account.
func (s *treasury) newOwnCredential(c *fiber.Ctx) error {
	b, err := s.ownBankAccount(c)
	if err != nil {
		return err
	}
	_, err = models.BankCredentialOf(c.UserContext(), s.DB, b.ID, models.CredentialNew)
	if err == nil || b.Status == models.BankAccountClosed {
		return c.Redirect(ownBankPath, fiber.StatusSeeOther)
	} else if !errors.Is(err, models.ErrNotFound) {
		return err
	}
	return s.showNewOwnCredential(c, b, "", nil)
}

func (s *treasury) showNewOwnCredential(c *fiber.Ctx, b *models.BankAccount, clientID string,
	errs components.FieldErrors) error {
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	return page.Render(c, pages.NewOwnCredential(pages.NewOwnCredentialProps{Shell: shell, ID: b.ID, Name: b.Name,
		ClientID: clientID, Errors: errs}))
}

// proposeOwnCredential handles POST /app/conta-bancaria/:id/credenciais.
func (s *treasury) proposeOwnCredential(c *fiber.Ctx) error {
	b, err := s.ownBankAccount(c)
	if err != nil {
		return err
	}
	credential, err := page.ReadBankCredential(c)
	if err != nil {
		return err
	}
	_, err = s.Banks.ProposeCredential(c.UserContext(), page.Actor(c), b.ID, credential)
	if problems, ok := errors.AsType[banks.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showNewOwnCredential(c, b, credential.ClientID, page.BankErrors(c, problems, credential))
	}
	return s.proposedOwn(c, err)
}
