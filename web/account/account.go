// Package account serves the pages for a person's own log-in: sign-up and log-in, second
// factors and passkeys, passwords, email addresses, invitations and sessions.
package account

import (
	"errors"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
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
var signUpFields = []string{"name", "business", "email", "password", "terms"}

// takeSignUp takes one of the sign-ups of the client's address, because each sends a mail to an
// address that the visitor typed. If none is left, it sets the status 429 and returns the text
// to show.
func (s *account) takeSignUp(c *fiber.Ctx) (wait string) {
	return s.TakeFrom(c, s.Limits.SignUps, page.AddressKey(c))
}

// returnSignUp puts back what takeSignUp took for a form that was invalid.
func (s *account) returnSignUp(c *fiber.Ctx) {
	s.Limits.SignUps.Return(page.AddressKey(c), s.Now())
}

// showSignUp shows the form with its problems.
func (s *account) showSignUp(c *fiber.Ctx, in merchants.NewMerchant, taken bool,
	problems components.FieldErrors) error {
	c.Status(fiber.StatusUnprocessableEntity)
	return s.signUpAgain(c, in, taken, problems)
}

// signUpAgain is showSignUp with the status that is set.
func (s *account) signUpAgain(c *fiber.Ctx, in merchants.NewMerchant, taken bool,
	problems components.FieldErrors) error {
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
	if wait := s.takeSignUp(c); wait != "" {
		return s.signUpAgain(c, in, false, components.FieldErrors{{Text: wait}})
	}
	_, err := s.Merchants.SignUp(c.UserContext(), in, c.IP())
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		s.returnSignUp(c)
		return s.showSignUp(c, in, problems["email"] == merchants.Taken, page.FieldErrors(c, problems, signUpFields...))
	} else if err != nil {
		return err
	}
	return s.startFirst(c, in.Email, in.Password, page.VerifyPath)
}

// startFirst is start for a person who has just got a log-in. If there are too many log-ins, the
// person logs in later.
func (s *account) startFirst(c *fiber.Ctx, email, password, next string) error {
	err := s.start(c, email, password, next)
	if errors.Is(err, models.ErrOverloaded) {
		return c.Redirect("/entrar", fiber.StatusSeeOther)
	}
	return err
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
		SignsUp: s.SignsUp() && !s.Merchants.SSOOnly, SSO: s.sso(),
	}))
}

// logIn handles POST /entrar.
func (s *account) logIn(c *fiber.Ctx) error {
	email, next := page.Field(c, "email"), page.Local(page.Field(c, "next"), "/app")
	if wait := s.Tries(c, email); wait != "" {
		return s.showLogIn(c, email, next, wait)
	}
	guess, wait, err := s.GuessPassword(c, email)
	if err != nil {
		return err
	} else if wait != "" {
		return s.showLogIn(c, email, next, wait)
	}
	err = s.start(c, email, page.Field(c, "password"), next)
	if errors.Is(err, merchants.ErrCredentials) {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showLogIn(c, email, next, i18n.T(c.UserContext(), "problem.log_in"))
	}
	guess.Right()
	return err
}

func (s *account) showLogIn(c *fiber.Ctx, email, next, problem string) error {
	return page.Render(c, pages.LogIn(pages.LogInProps{
		AuthProps: s.AuthProps(c), Email: email, Next: next, Errors: components.FieldErrors{{Text: problem}},
		ByKey: s.OffersPasskeys(), SignsUp: s.SignsUp() && !s.Merchants.SSOOnly, SSO: s.sso(),
	}))
}

// start logs in with a new token, so that a token which another person planted in the browser
// is worthless.
func (s *account) start(c *fiber.Ctx, email, password, next string) error {
	from := s.LogInFrom(c)
	token, err := s.Merchants.LogIn(c.UserContext(), email, password, from)
	if errors.Is(err, merchants.ErrCodeNeeded) {
		next = "/2fa?next=" + url.QueryEscape(next)
	} else if err != nil {
		return err
	}
	return s.enter(c, token, from, next)
}

// enter stores the token of a new session in the browser's cookie, remembers the browser, and redirects to
// next. The browser's former session ends.
func (s *account) enter(c *fiber.Ctx, token string, from merchants.Browser, next string) error {
	if before := s.Token(c); before != "" {
		if err := s.Merchants.LogOut(c.UserContext(), before, from); err != nil {
			return err
		}
	}
	if err := s.KeepToken(c, token); err != nil {
		return err
	}
	if err := s.Remember(c, token, from); err != nil {
		return err
	}
	return c.Redirect(next, fiber.StatusSeeOther)
}

// logOut handles POST /sair.
func (s *account) logOut(c *fiber.Ctx) error {
	flash := "logged_out"
	if token := s.Token(c); token != "" {
		if s.startedBySSO(c, token) {
			flash = "logged_out_sso"
		}
		if err := s.Merchants.LogOut(c.UserContext(), token, s.Browser(c)); err != nil {
			return err
		}
	}
	if err := s.KeepToken(c, ""); err != nil {
		return err
	}
	if err := s.Flash(c, flash); err != nil {
		return err
	}
	c.Set("Clear-Site-Data", `"cache", "storage"`) // no "cookies": the language and the theme stay
	next := "/entrar"
	if path := page.Local(page.Field(c, "next"), ""); strings.HasPrefix(path, page.InvitePath) {
		next = path // the invitation may be for another person than the one who was logged in
	}
	return c.Redirect(next, fiber.StatusSeeOther)
}
