package page

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/layouts"
	"garoupa/views/pages"
)

// SameScope stops a form that was opened for another account or environment than the
// session's: another window has switched meanwhile, and a form that was opened in test must
// not act in live. The visitor can switch back and send the form. It must come after Member.
func (s *Site) SameScope(c *fiber.Ctx) error {
	v, shown := Visitor(c), ""
	if c.Method() == fiber.MethodPost {
		shown = Field(c, layouts.ScopeField)
	}
	if shown == "" || shown == scopeName(v) {
		return c.Next()
	}
	account, word, _ := strings.Cut(shown, "/")
	environment := models.ParseEnvironment(word)
	if Field(c, goBackField) == "" {
		c.Status(fiber.StatusConflict)
		props := pages.KeptProps{Reason: pages.KeptEnvironment, Live: environment == models.Live,
			Section: ItemOf(c.Path()).Href}
		if account != v.AccountID {
			props.Reason, props.Account = pages.KeptAccount, v.AccountName
		}
		return s.ShowKept(c, props, pages.HiddenField{Name: goBackField, Value: "on"})
	}
	if account != v.AccountID {
		if err := s.Merchants.LookAtAccount(c.UserContext(), v, account); err != nil {
			return err
		}
	}
	if err := s.Merchants.LookAt(c.UserContext(), s.Token(c), environment); err != nil {
		return err
	}
	v, err := s.Merchants.Visitor(c.UserContext(), s.Token(c))
	if err != nil {
		return err
	}
	SetVisitor(c, v)
	return c.Next()
}
