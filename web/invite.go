package web

import (
	"errors"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// invitePath is where the links of invitations lead, with a token after it.
const invitePath = "/convite/"

// LogPath is a request's path as the log may show it: without the token of an
// invitation, which opens an account to whoever has it.
func LogPath(path string) string {
	if strings.HasPrefix(path, invitePath) {
		return invitePath + "…"
	}
	return path
}

// readInvite shows GET /convite/:token to whoever has the link: a newcomer makes a
// log-in, somebody who has one logs in and accepts.
func (s *server) readInvite(c *fiber.Ctx) error { return s.showInvite(c, pages.InviteProps{}) }

func (s *server) showInvite(c *fiber.Ctx, props pages.InviteProps) error {
	invitation, err := s.Merchants.Invitation(c.UserContext(), c.Params("token"))
	if err != nil {
		return s.deadLink(c, err, pages.DeadInvite)
	}
	props.AuthProps, props.Token, props.ByKey = s.auth(c), c.Params("token"), s.offersPasskeys()
	props.AuthProps.Path = invitePath + props.Token
	props.Account, props.Inviter, props.Email, props.Role = invitation.AccountName, invitation.InviterName, invitation.Email, string(invitation.Role)
	v, err := s.Merchants.Visitor(c.UserContext(), s.token(c))
	switch {
	case err == nil && v.Email == invitation.Email:
		props.State = pages.InviteMine
	case err == nil:
		props.State, props.Visitor = pages.InviteOthers, v.Email
	case !errors.Is(err, models.ErrNotFound):
		return err
	case invitation.Known:
		props.State = pages.InviteKnown
	default:
		props.State = pages.InviteNew
	}
	return render(c, pages.Invite(props))
}

// newcomerFields are the fields of a newcomer's form, in their order.
var newcomerFields = []string{"name", "terms", "password"}

// newcomer is what that form says.
func (s *server) newcomer(c *fiber.Ctx) merchants.Newcomer {
	return merchants.Newcomer{Name: c.FormValue("name"), Password: c.FormValue("password"), Language: string(i18n.Of(c.UserContext())), Terms: s.acceptance(c)}
}

// showNewcomer shows it with what is wrong with it.
func (s *server) showNewcomer(c *fiber.Ctx, in merchants.Newcomer, problems components.FieldErrors) error {
	c.Status(fiber.StatusUnprocessableEntity)
	return s.showInvite(c, pages.InviteProps{Name: in.Name, Accepted: in.Terms.Accepted, Errors: problems})
}

// joinAsNewcomer handles POST /convite/:token, and logs the new member in.
func (s *server) joinAsNewcomer(c *fiber.Ctx) error {
	if s.byPasskey(c) {
		return s.joinWithPasskey(c)
	}
	in := s.newcomer(c)
	email, err := s.Merchants.JoinAsNewcomer(c.UserContext(), c.Params("token"), in, c.IP())
	problems, invalid := errors.AsType[merchants.Invalid](err)
	switch {
	case invalid:
		return s.showNewcomer(c, in, fieldErrors(c, problems, newcomerFields...))
	case errors.Is(err, merchants.ErrKnown):
		return s.showInvite(c, pages.InviteProps{})
	case err != nil:
		return s.deadLink(c, err, pages.DeadInvite)
	}
	return s.start(c, email, in.Password, "/app")
}

// acceptInvite handles POST /convite/:token/aceitar.
func (s *server) acceptInvite(c *fiber.Ctx) error {
	err := s.Merchants.AcceptInvite(c.UserContext(), visitor(c), actor(c), c.Params("token"))
	if errors.Is(err, merchants.ErrOthersInvite) {
		return s.showInvite(c, pages.InviteProps{})
	} else if err != nil {
		return s.deadLink(c, err, pages.DeadInvite)
	}
	if err := s.flash(c, "invite_accepted"); err != nil {
		return err
	}
	return c.Redirect("/app", fiber.StatusSeeOther)
}

// accounts shows GET /app/contas: those that the visitor is a member of.
func (s *server) accounts(c *fiber.Ctx) error {
	v := visitor(c)
	memberships, err := models.Memberships(c.UserContext(), s.DB.Pool, v.UserID)
	if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.AccountsProps{Shell: shell}
	for _, m := range memberships {
		props.Accounts = append(props.Accounts, pages.AccountRow{ID: m.AccountID, Name: m.AccountName, Role: string(m.Role), Current: m.AccountID == v.AccountID})
	}
	return render(c, pages.Accounts(props))
}

// switchAccount handles POST /app/contas.
func (s *server) switchAccount(c *fiber.Ctx) error {
	if err := s.Merchants.LookAtAccount(c.UserContext(), visitor(c), c.FormValue("account")); err != nil {
		return err
	}
	return c.Redirect("/app", fiber.StatusSeeOther)
}
