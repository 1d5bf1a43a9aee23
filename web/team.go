package web

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// registerTeam adds the pages of an account's members.
func (s *server) registerTeam(app fiber.Router) {
	app.Get("/equipe", s.team)
	app.Get("/equipe/convidar", administrator, s.stepUp, s.inviteForm)
	app.Post("/equipe/convites", administrator, s.stepUp, s.invite)
	app.Post("/equipe/convites/:id/reenviar", administrator, s.stepUp, s.resendInvite)
	app.Post("/equipe/convites/:id/cancelar", administrator, s.stepUp, s.revokeInvite)
	app.Get("/equipe/:id", s.readMember)
	app.Post("/equipe/:id/papel", administrator, s.stepUp, s.changeRole)
	app.Post("/equipe/:id/remover", s.stepUp, s.removeMember)
	app.Post("/equipe/:id/transferir", owner, s.stepUp, s.handOver)
	app.Get("/contas", s.accounts)
	app.Post("/contas", s.switchAccount)
}

// administrator lets in members who look after the team.
func administrator(c *fiber.Ctx) error {
	if !mayAdminister(visitor(c)) {
		return fault.New(fault.Forbidden, "The member's role does not include this page.")
	}
	return c.Next()
}

func mayAdminister(v *models.Visitor) bool { return slices.Contains(merchants.Administrators, v.Role) }

// duties are what roles may do, as the page shows it: by the lists that the routes
// themselves are guarded by.
var duties = []struct {
	id    string
	roles []models.Role
}{
	{"see", []models.Role{models.RoleOwner, models.RoleAdmin, models.RoleDeveloper, models.RoleFinance, models.RoleViewer}},
	{"sell", developers},
	{"integrate", developers},
	{"money", treasurers},
	{"people", merchants.Administrators},
	{"own", []models.Role{models.RoleOwner}},
}

func dutyRows() []pages.DutyRow {
	rows := make([]pages.DutyRow, len(duties))
	for i, duty := range duties {
		rows[i].ID = duty.id
		for _, role := range pages.Roles {
			rows[i].May = append(rows[i].May, slices.Contains(duty.roles, models.Role(role)))
		}
	}
	return rows
}

// team shows GET /app/equipe.
func (s *server) team(c *fiber.Ctx) error {
	v := visitor(c)
	people, err := models.Team(c.UserContext(), s.DB.Pool, v.AccountID)
	if err != nil {
		return err
	}
	invites, err := models.OpenInvites(c.UserContext(), s.DB.Pool, v.AccountID)
	if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.TeamProps{Shell: shell, CanManage: mayAdminister(v), Duties: dutyRows()}
	for _, p := range people {
		props.Members = append(props.Members, memberRow(v, p))
	}
	for _, i := range invites {
		props.Invites = append(props.Invites, pages.InviteRow{
			ID: i.ID, Email: i.Email, Role: string(i.Role), SentAt: i.SentAt, ExpiresAt: i.ExpiresAt, Expired: !i.ExpiresAt.After(s.Now()),
		})
	}
	return render(c, pages.Team(props))
}

func memberRow(v *models.Visitor, p models.Colleague) pages.MemberRow {
	return pages.MemberRow{
		ID: p.UserID, Name: p.Name, Email: p.Email, Role: string(p.Role), TOTP: p.TOTP, Passkey: p.Passkey, JoinedAt: p.JoinedAt, SeenAt: p.SeenAt, Self: p.UserID == v.UserID,
	}
}

// inviteForm shows GET /app/equipe/convidar.
func (s *server) inviteForm(c *fiber.Ctx) error {
	return s.showInviteForm(c, pages.InviteFormProps{Role: string(models.RoleViewer)})
}

func (s *server) showInviteForm(c *fiber.Ctx, props pages.InviteFormProps) error {
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props.Shell, props.Roles = shell, givenRoles()
	if c.Method() != fiber.MethodGet {
		props.Shell.Path = "/app/equipe/convidar"
	}
	return render(c, pages.InviteForm(props))
}

func givenRoles() []string {
	var roles []string
	for _, role := range merchants.GivenRoles {
		roles = append(roles, string(role))
	}
	return roles
}

// invite handles POST /app/equipe/convites.
func (s *server) invite(c *fiber.Ctx) error {
	props := pages.InviteFormProps{Email: c.FormValue("email"), Role: c.FormValue("role")}
	_, err := s.Merchants.Invite(c.UserContext(), actor(c), merchants.NewInvite{Email: props.Email, Role: models.Role(props.Role)})
	problems, invalid := errors.AsType[merchants.Invalid](err)
	switch {
	case invalid:
		c.Status(fiber.StatusUnprocessableEntity)
		props.Errors = errorsOf(c, "invite_", problems, "email", "role")
		return s.showInviteForm(c, props)
	case errors.Is(err, merchants.ErrTooMany):
		c.Status(fiber.StatusUnprocessableEntity)
		props.Errors = components.FieldErrors{{Text: i18n.T(c.UserContext(), "problem.invite_many")}}
		return s.showInviteForm(c, props)
	}
	return s.toTeam(c, err, "invite_sent")
}

// toTeam goes back to the team and says what was done, or that nothing was.
func (s *server) toTeam(c *fiber.Ctx, err error, flash string) error {
	switch {
	case errors.Is(err, merchants.ErrTooSoon):
		flash = "invite_too_soon"
	case errors.Is(err, merchants.ErrOwner):
		flash = "owner_stays"
	case err != nil:
		return err
	}
	if err := s.flash(c, flash); err != nil {
		return err
	}
	return c.Redirect("/app/equipe", fiber.StatusSeeOther)
}

// resendInvite handles POST /app/equipe/convites/:id/reenviar.
func (s *server) resendInvite(c *fiber.Ctx) error {
	return s.toTeam(c, s.Merchants.ResendInvite(c.UserContext(), actor(c), c.Params("id")), "invite_sent")
}

// revokeInvite handles POST /app/equipe/convites/:id/cancelar.
func (s *server) revokeInvite(c *fiber.Ctx) error {
	return s.toTeam(c, s.Merchants.RevokeInvite(c.UserContext(), actor(c), c.Params("id")), "invite_revoked")
}

// teammate returns the member that the path names, or models.ErrNotFound.
func (s *server) teammate(c *fiber.Ctx) (*models.Colleague, error) {
	people, err := models.Team(c.UserContext(), s.DB.Pool, visitor(c).AccountID)
	if err != nil {
		return nil, err
	}
	for i := range people {
		if people[i].UserID == c.Params("id") {
			return &people[i], nil
		}
	}
	return nil, fmt.Errorf("web: read member: %w", models.ErrNotFound)
}

// readMember shows GET /app/equipe/:id, where a member is given another role, leaves
// or becomes the owner.
func (s *server) readMember(c *fiber.Ctx) error {
	person, err := s.teammate(c)
	if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	v, others := visitor(c), person.Role != models.RoleOwner
	return render(c, pages.Member(pages.MemberProps{
		Shell: shell, Member: memberRow(v, *person), Roles: givenRoles(),
		CanChange: others && mayAdminister(v), CanRemove: others && (mayAdminister(v) || person.UserID == v.UserID),
		CanHandOver: others && v.Role == models.RoleOwner,
	}))
}

// changeRole handles POST /app/equipe/:id/papel.
func (s *server) changeRole(c *fiber.Ctx) error {
	err := s.Merchants.ChangeRole(c.UserContext(), actor(c), c.Params("id"), models.Role(c.FormValue("role")))
	if _, invalid := errors.AsType[merchants.Invalid](err); invalid {
		return c.Redirect("/app/equipe/"+c.Params("id"), fiber.StatusSeeOther) // no page offers such a role
	}
	return s.toTeam(c, err, "role_changed")
}

// removeMember handles POST /app/equipe/:id/remover. Who leaves an account is led to
// another of theirs, or out.
func (s *server) removeMember(c *fiber.Ctx) error {
	v := visitor(c)
	err := s.Merchants.RemoveMember(c.UserContext(), actor(c), c.Params("id"))
	if err != nil || c.Params("id") != v.UserID {
		return s.toTeam(c, err, "member_removed")
	}
	return s.leave(c)
}

// leave makes a browser whose account is gone look at another one.
func (s *server) leave(c *fiber.Ctx) error {
	v := visitor(c)
	rest, err := models.Memberships(c.UserContext(), s.DB.Pool, v.UserID)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		if err := s.Merchants.LookAtAccount(c.UserContext(), v, rest[0].AccountID); err != nil {
			return err
		}
	}
	if err := s.flash(c, "member_left"); err != nil {
		return err
	}
	return c.Redirect("/app", fiber.StatusSeeOther)
}

// handOver handles POST /app/equipe/:id/transferir.
func (s *server) handOver(c *fiber.Ctx) error {
	return s.toTeam(c, s.Merchants.HandOver(c.UserContext(), actor(c), c.Params("id")), "owner_changed")
}
