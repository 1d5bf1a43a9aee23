package dashboard

import (
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// registerTeam adds the pages of an account's members.
func (s *dashboard) registerTeam(app fiber.Router) {
	app.Get("/equipe", s.team)
	app.Get("/equipe/convidar", page.Only(models.Administer), s.StepUp, s.inviteForm)
	app.Post("/equipe/convites", page.Only(models.Administer), s.Heavy, s.StepUp, s.invite)
	app.Post("/equipe/convites/:id/reenviar", page.Only(models.Administer), s.Heavy, s.StepUp, s.resendInvite)
	app.Post("/equipe/convites/:id/cancelar", page.Only(models.Administer), s.StepUp, s.revokeInvite)
	app.Post("/equipe/segunda-etapa", page.Only(models.Own), s.StepUp, s.requireSecondFactor)
	app.Get("/equipe/:id", s.readMember)
	app.Post("/equipe/:id/papel", page.Only(models.Administer), s.StepUp, s.changeRole)
	app.Post("/equipe/:id/remover", s.StepUp, s.removeMember)
	app.Post("/equipe/:id/desligar", page.Only(models.Own), s.StepUp, s.unlinkMember)
	app.Post("/equipe/:id/transferir", page.Only(models.Own), s.StepUp, s.handOver)
}

// duties are the capabilities that the team page explains, in its order.
var duties = []models.Capability{
	models.See, models.Sell, models.Integrate, models.MoveMoney, models.Administer, models.Own,
}

func dutyRows() []pages.DutyRow {
	rows := make([]pages.DutyRow, len(duties))
	for i, duty := range duties {
		rows[i].ID = string(duty)
		for _, role := range pages.Roles {
			rows[i].May = append(rows[i].May, models.Role(role).Can(duty))
		}
	}
	return rows
}

// team shows GET /app/equipe.
func (s *dashboard) team(c *fiber.Ctx) error {
	v := page.Visitor(c)
	people, err := models.Team(c.UserContext(), s.DB.Pool, v.AccountID)
	if err != nil {
		return err
	}
	invites, err := models.OpenInvites(c.UserContext(), s.DB.Pool, v.AccountID)
	if err != nil {
		return err
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props := pages.TeamProps{Shell: shell, CanManage: v.Role.Can(models.Administer), Duties: dutyRows()}
	for _, p := range people {
		props.Members = append(props.Members, memberRow(v, p))
	}
	if v.Role.Can(models.Own) {
		props.Factor = s.factorRule(v, people)
	}
	for _, i := range invites {
		props.Invites = append(props.Invites, pages.InviteRow{
			ID: i.ID, Email: i.Email, Role: string(i.Role), SentAt: i.SentAt, ExpiresAt: i.ExpiresAt,
			Expired: !i.ExpiresAt.After(s.Now()),
		})
	}
	return page.Render(c, pages.Team(props))
}

func memberRow(v *models.Visitor, p models.Colleague) pages.MemberRow {
	return pages.MemberRow{
		ID: p.UserID, Name: p.Name, Email: p.Email, Role: string(p.Role), TOTP: p.TOTP, Passkey: p.Passkey,
		JoinedAt: p.JoinedAt, SeenAt: p.SeenAt, Self: p.UserID == v.UserID,
	}
}

// inviteForm shows GET /app/equipe/convidar.
func (s *dashboard) inviteForm(c *fiber.Ctx) error {
	return s.showInviteForm(c, pages.InviteFormProps{Role: string(models.RoleViewer)})
}

func (s *dashboard) showInviteForm(c *fiber.Ctx, props pages.InviteFormProps) error {
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props.Shell, props.Roles = shell, givenRoles()
	return page.Render(c, pages.InviteForm(props))
}

func givenRoles() []string {
	var roles []string
	for _, role := range merchants.GivenRoles {
		roles = append(roles, string(role))
	}
	return roles
}

// invite handles POST /app/equipe/convites.
func (s *dashboard) invite(c *fiber.Ctx) error {
	props := pages.InviteFormProps{Email: page.Field(c, "email"), Role: page.Field(c, "role")}
	if wait := s.TakeMail(c, page.Visitor(c).AccountID); wait != "" {
		props.Errors = components.FieldErrors{{Text: wait}}
		return s.showInviteForm(c, props)
	}
	_, err := s.Merchants.Invite(c.UserContext(), page.Actor(c),
		merchants.NewInvite{Email: props.Email, Role: models.Role(props.Role)})
	problems, invalid := errors.AsType[merchants.Invalid](err)
	switch {
	case invalid:
		c.Status(fiber.StatusUnprocessableEntity)
		props.Errors = page.FormErrors(c, "invite_", problems, "email", "role")
		return s.showInviteForm(c, props)
	case errors.Is(err, merchants.ErrTooMany):
		c.Status(fiber.StatusUnprocessableEntity)
		props.Errors = components.FieldErrors{{Text: i18n.T(c.UserContext(), "problem.invite_many")}}
		return s.showInviteForm(c, props)
	}
	return s.toTeam(c, err, "invite_sent")
}

// toTeam redirects to the team page with a message: flash, or the reason in err.
func (s *dashboard) toTeam(c *fiber.Ctx, err error, flash string) error {
	switch {
	case errors.Is(err, merchants.ErrTooSoon):
		flash = "invite_too_soon"
	case errors.Is(err, merchants.ErrOnlyWay):
		flash = "provider_only_way"
	case errors.Is(err, merchants.ErrOwner):
		flash = "owner_stays"
	case err != nil:
		return err
	}
	if err := s.Flash(c, flash); err != nil {
		return err
	}
	return c.Redirect("/app/equipe", fiber.StatusSeeOther)
}

// resendInvite handles POST /app/equipe/convites/:id/reenviar.
func (s *dashboard) resendInvite(c *fiber.Ctx) error {
	if !s.Limits.Mails.Take(page.Visitor(c).AccountID, s.Now()).Allowed {
		return s.toTeam(c, nil, "invites_wait")
	}
	return s.toTeam(c, s.Merchants.ResendInvite(c.UserContext(), page.Actor(c), c.Params("id")), "invite_sent")
}

// revokeInvite handles POST /app/equipe/convites/:id/cancelar.
func (s *dashboard) revokeInvite(c *fiber.Ctx) error {
	return s.toTeam(c, s.Merchants.RevokeInvite(c.UserContext(), page.Actor(c), c.Params("id")), "invite_revoked")
}

// teammate returns the member that the path names, or models.ErrNotFound.
func (s *dashboard) teammate(c *fiber.Ctx) (*models.Colleague, error) {
	people, err := models.Team(c.UserContext(), s.DB.Pool, page.Visitor(c).AccountID)
	if err != nil {
		return nil, err
	}
	for i := range people {
		if people[i].UserID == c.Params("id") {
			return &people[i], nil
		}
	}
	return nil, fmt.Errorf("dashboard: read member: %w", models.ErrNotFound)
}

// readMember shows GET /app/equipe/:id, with the forms for changing the role, leaving or
// handing the account over.
func (s *dashboard) readMember(c *fiber.Ctx) error {
	person, err := s.teammate(c)
	if err != nil {
		return err
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	v, others := page.Visitor(c), person.Role != models.RoleOwner
	props := pages.MemberProps{
		Shell: shell, Member: memberRow(v, *person), Roles: givenRoles(),
		CanChange:   others && v.Role.Can(models.Administer),
		CanRemove:   others && (v.Role.Can(models.Administer) || person.UserID == v.UserID),
		CanHandOver: others && v.Role.Can(models.Own),
	}
	if person.Linked && others && v.Role.Can(models.Own) {
		props.Provider = s.SSOName()
	}
	return page.Render(c, pages.Member(props))
}

// unlinkMember handles POST /app/equipe/:id/desligar. A member who was unlinked already counts as done.
func (s *dashboard) unlinkMember(c *fiber.Ctx) error {
	err := s.Merchants.UnlinkMember(c.UserContext(), page.Actor(c), c.Params("id"))
	if errors.Is(err, merchants.ErrNotLinked) {
		err = nil
	}
	return s.toTeam(c, err, "provider_unlinked")
}

// changeRole handles POST /app/equipe/:id/papel.
func (s *dashboard) changeRole(c *fiber.Ctx) error {
	err := s.Merchants.ChangeRole(c.UserContext(), page.Actor(c), c.Params("id"), models.Role(page.Field(c, "role")))
	if _, invalid := errors.AsType[merchants.Invalid](err); invalid {
		return c.Redirect("/app/equipe/"+c.Params("id"), fiber.StatusSeeOther) // no page offers such a role
	}
	return s.toTeam(c, err, "role_changed")
}

// removeMember handles POST /app/equipe/:id/remover. A member who leaves is redirected to
// another of their accounts, or logged out.
func (s *dashboard) removeMember(c *fiber.Ctx) error {
	v := page.Visitor(c)
	err := s.Merchants.RemoveMember(c.UserContext(), page.Actor(c), c.Params("id"))
	if err != nil || c.Params("id") != v.UserID {
		return s.toTeam(c, err, "member_removed")
	}
	return s.leave(c)
}

// leave switches the session to another account of the person, after the current one was left.
func (s *dashboard) leave(c *fiber.Ctx) error {
	v := page.Visitor(c)
	rest, err := models.Memberships(c.UserContext(), s.DB.Pool, v.UserID)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		if err := s.Merchants.LookAtAccount(c.UserContext(), v, rest[0].AccountID); err != nil {
			return err
		}
	}
	if err := s.Flash(c, "member_left"); err != nil {
		return err
	}
	return c.Redirect("/app", fiber.StatusSeeOther)
}

// handOver handles POST /app/equipe/:id/transferir.
func (s *dashboard) handOver(c *fiber.Ctx) error {
	return s.toTeam(c, s.Merchants.HandOver(c.UserContext(), page.Actor(c), c.Params("id")), "owner_changed")
}
