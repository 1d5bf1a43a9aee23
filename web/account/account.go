// Package account serves the pages for a person's own log-in: sign-up and log-in, second
// factors and passkeys, passwords, email addresses, invitations and sessions.
package account

import (
	"errors"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/account"
	"garoupa/web/page"
)

type account struct{ *page.Site }

// signUpForm shows GET /cadastro.
func (s *account) signUpForm(c *fiber.Ctx) error {
	if !s.SignsUp() {
		return s.showNoSignUp(c)
	}
	return page.Render(c, pages.SignUp(pages.SignUpProps{AuthProps: s.AuthProps(c), ByKey: s.OffersPasskeys()}))
}

// showNoSignUp shows why the form is missing.
func (s *account) showNoSignUp(c *fiber.Ctx) error {
	return page.Render(c, pages.NoSignUp(pages.NoSignUpProps{
		AuthProps: s.AuthProps(c), Invited: s.SignUp == page.SignUpByInvitation,
	}))
}

// signUpFields are the fields of the sign-up form, in their order.
var signUpFields = []string{"name", "business", "email", "terms", "password"}

// showSignUp shows the form with its problems.
func (s *account) showSignUp(c *fiber.Ctx, in merchants.NewMerchant, taken bool,
	problems components.FieldErrors) error {
	c.Status(fiber.StatusUnprocessableEntity)
	return page.Render(c, pages.SignUp(pages.SignUpProps{
		AuthProps: s.AuthProps(c), Name: in.Name, Business: in.Business, Email: in.Email, Accepted: in.Terms.Accepted,
		Taken: taken, Errors: problems, ByKey: s.OffersPasskeys(),
	}))
}

// signUp handles POST /cadastro and logs the new member in.
func (s *account) signUp(c *fiber.Ctx) error {
	if !s.SignsUp() {
		c.Status(fiber.StatusForbidden)
		return s.showNoSignUp(c)
	}
	if s.byPasskey(c) {
		return s.signUpWithPasskey(c)
	}
	in := s.newMerchant(c)
	_, err := s.Merchants.SignUp(c.UserContext(), in, c.IP())
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		return s.showSignUp(c, in, problems["email"] == merchants.Taken, page.FieldErrors(c, problems, signUpFields...))
	} else if err != nil {
		return err
	}
	return s.start(c, in.Email, in.Password, page.VerifyPath)
}

// acceptance returns which terms of use the form of a new log-in accepts.
func (s *account) acceptance(c *fiber.Ctx) merchants.Acceptance {
	return merchants.Acceptance{TermsURL: s.TermsURL, Accepted: page.Field(c, "terms") != ""}
}

// logInForm shows GET /entrar.
func (s *account) logInForm(c *fiber.Ctx) error {
	flash, err := s.TakeFlash(c)
	if err != nil {
		return err
	}
	return page.Render(c, pages.LogIn(pages.LogInProps{
		AuthProps: s.AuthProps(c), Next: page.Local(c.Query("next"), ""), Flash: flash, ByKey: s.OffersPasskeys(),
		SignsUp: s.SignsUp(),
	}))
}

// logIn handles POST /entrar.
func (s *account) logIn(c *fiber.Ctx) error {
	email, next := page.Field(c, "email"), page.Local(page.Field(c, "next"), "/app")
	if wait := s.Tries(c, email); wait != "" {
		return s.showLogIn(c, email, next, wait)
	}
	err := s.start(c, email, page.Field(c, "password"), next)
	if errors.Is(err, merchants.ErrCredentials) {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showLogIn(c, email, next, i18n.T(c.UserContext(), "problem.log_in"))
	}
	return err
}

func (s *account) showLogIn(c *fiber.Ctx, email, next, problem string) error {
	return page.Render(c, pages.LogIn(pages.LogInProps{
		AuthProps: s.AuthProps(c), Email: email, Next: next, Errors: components.FieldErrors{{Text: problem}},
		ByKey: s.OffersPasskeys(), SignsUp: s.SignsUp(),
	}))
}

// start logs in with a new token, so that a token which another person planted in the browser
// is worthless.
func (s *account) start(c *fiber.Ctx, email, password, next string) error {
	token, err := s.Merchants.LogIn(c.UserContext(), email, password,
		merchants.Browser{IP: c.IP(), UserAgent: c.Get(fiber.HeaderUserAgent)})
	if errors.Is(err, merchants.ErrCodeNeeded) {
		next = "/2fa?next=" + url.QueryEscape(next)
	} else if err != nil {
		return err
	}
	return s.enter(c, token, next)
}

// enter stores the token of a new session in the browser's cookie and redirects to next.
func (s *account) enter(c *fiber.Ctx, token, next string) error {
	sess := s.Session(c)
	sess.Values = map[any]any{page.SessionToken: token}
	if err := s.Save(c, sess); err != nil {
		return err
	}
	return c.Redirect(next, fiber.StatusSeeOther)
}

// logOut handles POST /sair.
func (s *account) logOut(c *fiber.Ctx) error {
	if token := s.Token(c); token != "" {
		if err := s.Merchants.LogOut(c.UserContext(), token); err != nil {
			return err
		}
	}
	s.Session(c).Values = map[any]any{}
	if err := s.Flash(c, "logged_out"); err != nil {
		return err
	}
	c.Set("Clear-Site-Data", `"cache", "storage"`) // no "cookies": the language and the theme stay
	next := "/entrar"
	if path := page.Local(page.Field(c, "next"), ""); strings.HasPrefix(path, page.InvitePath) {
		next = path // the invitation may be for another person than the one who was logged in
	}
	return c.Redirect(next, fiber.StatusSeeOther)
}
