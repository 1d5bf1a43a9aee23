package web

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// opsStaff shows GET /ops/operadores: who works for the installation, and their sessions.
func (s *server) opsStaff(c *fiber.Ctx) error { return s.showStaff(c, "", "") }

// showStaff answers with the staff; problem says why nothing was done, changed who was
// first.
func (s *server) showStaff(c *fiber.Ctx, problem, changed string) error {
	members, err := models.StaffMembers(c.UserContext(), s.DB.Pool, s.Now())
	if err != nil {
		return err
	}
	shell, err := s.opsShell(c)
	if err != nil {
		return err
	}
	props := pages.OpsStaffProps{Shell: shell, Problem: problem, Changed: changed}
	for _, m := range members {
		props.Rows = append(props.Rows, pages.OpsStaffRow{
			ID: m.ID, Name: m.Name, Email: m.Email, Role: string(m.Role), You: m.ID == visitor(c).UserID, SecondFactor: m.TOTP || m.Passkey,
			Since: m.CreatedAt, Sessions: m.Sessions, LastSeen: m.LastSeenAt, LastIP: m.LastIP,
		})
	}
	return render(c, pages.OpsStaff(props))
}

// opsSetStaff handles POST /ops/operadores/:id: another role, or none any more. The form
// has the role that was looked at as its version.
func (s *server) opsSetStaff(c *fiber.Ctx) error {
	role, flash := models.StaffRole(c.FormValue("role")), "ops_staff_changed"
	if role == pages.OutcomeRemove {
		role, flash = "", "ops_staff_removed"
	} else if role == "" {
		return s.toOps(c, "/ops/operadores", "ops_changed")
	}
	err := s.Merchants.SetStaffRole(c.UserContext(), staffActor(c), c.Params("id"), models.StaffRole(c.FormValue("version")), role)
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
			return s.toOps(c, "/ops/operadores", "ops_changed")
		}
		return err
	}
	return s.toOps(c, "/ops/operadores", flash)
}

// opsEndSessions handles POST /ops/operadores/:id/sessoes.
func (s *server) opsEndSessions(c *fiber.Ctx) error {
	if _, err := s.Merchants.EndStaffSessions(c.UserContext(), staffActor(c), c.Params("id")); err != nil {
		return err
	}
	return s.toOps(c, "/ops/operadores", "ops_sessions_ended")
}
