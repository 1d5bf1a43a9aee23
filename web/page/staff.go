package page

import (
	"net/url"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/views/layouts"
)

// ConsoleShell returns the frame of a console page.
func (s *Site) ConsoleShell(c *fiber.Ctx) (layouts.OpsShell, error) {
	shell, err := s.Shell(c)
	if err != nil {
		return layouts.OpsShell{}, err
	}
	queues, err := models.StaffQueues(c.UserContext(), s.DB.Read)
	if err != nil {
		return layouts.OpsShell{}, err
	}
	role := string(*Visitor(c).StaffRole)
	out := layouts.OpsShell{Shell: shell, Role: role, Mark: queues.Mark(), Nav: []layouts.NavItem{
		{ID: layouts.OpsQueues, Href: "/ops"},
		{ID: layouts.OpsAccess, Href: "/ops/acessos", Count: queues.Access.Count},
		{ID: layouts.OpsDestinations, Href: "/ops/destinos", Count: queues.Destinations.Count},
		{ID: layouts.OpsWithdrawals, Href: "/ops/saques", Count: queues.Withdrawals.Count + queues.Payouts.Count},
		{ID: layouts.OpsExceptions, Href: "/ops/excecoes", Count: queues.Exceptions.Count},
		{ID: layouts.OpsDisputes, Href: "/ops/disputas", Count: queues.Disputes.Count},
		{ID: layouts.OpsFees, Href: "/ops/tarifas", Count: queues.Fees.Count},
		{ID: layouts.OpsNames, Href: "/ops/nomes", Count: queues.Names.Count},
		{ID: layouts.OpsCheckouts, Href: "/ops/cobrancas"},
		{ID: layouts.OpsAccounts, Href: "/ops/contas"},
		{ID: layouts.OpsBanks, Href: "/ops/bancos"},
		{ID: layouts.OpsWebhooks, Href: "/ops/webhooks", Count: queues.Webhooks.Count},
		{ID: layouts.OpsHealth, Href: "/ops/saude"},
	}}
	if Visitor(c).StaffRole.Can(models.ReadAudit) {
		out.Nav = append(out.Nav, layouts.NavItem{ID: layouts.OpsAudit, Href: "/ops/auditoria"})
	}
	if Visitor(c).StaffRole.Can(models.ManageReasons) {
		out.Nav = append(out.Nav, layouts.NavItem{ID: layouts.OpsReasons, Href: "/ops/motivos"})
	}
	if Visitor(c).StaffRole.Can(models.ManageStaff) {
		out.Nav = append(out.Nav, layouts.NavItem{ID: layouts.OpsStaff, Href: "/ops/operadores"})
	}
	return out, nil
}

// Staff admits staff whose role has the capability. It must come after Person. A password
// alone is not enough: the session must have had a code or a passkey, and a person who has
// neither is redirected to set one up.
func (s *Site) Staff(capability models.StaffCapability) fiber.Handler {
	return func(c *fiber.Ctx) error {
		v := Visitor(c)
		next := "?next=" + url.QueryEscape(whereIs(c))
		switch {
		case v.StaffRole == nil:
			return fiber.ErrNotFound // the console does not exist for other people
		case !s.protected(v):
			return c.Redirect("/2fa/ativar"+next, fiber.StatusSeeOther)
		case !v.SecondFactor:
			return c.Redirect("/2fa"+next, fiber.StatusSeeOther)
		case !v.StaffRole.Can(capability):
			return refusal.New(refusal.Forbidden, "The person's role does not include this page.")
		}
		return c.Next()
	}
}
