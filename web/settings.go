package web

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	"garoupa/views/pages"
)

// settingsPath is what the sections of the settings stand below.
const settingsPath = "/app/configuracoes/"

// registerSettings adds the pages of the account's settings and of the person's.
func (s *server) registerSettings(app fiber.Router) {
	app.Get("/configuracoes", func(c *fiber.Ctx) error {
		return c.Redirect(settingsPath+pages.SectionCompany, fiber.StatusSeeOther)
	})
	app.Get("/configuracoes/empresa", s.company)
	app.Post("/configuracoes/empresa", administrator, s.renameCompany)
	app.Get("/configuracoes/checkout", s.look)
	app.Post("/configuracoes/checkout", administrator, s.changeLook)
	app.Post("/configuracoes/checkout/logo", administrator, s.uploadLogo)
	app.Post("/configuracoes/checkout/logo/remover", administrator, s.removeLogo)
	app.Get("/configuracoes/checkout/previa", s.previewLook)
	app.Get("/configuracoes/avisos", s.notices)
	app.Post("/configuracoes/avisos", s.changeNotices)
	app.Get("/configuracoes/perfil", s.profile)
	app.Post("/configuracoes/perfil", s.changeProfile)
	app.Post("/primeiros-passos", s.hideSteps)
}

// settingsShell is shell for a section of the settings, also when its form is shown
// again.
func (s *server) settingsShell(c *fiber.Ctx, section string) (layouts.Shell, error) {
	shell, err := s.shell(c)
	if c.Method() != fiber.MethodGet {
		shell.Path = settingsPath + section
	}
	return shell, err
}

// saved goes back to a section and says so.
func (s *server) saved(c *fiber.Ctx, section, flash string) error {
	if err := s.flash(c, flash); err != nil {
		return err
	}
	return c.Redirect(settingsPath+section, fiber.StatusSeeOther)
}

// company shows GET /app/configuracoes/empresa.
func (s *server) company(c *fiber.Ctx) error {
	return s.showCompany(c, visitor(c).AccountName, nil)
}

func (s *server) showCompany(c *fiber.Ctx, business string, errs components.FieldErrors) error {
	v := visitor(c)
	shell, err := s.settingsShell(c, pages.SectionCompany)
	if err != nil {
		return err
	}
	props := pages.SettingsCompanyProps{Shell: shell, CanChange: mayAdminister(v), Business: business, Owner: v.Role == models.RoleOwner, UserID: v.UserID, Errors: errs}
	request, err := s.latestRequest(c, v.AccountID)
	if err != nil {
		return err
	}
	if request != nil {
		answers, err := s.accessAnswers(request)
		if err != nil {
			return err
		}
		if !props.CanChange { // the contact is a person's
			answers.ContactName, answers.ContactEmail, answers.ContactPhone = "", "", ""
		}
		props.Asked, props.Facts = true, answers.Facts(c.UserContext())
	}
	return render(c, pages.SettingsCompany(props))
}

// renameCompany handles POST /app/configuracoes/empresa.
func (s *server) renameCompany(c *fiber.Ctx) error {
	business := c.FormValue("business")
	err := s.Merchants.Rename(c.UserContext(), actor(c), business)
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showCompany(c, business, fieldErrors(c, problems, "business"))
	} else if err != nil {
		return err
	}
	return s.saved(c, pages.SectionCompany, "company_saved")
}

// profile shows GET /app/configuracoes/perfil.
func (s *server) profile(c *fiber.Ctx) error {
	return s.showProfile(c, merchants.Profile{Name: visitor(c).UserName, Language: string(i18n.Of(c.UserContext()))}, nil)
}

func (s *server) showProfile(c *fiber.Ctx, in merchants.Profile, errs components.FieldErrors) error {
	shell, err := s.settingsShell(c, pages.SectionProfile)
	if err != nil {
		return err
	}
	return render(c, pages.SettingsProfile(pages.SettingsProfileProps{Shell: shell, Name: in.Name, Language: in.Language, Errors: errs}))
}

// changeProfile handles POST /app/configuracoes/perfil. The language is the person's;
// the theme, and the language that pages are read in, are the browser's.
func (s *server) changeProfile(c *fiber.Ctx) error {
	in := merchants.Profile{Name: c.FormValue("name"), Language: c.FormValue("lang")}
	err := s.Merchants.SetProfile(c.UserContext(), actor(c), in)
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		if problem, wrong := problems["language"]; wrong {
			problems["lang"] = problem
		}
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showProfile(c, in, fieldErrors(c, problems, "name", "lang"))
	} else if err != nil {
		return err
	}
	s.keepLanguage(c)
	s.keepTheme(c)
	return s.saved(c, pages.SectionProfile, "profile_saved")
}

// keepLanguage keeps the language of a form in the browser, and returns it; "" if the
// form has none that there is.
func (s *server) keepLanguage(c *fiber.Ctx) i18n.Lang {
	lang, ok := i18n.Parse(c.FormValue("lang"))
	if !ok {
		return ""
	}
	s.keep(c, langCookie, string(lang))
	return lang
}

// keepTheme keeps the theme of a form in the browser.
func (s *server) keepTheme(c *fiber.Ctx) {
	if !c.Request().PostArgs().Has("theme") {
		return
	}
	switch t := layouts.Theme(c.FormValue("theme")); t {
	case layouts.ThemeLight, layouts.ThemeDark, layouts.ThemeSystem:
		s.keep(c, themeCookie, string(t))
	}
}

// keep keeps a choice in the browser for a year.
func (s *server) keep(c *fiber.Ctx, name, value string) {
	c.Cookie(&fiber.Cookie{
		Name: name, Value: value, Path: "/", Expires: s.Now().Add(365 * 24 * time.Hour), HTTPOnly: true,
		Secure: strings.HasPrefix(s.AppURL, "https://"), SameSite: fiber.CookieSameSiteLaxMode,
	})
}

// notices shows GET /app/configuracoes/avisos.
func (s *server) notices(c *fiber.Ctx) error {
	v := visitor(c)
	muted, err := models.MutedNotices(c.UserContext(), s.DB.Pool, v.AccountID, v.UserID)
	if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.SettingsNoticesProps{Shell: shell, PaidMails: models.PaidMailsAnHour}
	for _, n := range models.NoticesFor(v.Role) {
		props.Offered = append(props.Offered, string(n))
		if !slices.Contains(muted, n) {
			props.On = append(props.On, string(n))
		}
	}
	return render(c, pages.SettingsNotices(props))
}

// changeNotices handles POST /app/configuracoes/avisos.
func (s *server) changeNotices(c *fiber.Ctx) error {
	var wanted []models.Notice
	for _, name := range values(c, "notices") {
		wanted = append(wanted, models.Notice(name))
	}
	if err := s.Merchants.SetNotices(c.UserContext(), actor(c), wanted); err != nil {
		return err
	}
	return s.saved(c, pages.SectionNotices, "notices_saved")
}

// hideSteps handles POST /app/primeiros-passos.
func (s *server) hideSteps(c *fiber.Ctx) error {
	if err := s.Merchants.HideSteps(c.UserContext(), actor(c), c.FormValue("show") == ""); err != nil {
		return err
	}
	return c.Redirect("/app", fiber.StatusSeeOther)
}
