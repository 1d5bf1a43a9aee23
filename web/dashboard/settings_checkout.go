package dashboard

import (
	"errors"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/brand"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// look shows GET /app/configuracoes/checkout.
func (s *dashboard) look(c *fiber.Ctx) error { return s.showLook(c, lookForms{}) }

// lookForms are what was typed into the forms of the page, nil for what is saved, and their errors.
type lookForms struct {
	look                       *merchants.BrandLook
	thanks                     *merchants.Thanks
	errs, logoErrs, thanksErrs components.FieldErrors
}

// showLook shows the page with the saved values, or with the typed values and their errors.
func (s *dashboard) showLook(c *fiber.Ctx, typed lookForms) error {
	v := page.Visitor(c)
	saved, err := models.BrandOf(c.UserContext(), s.DB.Pool, v.AccountID)
	if err != nil {
		return err
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props := pages.SettingsCheckoutProps{
		Shell: shell, CanChange: v.Role.Can(models.Administer), Accent: saved.Accent, Support: saved.Support,
		Brand:   page.PayBrand(saved),
		Preview: previewPath, Errors: typed.errs, LogoErrors: typed.logoErrs,
		Thanks: saved.Thanks.Text, ThanksLabel: saved.Thanks.Label, ThanksURL: saved.Thanks.URL,
		ThanksErrors: typed.thanksErrs,
	}
	if saved.Accent != "" && typed.errs.For("accent") == "" {
		props.Verdict = accentVerdict(saved.Accent)
	}
	if typed.look != nil {
		props.Accent, props.Support = typed.look.Accent, typed.look.Support
	}
	if thanks := typed.thanks; thanks != nil {
		props.Thanks, props.ThanksLabel, props.ThanksURL = thanks.Text, thanks.Label, thanks.URL
	}
	hasPreview(c)
	return page.Render(c, pages.SettingsCheckout(props))
}

func accentVerdict(accent string) *pages.AccentVerdict {
	inLight, inDark := brand.Palettes(accent)
	ratio := func(contrast float64) string { return strconv.FormatFloat(contrast, 'f', 1, 64) }
	return &pages.AccentVerdict{
		Accent: accent, BlackText: inLight.On == "#000000", Contrast: ratio(inLight.OnContrast),
		Outlined: inLight.Outlined || inDark.Outlined,
		InkLight: inLight.Ink, InkDark: inDark.Ink,
	}
}

// changeLook handles POST /app/configuracoes/checkout.
func (s *dashboard) changeLook(c *fiber.Ctx) error {
	in := merchants.BrandLook{Accent: page.Field(c, "accent"), Support: page.Field(c, "support")}
	err := s.Merchants.SetBrandLook(c.UserContext(), page.Actor(c), in)
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showLook(c, lookForms{look: &in, errs: page.FieldErrors(c, problems, "accent", "support")})
	} else if err != nil {
		return err
	}
	return s.saved(c, base.SectionCheckout, "look_saved")
}

// changeThanks handles POST /app/configuracoes/checkout/agradecimento.
func (s *dashboard) changeThanks(c *fiber.Ctx) error {
	in := merchants.Thanks{Thanks: models.Thanks{Text: page.FormText(c, "thanks"),
		Label: page.Field(c, "thanksLabel"), URL: page.Field(c, "thanksUrl")}}
	typed := in
	err := s.Merchants.SetThanks(c.UserContext(), page.Actor(c), in)
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showLook(c, lookForms{thanks: &typed,
			thanksErrs: page.FieldErrors(c, problems, "thanks", "thanksLabel", "thanksUrl")})
	} else if err != nil {
		return err
	}
	return s.saved(c, base.SectionCheckout, "thanks_saved")
}

// uploadLogo handles POST /app/configuracoes/checkout/logo.
func (s *dashboard) uploadLogo(c *fiber.Ctx) error {
	file, err := page.FormFile(c, "logo")
	if err != nil {
		return err
	}
	err = s.Merchants.SetLogo(c.UserContext(), page.Actor(c), file)
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showLook(c, lookForms{logoErrs: page.FieldErrors(c, problems, "logo")})
	} else if err != nil {
		return err
	}
	return s.saved(c, base.SectionCheckout, "logo_saved")
}

// removeLogo handles POST /app/configuracoes/checkout/logo/remover.
func (s *dashboard) removeLogo(c *fiber.Ctx) error {
	if err := s.Merchants.RemoveLogo(c.UserContext(), page.Actor(c)); err != nil {
		return err
	}
	return s.saved(c, base.SectionCheckout, "logo_removed")
}
