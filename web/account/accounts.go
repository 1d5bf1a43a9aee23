package account

import (
	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	pages "garoupa/views/pages/account"
	"garoupa/web/page"
)

// accounts shows GET /app/contas: the accounts that the visitor is a member of.
func (s *account) accounts(c *fiber.Ctx) error {
	v := page.Visitor(c)
	memberships, err := models.Memberships(c.UserContext(), s.DB.Pool, v.UserID)
	if err != nil {
		return err
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props := pages.AccountsProps{Shell: shell}
	for _, m := range memberships {
		props.Accounts = append(props.Accounts, pages.AccountRow{ID: m.AccountID, Name: m.AccountName,
			Role: string(m.Role), Current: m.AccountID == v.AccountID})
	}
	return page.Render(c, pages.Accounts(props))
}

// switchAccount handles POST /app/contas.
func (s *account) switchAccount(c *fiber.Ctx) error {
	if err := s.Merchants.LookAtAccount(c.UserContext(), page.Visitor(c), page.Field(c, "account")); err != nil {
		return err
	}
	return c.Redirect("/app", fiber.StatusSeeOther)
}
