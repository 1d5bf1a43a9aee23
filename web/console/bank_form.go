package console

import (
	"errors"
	"maps"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/banks"
	"garoupa/models"
	"garoupa/views/components"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// newBank shows GET /ops/bancos/nova.
func (s *console) newBank(c *fiber.Ctx) error { return s.showNewBank(c, pages.BankFields{}, nil) }

func (s *console) showNewBank(c *fiber.Ctx, fields pages.BankFields, errs components.FieldErrors) error {
	shell, err := s.ConsoleShell(c)
	if err != nil {
		return err
	}
	return page.Render(c, pages.NewBank(pages.NewBankProps{
		Shell: shell, Profiles: slices.Sorted(maps.Keys(s.Banks.Profiles)), Fields: fields, Errors: errs,
	}))
}

// proposeBank handles POST /ops/bancos/nova.
func (s *console) proposeBank(c *fiber.Ctx) error {
	fields := pages.BankFields{
		Name: page.Field(c, "name"), Profile: page.Field(c, "profile"), Sandbox: page.Field(c, "sandbox") != "",
		PixKey: page.Field(c, "pixKey"), AccountNumber: page.Field(c, "accountNumber"),
		HolderName: page.Field(c, "holderName"), HolderDocument: page.Field(c, "holderDocument"),
		Overrides: page.FormText(c, "overrides"), ClientID: page.Field(c, "clientId"),
	}
	credential, err := page.ReadBankCredential(c)
	if err != nil {
		return err
	}
	id, err := s.Banks.Propose(c.UserContext(), page.Actor(c), banks.NewAccount{
		Name: fields.Name, Profile: fields.Profile, Overrides: fields.Overrides, Sandbox: fields.Sandbox,
		PixKey: fields.PixKey, AccountNumber: fields.AccountNumber, HolderName: fields.HolderName,
		HolderDocument: fields.HolderDocument, Credential: credential,
	})
	if problems, ok := errors.AsType[banks.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showNewBank(c, fields, page.BankErrors(c, problems, credential))
	} else if err != nil {
		return err
	}
	return s.goTo(c, "/ops/bancos/"+id, "ops_bank_proposed")
}

// newBankCredential shows GET /ops/bancos/:id/credenciais. While others wait, or if the account is
// closed, it leads to the account.
func (s *console) newBankCredential(c *fiber.Ctx) error {
	account, err := models.BankAccountByID(c.UserContext(), s.DB, c.Params("id"))
	if err != nil {
		return err
	}
	_, err = models.BankCredentialOf(c.UserContext(), s.DB, account.ID, models.CredentialNew)
	if err == nil || account.Status == models.BankAccountClosed {
		return c.Redirect("/ops/bancos/"+account.ID, fiber.StatusSeeOther)
	} else if !errors.Is(err, models.ErrNotFound) {
		return err
	}
	return s.showNewBankCredential(c, account, "", nil)
}

func (s *console) showNewBankCredential(c *fiber.Ctx, account *models.BankAccount, clientID string,
	errs components.FieldErrors) error {
	shell, err := s.ConsoleShell(c)
	if err != nil {
		return err
	}
	return page.Render(c, pages.NewCredential(pages.NewCredentialProps{
		Shell: shell, ID: account.ID, Name: account.Name, ClientID: clientID, Errors: errs,
	}))
}

// proposeBankCredential handles POST /ops/bancos/:id/credenciais. An account has at most one
// proposal that waits, so a second form is told who was first.
func (s *console) proposeBankCredential(c *fiber.Ctx) error {
	account, err := models.BankAccountByID(c.UserContext(), s.DB, c.Params("id"))
	if err != nil {
		return err
	}
	credential, err := page.ReadBankCredential(c)
	if err != nil {
		return err
	}
	_, err = s.Banks.ProposeCredential(c.UserContext(), page.Actor(c), account.ID, credential)
	if problems, ok := errors.AsType[banks.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showNewBankCredential(c, account, credential.ClientID, page.BankErrors(c, problems, credential))
	}
	return s.bankDone(c, err, "ops_bank_credentials")
}
