package web

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	"garoupa/views/pages"
)

func (s *server) auth(c *fiber.Ctx) layouts.AuthProps {
	return layouts.AuthProps{Theme: theme(c), Path: c.OriginalURL(), Demo: s.Demo, Legal: s.legal()}
}

// signUpForm shows GET /cadastro.
func (s *server) signUpForm(c *fiber.Ctx) error {
	return render(c, pages.SignUp(pages.SignUpProps{AuthProps: s.auth(c), ByKey: s.offersPasskeys()}))
}

// signUpFields are the fields of its form, in their order.
var signUpFields = []string{"name", "business", "email", "terms", "password"}

// showSignUp shows the form with what is wrong with it.
func (s *server) showSignUp(c *fiber.Ctx, in merchants.NewMerchant, taken bool, problems components.FieldErrors) error {
	c.Status(fiber.StatusUnprocessableEntity)
	return render(c, pages.SignUp(pages.SignUpProps{
		AuthProps: s.auth(c), Name: in.Name, Business: in.Business, Email: in.Email, Accepted: in.Terms.Accepted, Taken: taken, Errors: problems, ByKey: s.offersPasskeys(),
	}))
}

// signUp handles POST /cadastro and logs the new member in.
func (s *server) signUp(c *fiber.Ctx) error {
	if s.byPasskey(c) {
		return s.signUpWithPasskey(c)
	}
	in := s.newMerchant(c)
	_, err := s.Merchants.SignUp(c.UserContext(), in, c.IP())
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		return s.showSignUp(c, in, problems["email"] == merchants.Taken, fieldErrors(c, problems, signUpFields...))
	} else if err != nil {
		return err
	}
	return s.start(c, in.Email, in.Password, verifyPath)
}

// acceptance is what the form of a new log-in says to the terms of use.
func (s *server) acceptance(c *fiber.Ctx) merchants.Acceptance {
	return merchants.Acceptance{TermsURL: s.TermsURL, Accepted: c.FormValue("terms") != ""}
}

// logInForm shows GET /entrar.
func (s *server) logInForm(c *fiber.Ctx) error {
	flash, err := s.takeFlash(c)
	if err != nil {
		return err
	}
	return render(c, pages.LogIn(pages.LogInProps{
		AuthProps: s.auth(c), Next: local(c.Query("next"), ""), Flash: flash, ByKey: s.offersPasskeys(),
	}))
}

// logIn handles POST /entrar.
func (s *server) logIn(c *fiber.Ctx) error {
	email, next := c.FormValue("email"), local(c.FormValue("next"), "/app")
	if wait := s.tries(c, email); wait != "" {
		return s.showLogIn(c, email, next, wait)
	}
	err := s.start(c, email, c.FormValue("password"), next)
	if errors.Is(err, merchants.ErrCredentials) {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showLogIn(c, email, next, i18n.T(c.UserContext(), "problem.log_in"))
	}
	return err
}

// tries takes one of the attempts that an e-mail has from this address to log in or
// to prove who it is. When there is none left, it returns what to tell, and the
// answer is a 429.
func (s *server) tries(c *fiber.Ctx, email string) (wait string) {
	return s.taken(c, logInKey(email, c.IP()))
}

// codeTries is tries for the codes of a user. They are six digits, so that addresses
// do not count: guesses from many are guesses all the same.
func (s *server) codeTries(c *fiber.Ctx, userID string) (wait string) {
	return s.taken(c, logInKey("code/"+userID, ""))
}

func (s *server) taken(c *fiber.Ctx, bucket string) (wait string) {
	d := s.Limits.LogIn.Take(bucket, s.Now())
	if d.Allowed {
		return ""
	}
	minutes := int(math.Ceil(d.RetryAfter.Minutes()))
	c.Set(fiber.HeaderRetryAfter, strconv.Itoa(minutes*60))
	c.Status(fiber.StatusTooManyRequests)
	return i18n.T(c.UserContext(), "problem.log_in_wait", minutes)
}

// logInKey names the bucket of an e-mail and an address. It is a digest: instances
// tell each other of buckets, and e-mails are nobody's business.
func logInKey(email, ip string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(email)) + "\x00" + ip))
	return hex.EncodeToString(sum[:8])
}

func (s *server) showLogIn(c *fiber.Ctx, email, next, problem string) error {
	return render(c, pages.LogIn(pages.LogInProps{
		AuthProps: s.auth(c), Email: email, Next: next, Errors: components.FieldErrors{{Text: problem}}, ByKey: s.offersPasskeys(),
	}))
}

// start logs in with a token that was not there before: one that somebody planted
// in the browser is worth nothing.
func (s *server) start(c *fiber.Ctx, email, password, next string) error {
	token, err := s.Merchants.LogIn(c.UserContext(), email, password, merchants.Browser{IP: c.IP(), UserAgent: c.Get(fiber.HeaderUserAgent)})
	if errors.Is(err, merchants.ErrCodeNeeded) {
		next = "/2fa?next=" + url.QueryEscape(next)
	} else if err != nil {
		return err
	}
	return s.enter(c, token, next)
}

// enter has the browser keep the token of a new session, and goes on.
func (s *server) enter(c *fiber.Ctx, token, next string) error {
	sess := s.session(c)
	sess.Values = map[any]any{sessionToken: token}
	if err := s.save(c, sess); err != nil {
		return err
	}
	return c.Redirect(next, fiber.StatusSeeOther)
}

// logOut handles POST /sair.
func (s *server) logOut(c *fiber.Ctx) error {
	if token := s.token(c); token != "" {
		if err := s.Merchants.LogOut(c.UserContext(), token); err != nil {
			return err
		}
	}
	s.session(c).Values = map[any]any{}
	if err := s.flash(c, "logged_out"); err != nil {
		return err
	}
	next := "/entrar"
	if path := local(c.FormValue("next"), ""); strings.HasPrefix(path, invitePath) {
		next = path // an invitation is to somebody else than who was logged in
	}
	return c.Redirect(next, fiber.StatusSeeOther)
}

// environment handles POST /app/ambiente, the Teste | Produção switch.
func (s *server) environment(c *fiber.Ctx) error {
	if err := s.Merchants.LookAt(c.UserContext(), s.token(c), c.FormValue("env") == "live"); err != nil {
		return err
	}
	next := local(c.FormValue("next"), "/app")
	if c.FormValue("there") != "" { // asked on the page that says so
		return c.Redirect(next, fiber.StatusSeeOther)
	}
	// A page about one row of the other environment does not exist here.
	section := "/app"
	if parts := strings.SplitN(strings.TrimPrefix(next, "/app/"), "/", 2); len(parts[0]) > 0 && parts[0][0] != '/' {
		section = "/app/" + strings.SplitN(parts[0], "?", 2)[0]
	}
	return c.Redirect(section, fiber.StatusSeeOther)
}

// preferences handles POST /preferencias: the visitor's language or theme, kept in
// a cookie for a year. Mails follow the language of who is logged in.
func (s *server) preferences(c *fiber.Ctx) error {
	if lang := s.keepLanguage(c); lang != "" {
		if err := s.Merchants.Speak(c.UserContext(), s.token(c), string(lang)); err != nil {
			return err
		}
	}
	s.keepTheme(c)
	return c.Redirect(local(c.FormValue("next"), "/app"), fiber.StatusSeeOther)
}
