package web

import (
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/layouts"
	"garoupa/views/pages"
)

// goBackField, in a form that sameScope held up, leads back to where it was opened.
const goBackField = "garoupa_back"

// scopeName is what a form for the visitor says that it was shown for.
func scopeName(v *models.Visitor) string {
	if v.Livemode {
		return v.AccountID + "/live"
	}
	return v.AccountID + "/test"
}

// sameScope holds up a form that was shown for another account or environment than the
// visitor looks at now: another window has gone there meanwhile, and what was meant for
// test is not to be done in live. Its sender may go back there with it. Use it after
// member.
func (s *server) sameScope(c *fiber.Ctx) error {
	v, shown := visitor(c), ""
	if c.Method() == fiber.MethodPost {
		shown = c.FormValue(layouts.ScopeField)
	}
	if shown == "" || shown == scopeName(v) {
		return c.Next()
	}
	account, env, _ := strings.Cut(shown, "/")
	if c.FormValue(goBackField) == "" {
		c.Status(fiber.StatusConflict)
		props := pages.KeptProps{Reason: pages.KeptEnvironment, Live: env == "live", Section: itemOf(c.Path()).Href}
		if account != v.AccountID {
			props.Reason, props.Account = pages.KeptAccount, v.AccountName
		}
		return s.showKept(c, props, pages.HiddenField{Name: goBackField, Value: "on"})
	}
	if account != v.AccountID {
		if err := s.Merchants.LookAtAccount(c.UserContext(), v, account); err != nil {
			return err
		}
	}
	if err := s.Merchants.LookAt(c.UserContext(), s.token(c), env == "live"); err != nil {
		return err
	}
	v, err := s.Merchants.Visitor(c.UserContext(), s.token(c))
	if err != nil {
		return err
	}
	c.Locals(visitorKey{}, v)
	return c.Next()
}

// loggedOut answers who is not logged in, or not any more: a page leads to log in and
// back, and a form in which somebody typed is kept on a page until they have.
func (s *server) loggedOut(c *fiber.Ctx) error {
	if c.Method() == fiber.MethodPost && c.FormValue(layouts.ScopeField) != "" {
		c.Status(fiber.StatusUnauthorized)
		return s.showKept(c, pages.KeptProps{Reason: pages.KeptLoggedOut})
	}
	if err := s.flash(c, "log_in_first"); err != nil {
		return err
	}
	next := s.cameFrom(c)
	if c.Method() == fiber.MethodGet {
		next = c.OriginalURL()
	}
	return c.Redirect("/entrar?next="+url.QueryEscape(next), fiber.StatusSeeOther)
}

// showKept shows a page from which the form can be sent again, with more besides.
func (s *server) showKept(c *fiber.Ctx, props pages.KeptProps, more ...pages.HiddenField) error {
	props.AuthProps, props.Action = s.auth(c), c.OriginalURL()
	props.AuthProps.Path = "/app" // the page has no address
	props.Fields = append(keptFields(c), more...)
	if form, err := c.MultipartForm(); err == nil {
		props.Files = len(form.File) > 0
	}
	return render(c, pages.Kept(props))
}
