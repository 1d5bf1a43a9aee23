package console

import (
	"errors"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"garoupa/banks"
	"garoupa/internal/refusal"
	"garoupa/internal/taxid"
	"garoupa/models"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// listBanks shows GET /ops/bancos: accounts at banks, the installation's and merchants' own.
func (s *console) listBanks(c *fiber.Ctx) error {
	accounts, err := models.BankAccounts(c.UserContext(), s.DB)
	if err != nil {
		return err
	}
	credentials, err := models.AllBankCredentials(c.UserContext(), s.DB)
	if err != nil {
		return err
	}
	props := pages.BanksProps{CanPropose: s.managesBanks(c), Unconfirmed: true}
	for _, profile := range s.Banks.Profiles {
		props.Unconfirmed = props.Unconfirmed && profile.Confirmed.Date == ""
	}
	for i := range accounts {
		row, err := s.bankRow(c, &accounts[i], credentials[accounts[i].ID])
		if err != nil {
			return err
		}
		props.Rows = append(props.Rows, row)
	}
	if props.Shell, err = s.ConsoleShell(c); err != nil {
		return err
	}
	return page.Render(c, pages.Banks(props))
}

func (s *console) managesBanks(c *fiber.Ctx) bool {
	return page.Visitor(c).StaffRole.Can(models.ManageBanks)
}

// bankRow returns an account as lists show it. Its certificate is the one in use, else the newest.
func (s *console) bankRow(c *fiber.Ctx, a *models.BankAccount, credentials []models.BankCredential) (row pages.BankRow,
	err error) {
	row = pages.BankRow{ID: a.ID, Name: a.Name, Bank: a.Profile, Sandbox: a.Sandbox, Status: string(a.Status),
		HolderName: a.HolderName, PixKey: a.PixKey, At: a.CreatedAt}
	for i := range credentials {
		if row.Certificate == nil || credentials[i].Status == models.CredentialActive {
			row.Certificate = new(bankCertificate(&credentials[i]))
		}
	}
	if a.Own() {
		merchant, err := models.AccountByID(c.UserContext(), s.DB, *a.AccountID)
		if err != nil {
			return row, err
		}
		row.Merchant, row.MerchantID = merchant.Name, merchant.ID
	}
	row.Proposer, err = s.nameOf(c, a.CreatedBy)
	return row, err
}

func bankCertificate(c *models.BankCredential) pages.BankCertificate {
	return pages.BankCertificate{Subject: c.Subject, Fingerprint: c.Fingerprint, Ends: c.ExpiresAt}
}

// nameOf returns the name of a person, or "" if id is nil.
func (s *console) nameOf(c *fiber.Ctx, id *string) (string, error) {
	if id == nil {
		return "", nil
	}
	user, err := models.UserByID(c.UserContext(), s.DB, *id)
	if err != nil {
		return "", err
	}
	return user.Name, nil
}

// bank shows GET /ops/bancos/:id.
func (s *console) bank(c *fiber.Ctx) error { return s.showBank(c, pages.BankProps{}) }

// showBank answers with the page of an account. props has what was just tried or refused.
func (s *console) showBank(c *fiber.Ctx, props pages.BankProps) error {
	ctx := c.UserContext()
	account, err := models.BankAccountByID(ctx, s.DB, c.Params("id"))
	if err != nil {
		return err
	}
	credentials, err := models.BankCredentials(ctx, s.DB, account.ID)
	if err != nil {
		return err
	}
	if props.Row, err = s.bankRow(c, account, credentials); err != nil {
		return err
	}
	props.Document, props.AccountNumber = taxid.Format(account.HolderDocument), account.AccountNumber
	props.Version, props.CanAct = strconv.Itoa(account.Version), s.managesBanks(c)
	props.Confirmed = s.Banks.Profiles[account.Profile].Confirmed.Date
	if account.Overrides != "{}" {
		props.Overrides = account.Overrides
	}
	if props.Notices, err = s.bankNotices(ctx, account); err != nil {
		return err
	}
	for i := range credentials {
		shown, err := s.bankCredential(c, &credentials[i])
		if err != nil {
			return err
		}
		props.Credentials = append(props.Credentials, shown)
		if by := credentials[i].CreatedBy; credentials[i].Status == models.CredentialNew && by != nil {
			props.Own = *by == page.Visitor(c).UserID
		}
	}
	if props.Watch, err = s.bankWatch(c, account); err != nil {
		return err
	}
	if page.Visitor(c).StaffRole.Can(models.ReadAudit) {
		props.AuditHref = "/ops/auditoria?object=" + account.ID
	}
	if props.Shell, err = s.ConsoleShell(c); err != nil {
		return err
	}
	return page.Render(c, pages.Bank(props))
}

func (s *console) bankCredential(c *fiber.Ctx, credential *models.BankCredential) (shown pages.BankCredential,
	err error) {
	shown = pages.BankCredential{
		ID: credential.ID, ClientID: credential.ClientID, Status: string(credential.Status),
		Certificate: bankCertificate(credential), At: credential.CreatedAt, ApprovedAt: credential.ApprovedAt,
		EndedAt: credential.RetiredAt, AppliesAt: credential.AppliesAt,
	}
	if shown.Proposer, err = s.nameOf(c, credential.CreatedBy); err != nil {
		return shown, err
	}
	shown.Approver, err = s.nameOf(c, credential.ApprovedBy)
	return shown, err
}

// checkBank handles POST /ops/bancos/:id/verificar: it asks the bank, and shows what was found.
func (s *console) checkBank(c *fiber.Ctx) error {
	account, err := models.BankAccountByID(c.UserContext(), s.DB, c.Params("id"))
	if err != nil {
		return err
	}
	findings, err := s.Banks.Check(c.UserContext(), account.ID)
	if errors.Is(err, models.ErrNotFound) { // what was proposed has been discarded
		return s.bankChanged(c)
	} else if err != nil {
		return err
	}
	return s.showBank(c, pages.BankProps{Findings: page.BankFindings(findings)})
}

// approveBank handles POST /ops/bancos/:id/aprovar. credential names what the person saw.
func (s *console) approveBank(c *fiber.Ctx) error {
	err := s.Banks.Approve(c.UserContext(), page.Actor(c), c.Params("id"), page.Field(c, "credential"))
	if failed, ok := errors.AsType[banks.Failed](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showBank(c, pages.BankProps{Findings: page.BankFindings(failed), Refused: true})
	}
	if problems, ok := errors.AsType[banks.Invalid](err); ok {
		for _, field := range []string{"pixKey", "holderDocument"} {
			if problem := problems[field]; problem != "" {
				c.Status(fiber.StatusConflict)
				return s.showBank(c, pages.BankProps{Problem: page.BankProblem(c, field, problem)})
			}
		}
	}
	return s.bankDone(c, err, "ops_bank_approved")
}

// discardBank handles POST /ops/bancos/:id/descartar.
func (s *console) discardBank(c *fiber.Ctx) error {
	err := s.Banks.Discard(c.UserContext(), page.Actor(c), c.Params("id"), page.Field(c, "credential"))
	return s.bankDone(c, err, "ops_bank_discarded")
}

// retireBank handles POST /ops/bancos/:id/aposentar.
func (s *console) retireBank(c *fiber.Ctx) error {
	seen, _ := strconv.Atoi(page.Field(c, "version")) // what is no number is no version
	return s.bankDone(c, s.Banks.Retire(c.UserContext(), page.Actor(c), c.Params("id"), seen), "ops_bank_retired")
}

// bankDone answers a form about an account that ended with err.
func (s *console) bankDone(c *fiber.Ctx, err error, flash string) error {
	switch {
	case err != nil && refusal.Of(err).Code == banks.ErrChanged.Code:
		return s.bankChanged(c)
	case err != nil:
		return err
	}
	return s.goTo(c, "/ops/bancos/"+c.Params("id"), flash)
}

// bankChanged answers a form that came second with the account as it is, and who was first.
func (s *console) bankChanged(c *fiber.Ctx) error {
	changed, err := s.lastAct(c, c.Params("id"))
	if err != nil {
		return err
	}
	if changed == "" {
		changed = i18n.T(c.UserContext(), "flash.ops_changed")
	}
	c.Status(fiber.StatusConflict)
	return s.showBank(c, pages.BankProps{Changed: changed})
}
