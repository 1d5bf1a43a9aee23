package dashboard

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"garoupa/banks"
	"garoupa/internal/refusal"
	"garoupa/internal/taxid"
	"garoupa/models"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

const ownBankPath = "/app/conta-bancaria"

// listOwnBanks shows GET /app/conta-bancaria.
func (s *treasury) listOwnBanks(c *fiber.Ctx) error { return s.showOwnBanks(c, pages.OwnBankProps{}) }

// showOwnBanks shows the merchant's own accounts. props has what was just tried or refused.
func (s *treasury) showOwnBanks(c *fiber.Ctx, props pages.OwnBankProps) error {
	merchant, err := account(s.Site, c)
	if err != nil {
		return err
	}
	props.NeedsAccess, props.Suspended = !holds(merchant), merchant.Suspended
	accounts, err := models.OwnBankAccounts(c.UserContext(), s.DB, merchant.ID)
	if err != nil {
		return fmt.Errorf("dashboard: read own bank accounts: %w", err)
	}
	for i := range accounts {
		if accounts[i].Status == models.BankAccountClosed {
			continue
		}
		shown, err := s.ownBank(c, &accounts[i])
		if err != nil {
			return err
		}
		props.Accounts = append(props.Accounts, shown)
	}
	if props.Shell, err = s.Shell(c); err != nil {
		return err
	}
	return page.Render(c, pages.OwnBanks(props))
}

// holds reports whether a merchant may hold an own account: its CPF or CNPJ is approved.
func holds(merchant *models.Account) bool {
	return merchant.ProductionAccess == models.AccessApproved && merchant.Document != nil
}

func (s *treasury) ownBank(c *fiber.Ctx, b *models.BankAccount) (shown pages.OwnBank, err error) {
	shown = pages.OwnBank{ID: b.ID, Name: b.Name, Bank: b.Profile, Status: string(b.Status), PixKey: b.PixKey,
		HolderName: b.HolderName, Document: taxid.Format(b.HolderDocument), Version: strconv.Itoa(b.Version)}
	credentials, err := models.BankCredentials(c.UserContext(), s.DB, b.ID)
	if err != nil {
		return shown, fmt.Errorf("dashboard: read the credentials of %s: %w", b.ID, err)
	}
	for _, credential := range credentials {
		of := &pages.OwnCredential{ID: credential.ID, Subject: credential.Subject, Ends: credential.ExpiresAt,
			At: credential.CreatedAt, AppliesAt: credential.AppliesAt}
		switch credential.Status {
		case models.CredentialActive:
			shown.InUse = of
		case models.CredentialNew:
			shown.Waits = of
		}
	}
	return shown, nil
}

// checkOwnBank handles POST /app/conta-bancaria/:id/verificar: it asks the bank, and shows what was found.
func (s *treasury) checkOwnBank(c *fiber.Ctx) error {
	if _, err := s.ownBankAccount(c); err != nil {
		return err
	}
	findings, err := s.Banks.Check(c.UserContext(), c.Params("id"))
	if errors.Is(err, models.ErrNotFound) { // what was proposed has been discarded
		return s.ownBankDone(c, banks.ErrChanged, "")
	} else if err != nil {
		return err
	}
	return s.showOwnBanks(c, pages.OwnBankProps{Findings: page.BankFindings(findings)})
}

// ownBankAccount returns the account of the path, if it is the merchant's own.
func (s *treasury) ownBankAccount(c *fiber.Ctx) (*models.BankAccount, error) {
	return models.OwnBankAccountByID(c.UserContext(), s.DB, page.Visitor(c).AccountID, c.Params("id"))
}

// discardOwnBank handles POST /app/conta-bancaria/:id/descartar.
func (s *treasury) discardOwnBank(c *fiber.Ctx) error {
	b, err := s.ownBankAccount(c)
	if err != nil {
		return err
	}
	err = s.Banks.Discard(c.UserContext(), page.Actor(c), b.ID, page.Field(c, "credential"))
	return s.ownBankDone(c, err, "own_bank_discarded")
}

// retireOwnBank handles POST /app/conta-bancaria/:id/aposentar.
func (s *treasury) retireOwnBank(c *fiber.Ctx) error {
	b, err := s.ownBankAccount(c)
	if err != nil {
		return err
	}
	seen, _ := strconv.Atoi(page.Field(c, "version")) // what is no number is no version
	return s.ownBankDone(c, s.Banks.Retire(c.UserContext(), page.Actor(c), b.ID, seen), "own_bank_retired")
}

// ownBankDone answers a form that ended with err. One that came second shows how the accounts are now.
func (s *treasury) ownBankDone(c *fiber.Ctx, err error, flash string) error {
	if err != nil && refusal.Of(err).Code == banks.ErrChanged.Code {
		c.Status(fiber.StatusConflict)
		return s.showOwnBanks(c, pages.OwnBankProps{Changed: true})
	} else if err != nil {
		return err
	}
	if err := s.Flash(c, flash); err != nil {
		return err
	}
	return c.Redirect(ownBankPath, fiber.StatusSeeOther)
}
