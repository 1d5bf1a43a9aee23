package account

import (
	"github.com/gofiber/fiber/v2"

	"garoupa/web/page"
)

// preferences handles POST /preferencias: it stores the visitor's language, theme or
// height of rows in a cookie for a year. If the visitor is logged in, mails to them use the language, too.
func (s *account) preferences(c *fiber.Ctx) error {
	if lang := s.KeepLanguage(c); lang != "" {
		if err := s.Merchants.Speak(c.UserContext(), s.Token(c), string(lang)); err != nil {
			return err
		}
	}
	s.KeepTheme(c)
	s.KeepRows(c)
	return c.Redirect(page.Local(page.Field(c, "next"), "/app"), fiber.StatusSeeOther)
}
