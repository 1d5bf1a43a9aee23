package page

import (
	"github.com/gofiber/fiber/v2"

	"garoupa/views/i18n"
)

// langCookie keeps the visitor's choice of language.
const langCookie = "lang"

// Speak chooses the language: ?lang=, then the visitor's choice, then the browser's
// preference, then Portuguese.
func (s *Site) Speak(c *fiber.Ctx) error {
	c.SetUserContext(i18n.With(c.UserContext(), language(c)))
	return c.Next()
}

func language(c *fiber.Ctx) i18n.Lang {
	for _, wish := range []string{c.Query("lang"), chosen(c, langCookie),
		c.AcceptsLanguages("pt-BR", "pt", "en", "en-US", "en-GB")} {
		if lang, ok := i18n.Parse(wish); ok {
			return lang
		}
	}
	return i18n.Portuguese
}

// Spoken returns the query that keeps the language of an address.
func Spoken(c *fiber.Ctx) string {
	if lang, ok := i18n.Parse(c.Query("lang")); ok {
		return "?lang=" + string(lang)
	}
	return ""
}
