package console

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// registerStaff adds the list of the staff.
func (s *console) registerStaff(ops fiber.Router) {
	ops.Get("/operadores", s.Staff(models.ManageStaff), s.listStaff)
	ops.Post("/operadores/:id", s.Staff(models.ManageStaff), s.StepUp, s.setStaff)
	ops.Post("/operadores/:id/desligar", s.Staff(models.ManageStaff), s.StepUp, s.unlinkStaff)
	ops.Post("/operadores/:id/sessoes", s.Staff(models.ManageStaff), s.StepUp, s.endSessions)
}

// listStaff shows GET /ops/operadores: the staff and their sessions.
func (s *console) listStaff(c *fiber.Ctx) error { return s.showStaff(c, "", "") }

// showStaff answers with the staff. problem says why nothing was done, changed names the
// person who was first.
func (s *console) showStaff(c *fiber.Ctx, problem, changed string) error {
	members, err := models.StaffMembers(c.UserContext(), s.DB.Read, s.Now())
	if err != nil {
		return err
	}
	shell, err := s.ConsoleShell(c)
	if err != nil {
		return err
	}
	props := pages.StaffProps{Shell: shell, Problem: problem, Changed: changed}
	for _, m := range members {
		props.Rows = append(props.Rows, pages.StaffRow{
			ID: m.ID, Name: m.Name, Email: m.Email, Role: string(m.Role), You: m.ID == page.Visitor(c).UserID,
			SecondFactor: m.TOTP || m.Passkey, Linked: m.Linked && s.SSOName() != "",
			Since: m.CreatedAt, Sessions: m.Sessions, LastSeen: m.LastSeenAt, LastIP: m.LastIP,
		})
	}
	return page.Render(c, pages.Staff(props))
}

// setStaff handles POST /ops/operadores/:id: it changes the role, or removes the person from
// the staff. The form's version is the role that was shown.
func (s *console) setStaff(c *fiber.Ctx) error {
	role, flash := models.StaffRole(page.Field(c, "role")), "ops_staff_changed"
	if role == pages.OutcomeRemove {
		role, flash = "", "ops_staff_removed"
	} else if role == "" {
		return s.goTo(c, "/ops/operadores", "ops_changed")
	}
	seen := models.StaffRole(page.Field(c, "version"))
	err := s.Merchants.SetStaffRole(c.UserContext(), page.Actor(c), c.Params("id"), seen, role)
	switch {
	case errors.Is(err, merchants.ErrLastSupervisor):
		c.Status(fiber.StatusConflict)
		return s.showStaff(c, i18n.T(c.UserContext(), "ops.staff_last"), "")
	case errors.Is(err, merchants.ErrChanged):
		changed, err := s.lastAct(c, c.Params("id"))
		if err != nil {
			return err
		}
		c.Status(fiber.StatusConflict)
		return s.showStaff(c, "", changed)
	case err != nil:
		if _, wrong := errors.AsType[merchants.Invalid](err); wrong {
			return s.goTo(c, "/ops/operadores", "ops_changed")
		}
		return err
	}
	return s.goTo(c, "/ops/operadores", flash)
}

// endSessions handles POST /ops/operadores/:id/sessoes.
func (s *console) endSessions(c *fiber.Ctx) error {
	if _, err := s.Merchants.EndStaffSessions(c.UserContext(), page.Actor(c), c.Params("id")); err != nil {
		return err
	}
	return s.goTo(c, "/ops/operadores", "ops_sessions_ended")
}

// unlinkStaff handles POST /ops/operadores/:id/desligar. A person who was unlinked already counts as done.
func (s *console) unlinkStaff(c *fiber.Ctx) error {
	err := s.Merchants.UnlinkStaff(c.UserContext(), page.Actor(c), c.Params("id"))
	switch {
	case errors.Is(err, merchants.ErrOnlyWay):
		return s.goTo(c, "/ops/operadores", "provider_only_way")
	case err != nil && !errors.Is(err, merchants.ErrNotLinked):
		return err
	}
	return s.goTo(c, "/ops/operadores", "provider_unlinked")
}
