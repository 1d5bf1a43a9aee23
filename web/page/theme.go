package page

import (
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// KeepLanguage stores the language of a form in the browser and returns it, or "" if the form
// has no known language.
func (s *Site) KeepLanguage(c *fiber.Ctx) i18n.Lang {
	lang, ok := i18n.Parse(Field(c, "lang"))
	if !ok {
		return ""
	}
	s.keep(c, langCookie, string(lang))
	return lang
}

// KeepTheme stores the theme of a form in the browser.
func (s *Site) KeepTheme(c *fiber.Ctx) {
	if !c.Request().PostArgs().Has("theme") {
		return
	}
	switch t := layouts.Theme(Field(c, "theme")); t {
	case layouts.ThemeLight, layouts.ThemeDark, layouts.ThemeSystem:
		s.keep(c, themeCookie, string(t))
	}
}

// KeepRows stores in the browser how high a form wants the rows of tables.
func (s *Site) KeepRows(c *fiber.Ctx) {
	if rows := Field(c, rowsCookie); rows == layouts.RowsUsual || rows == layouts.RowsLow {
		s.keep(c, rowsCookie, rows)
	}
}

// dense reports whether the visitor wants low rows in tables.
func dense(c *fiber.Ctx) bool { return chosen(c, rowsCookie) == layouts.RowsLow }

// keep stores a choice in the browser for a year.
func (s *Site) keep(c *fiber.Ctx, name, value string) {
	c.Cookie(&fiber.Cookie{
		Name: CookieName(s.AppURL, "/", name), Value: value, Path: "/",
		Expires: s.Now().Add(365 * 24 * time.Hour), HTTPOnly: true,
		Secure: strings.HasPrefix(s.AppURL, "https://"), SameSite: fiber.CookieSameSiteLaxMode,
	})
}

const (
	themeCookie = "theme"
	rowsCookie  = "rows"
)

// Theme returns the theme that the visitor chose, or the system's.
func Theme(c *fiber.Ctx) layouts.Theme {
	switch t := layouts.Theme(chosen(c, themeCookie)); t {
	case layouts.ThemeLight, layouts.ThemeDark:
		return t
	}
	return layouts.ThemeSystem
}
