package dashboard

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/brand"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/dashboard"
	"garoupa/views/pages/hosted"
	"garoupa/web/page"
)

// previewPath is the page in the frame of the checkout's settings. It is the only page of ours
// that may be framed, and only by our own.
const previewPath = page.SettingsPath + "checkout/previa"

// look shows GET /app/configuracoes/checkout.
func (s *dashboard) look(c *fiber.Ctx) error { return s.showLook(c, nil, nil, nil) }

// showLook shows the page with the saved values, or with the typed values and their errors.
func (s *dashboard) showLook(c *fiber.Ctx, typed *merchants.BrandLook, errs, logoErrs components.FieldErrors) error {
	v := page.Visitor(c)
	saved, err := models.BrandOf(c.UserContext(), s.DB.Pool, v.AccountID)
	if err != nil {
		return err
	}
	shell, err := s.settingsShell(c, base.SectionCheckout)
	if err != nil {
		return err
	}
	props := pages.SettingsCheckoutProps{
		Shell: shell, CanChange: v.Role.Can(models.Administer), Accent: saved.Accent, Support: saved.Support,
		Brand:   page.PayBrand(saved),
		Preview: previewPath, Errors: errs, LogoErrors: logoErrs,
	}
	if saved.Accent != "" && errs.For("accent") == "" {
		props.Verdict = accentVerdict(saved.Accent)
	}
	if typed != nil {
		props.Accent, props.Support = typed.Accent, typed.Support
	}
	c.Set(fiber.HeaderContentSecurityPolicy, page.ContentPolicy+"; frame-src 'self'")
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
		return s.showLook(c, &in, page.FieldErrors(c, problems, "accent", "support"), nil)
	} else if err != nil {
		return err
	}
	return s.saved(c, base.SectionCheckout, "look_saved")
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
		return s.showLook(c, nil, nil, page.FieldErrors(c, problems, "logo"))
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

// sampleTime is how much time to pay the charge of a preview has left.
const sampleTime = 30 * time.Minute

// previewLook shows GET …/checkout/previa: the hosted checkout with the saved values, or with
// the typed ones that are valid.
func (s *dashboard) previewLook(c *fiber.Ctx) error {
	v, ctx := page.Visitor(c), c.UserContext()
	account, err := models.AccountByID(ctx, s.DB, v.AccountID)
	if err != nil {
		return err
	}
	look, err := models.BrandOf(ctx, s.DB.Pool, v.AccountID)
	if err != nil {
		return err
	}
	if query := c.Context().QueryArgs(); query.Has("accent") || query.Has("support") {
		typed := merchants.BrandLook{Accent: c.Query("accent"), Support: c.Query("support")}
		problems, _ := errors.AsType[merchants.Invalid](typed.Check())
		if problems["accent"] == "" {
			look.Accent = typed.Accent
		}
		if problems["support"] == "" {
			look.Support = typed.Support
		}
	}
	code := i18n.T(ctx, "settings.preview_code")
	symbol, err := s.Codes.Symbol(code)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentSecurityPolicy, strings.Replace(page.ContentPolicy, "frame-ancestors 'none'",
		"frame-ancestors 'self'", 1))
	return page.Render(c, hosted.PayPreview(hosted.PayProps{
		Status: base.StatusPending, Live: true, Amount: 249_00, Description: i18n.T(ctx, "settings.preview_sold"),
		MerchantName: account.Name, Recipient: account.Name, RecipientDocument: page.FormatDocument(account.Document),
		CopyPaste: code,
		QR:        components.QRProps{Path: symbol.Path, Modules: symbol.Modules}, CreatedAt: s.Now(),
		ExpiresAt: s.Now().Add(sampleTime), Now: s.Now(),
		Brand: page.PayBrand(look), Demo: s.Demo, Legal: s.Legal(),
	}))
}
