package account

import (
	"crypto/rand"
	"errors"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/account"
	"garoupa/web/page"
)

// readInvite shows GET /convite/:token. A newcomer creates a log-in there; a person who has
// one logs in and accepts.
func (s *account) readInvite(c *fiber.Ctx) error { return s.showInvite(c, pages.InviteProps{}) }

func (s *account) showInvite(c *fiber.Ctx, props pages.InviteProps) error {
	invitation, err := s.Merchants.Invitation(c.UserContext(), c.Params("token"))
	if err != nil {
		return s.deadLink(c, err, pages.DeadInvite)
	}
	props.AuthProps, props.Token, props.ByKey = s.AuthProps(c), c.Params("token"), s.OffersPasskeys()
	props.SSO, props.ByKey = s.sso(), props.ByKey && !s.Merchants.SSOOnly
	props.AuthProps.Path = page.InvitePath + props.Token
	props.Account, props.Inviter = invitation.AccountName, invitation.InviterName
	props.Email, props.Role = invitation.Email, string(invitation.Role)
	v, err := s.Merchants.Visitor(c.UserContext(), s.Token(c))
	switch {
	case err == nil && v.Email == invitation.Email:
		props.State = pages.InviteMine
	case err == nil:
		props.State, props.Visitor = pages.InviteOthers, v.Email
	case !errors.Is(err, models.ErrNotFound):
		return err
	case invitation.Known:
		props.State = pages.InviteKnown
	case s.SignUp == page.SignUpClosed:
		props.State = pages.InviteClosed
	default:
		props.State = pages.InviteNew
	}
	return page.Render(c, pages.Invite(props))
}

// newcomerFields are the fields of a newcomer's form, in their order.
var newcomerFields = []string{"name", "password", "terms"}

// newcomer returns the content of the newcomer's form.
func (s *account) newcomer(c *fiber.Ctx) merchants.Newcomer {
	return merchants.Newcomer{Name: page.Field(c, "name"), Password: page.Field(c, "password"),
		Language: string(i18n.Of(c.UserContext())), Terms: s.acceptance(c)}
}

// showNewcomer shows the form with its problems.
func (s *account) showNewcomer(c *fiber.Ctx, in merchants.Newcomer, problems components.FieldErrors) error {
	c.Status(fiber.StatusUnprocessableEntity)
	return s.showInvite(c, pages.InviteProps{Name: in.Name, Accepted: in.Terms.Accepted, Errors: problems})
}

// joinAsNewcomer handles POST /convite/:token, and logs the new member in.
func (s *account) joinAsNewcomer(c *fiber.Ctx) error {
	if s.SignUp == page.SignUpClosed {
		c.Status(fiber.StatusForbidden)
		return s.showInvite(c, pages.InviteProps{})
	}
	if s.byPasskey(c) && !s.Merchants.SSOOnly {
		return s.joinWithPasskey(c)
	}
	in := s.newcomer(c)
	if s.Merchants.SSOOnly { // the person enters by the verified email, and no one knows this password
		in.Password = rand.Text()
	}
	email, err := s.Merchants.JoinAsNewcomer(c.UserContext(), c.Params("token"), in, c.IP())
	problems, invalid := errors.AsType[merchants.Invalid](err)
	switch {
	case invalid:
		return s.showNewcomer(c, in, page.FieldErrors(c, problems, newcomerFields...))
	case errors.Is(err, merchants.ErrKnown):
		return s.showInvite(c, pages.InviteProps{})
	case err != nil:
		return s.deadLink(c, err, pages.DeadInvite)
	}
	if s.Merchants.SSOOnly {
		return c.Redirect("/entrar", fiber.StatusSeeOther) // a form cannot lead to another site
	}
	return s.startFirst(c, email, in.Password, "/app")
}

// acceptInvite handles POST /convite/:token/aceitar.
func (s *account) acceptInvite(c *fiber.Ctx) error {
	err := s.Merchants.AcceptInvite(c.UserContext(), page.Visitor(c), page.Actor(c), c.Params("token"))
	if errors.Is(err, merchants.ErrOthersInvite) {
		return s.showInvite(c, pages.InviteProps{})
	} else if err != nil {
		return s.deadLink(c, err, pages.DeadInvite)
	}
	if err := s.Flash(c, "invite_accepted"); err != nil {
		return err
	}
	return c.Redirect("/app", fiber.StatusSeeOther)
}
