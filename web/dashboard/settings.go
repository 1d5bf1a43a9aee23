package dashboard

import (
	"errors"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// registerSettings adds the settings of the account and of the person.
func (s *dashboard) registerSettings(app fiber.Router) {
	app.Get("/configuracoes", func(c *fiber.Ctx) error {
		return c.Redirect(page.SettingsPath+base.SectionCompany, fiber.StatusSeeOther)
	})
	app.Get("/configuracoes/empresa", s.company)
	app.Post("/configuracoes/empresa", page.Only(models.Administer), s.renameCompany)
	app.Post("/configuracoes/empresa/retirar", page.Only(models.Administer), s.withdrawName)
	app.Get("/configuracoes/checkout", s.look)
	app.Post("/configuracoes/checkout", page.Only(models.Administer), s.changeLook)
	app.Post("/configuracoes/checkout/logo", page.Only(models.Administer), s.uploadLogo)
	app.Post("/configuracoes/checkout/logo/remover", page.Only(models.Administer), s.removeLogo)
	app.Post("/configuracoes/checkout/agradecimento", page.Only(models.Administer), s.changeThanks)
	app.Get("/configuracoes/checkout/previa", s.previewCharge)
	app.Get("/configuracoes/checkout/previa/link", s.previewLink)
	app.Get("/configuracoes/avisos", s.notices)
	app.Post("/configuracoes/avisos", s.changeNotices)
	app.Get("/configuracoes/perfil", s.profile)
	app.Post("/configuracoes/perfil", s.changeProfile)
	app.Post("/primeiros-passos", s.hideSteps)
	s.registerBuyer(app)
}

// saved redirects to a section with a message.
func (s *dashboard) saved(c *fiber.Ctx, section, flash string) error {
	if err := s.Flash(c, flash); err != nil {
		return err
	}
	return c.Redirect(page.SettingsPath+section, fiber.StatusSeeOther)
}

// company shows GET /app/configuracoes/empresa.
func (s *dashboard) company(c *fiber.Ctx) error {
	return s.showCompany(c, page.Visitor(c).AccountName, nil)
}

func (s *dashboard) showCompany(c *fiber.Ctx, business string, errs components.FieldErrors) error {
	v := page.Visitor(c)
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props := pages.SettingsCompanyProps{Shell: shell, CanChange: v.Role.Can(models.Administer), Business: business,
		Owner: v.Role.Can(models.Own), UserID: v.UserID, Errors: errs}
	if props.Proposed, err = s.proposedName(c, v.AccountID); err != nil {
		return err
	}
	props.Reviewed = v.Access == models.AccessApproved
	request, err := s.latestRequest(c, v.AccountID)
	if err != nil {
		return err
	}
	if request != nil {
		answers, err := s.AccessAnswers(request)
		if err != nil {
			return err
		}
		if !props.CanChange { // the contact is a person's, which only some roles see
			answers.ContactName, answers.ContactEmail, answers.ContactPhone = "", "", ""
		}
		props.Asked, props.Facts = true, answers.Facts(c.UserContext())
	}
	return page.Render(c, pages.SettingsCompany(props))
}

// renameCompany handles POST /app/configuracoes/empresa.
func (s *dashboard) renameCompany(c *fiber.Ctx) error {
	business := page.Field(c, "business")
	reviewed, err := s.Merchants.Rename(c.UserContext(), page.Actor(c), business)
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showCompany(c, business, page.FieldErrors(c, problems, "business"))
	} else if err != nil {
		return err
	}
	if reviewed {
		return s.saved(c, base.SectionCompany, "company_proposed")
	}
	return s.saved(c, base.SectionCompany, "company_saved")
}

// withdrawName handles POST /app/configuracoes/empresa/retirar.
func (s *dashboard) withdrawName(c *fiber.Ctx) error {
	err := s.Merchants.WithdrawName(c.UserContext(), page.Actor(c), page.Field(c, "proposal"))
	if errors.Is(err, merchants.ErrChanged) {
		return s.saved(c, base.SectionCompany, "company_decided")
	} else if err != nil {
		return err
	}
	return s.saved(c, base.SectionCompany, "company_withdrawn")
}

// proposedName returns the last name that the account proposed to staff, unless staff accepted
// it or a member withdrew it.
func (s *dashboard) proposedName(c *fiber.Ctx, accountID string) (shown pages.ProposedName, err error) {
	p, err := models.LatestNameProposal(c.UserContext(), s.DB.Pool, accountID)
	if errors.Is(err, models.ErrNotFound) {
		return shown, nil
	} else if err != nil {
		return shown, err
	}
	if p.Status != models.ProposalPending && p.Status != models.ProposalRefused {
		return shown, nil
	}
	return pages.ProposedName{ID: p.ID, Name: p.Name, Refused: p.Status == models.ProposalRefused, By: p.Proposer,
		At: p.ProposedAt, Reason: page.Text(p.DecisionReason)}, nil
}

// profile shows GET /app/configuracoes/perfil.
func (s *dashboard) profile(c *fiber.Ctx) error {
	return s.showProfile(c, merchants.Profile{Name: page.Visitor(c).UserName,
		Language: string(i18n.Of(c.UserContext()))}, nil)
}

func (s *dashboard) showProfile(c *fiber.Ctx, in merchants.Profile, errs components.FieldErrors) error {
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	return page.Render(c, pages.SettingsProfile(pages.SettingsProfileProps{Shell: shell, Name: in.Name,
		Language: in.Language, Errors: errs}))
}

// changeProfile handles POST /app/configuracoes/perfil. The language belongs to the person;
// the theme, and the language of pages, belong to the browser.
func (s *dashboard) changeProfile(c *fiber.Ctx) error {
	in := merchants.Profile{Name: page.Field(c, "name"), Language: page.Field(c, "lang")}
	err := s.Merchants.SetProfile(c.UserContext(), page.Actor(c), in)
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		if problem, wrong := problems["language"]; wrong {
			problems["lang"] = problem
		}
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showProfile(c, in, page.FieldErrors(c, problems, "name", "lang"))
	} else if err != nil {
		return err
	}
	s.KeepLanguage(c)
	s.KeepTheme(c)
	return s.saved(c, base.SectionProfile, "profile_saved")
}

// notices shows GET /app/configuracoes/avisos.
func (s *dashboard) notices(c *fiber.Ctx) error {
	v := page.Visitor(c)
	muted, err := models.MutedNotices(c.UserContext(), s.DB.Pool, v.AccountID, v.UserID)
	if err != nil {
		return err
	}
	shell, err := s.Shell(c)
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
	return page.Render(c, pages.SettingsNotices(props))
}

// changeNotices handles POST /app/configuracoes/avisos.
func (s *dashboard) changeNotices(c *fiber.Ctx) error {
	var wanted []models.Notice
	for _, name := range page.FormValues(c, "notices") {
		wanted = append(wanted, models.Notice(name))
	}
	if err := s.Merchants.SetNotices(c.UserContext(), page.Actor(c), wanted); err != nil {
		return err
	}
	return s.saved(c, base.SectionNotices, "notices_saved")
}

// sellingWays are the answers to the question how a member sells.
var sellingWays = map[string]models.SellingWays{
	pages.WayLink: {SellsByLink: true}, pages.WayAPI: {SellsByAPI: true},
	pages.WayBoth: {SellsByLink: true, SellsByAPI: true}, pages.WayAsk: {},
}

// hideSteps handles POST /app/primeiros-passos: the member hides the first steps, shows them, or says how they sell.
func (s *dashboard) hideSteps(c *fiber.Ctx) error {
	if ways, said := sellingWays[page.Field(c, "way")]; said {
		if err := s.Merchants.SetSellingWays(c.UserContext(), page.Actor(c), ways); err != nil {
			return err
		}
		return c.Redirect("/app", fiber.StatusSeeOther)
	}
	if err := s.Merchants.HideSteps(c.UserContext(), page.Actor(c), page.Field(c, "show") == ""); err != nil {
		return err
	}
	return c.Redirect("/app", fiber.StatusSeeOther)
}
