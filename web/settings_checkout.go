package web

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/brand"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// previewPath is the page in the frame of the checkout's settings: ours, and the only
// one that stands in another.
const previewPath = settingsPath + "checkout/previa"

// look shows GET /app/configuracoes/checkout.
func (s *server) look(c *fiber.Ctx) error { return s.showLook(c, nil, nil, nil) }

// showLook shows the page: with what is saved, or with what was typed and is wrong.
func (s *server) showLook(c *fiber.Ctx, typed *merchants.BrandLook, errs, logoErrs components.FieldErrors) error {
	v := visitor(c)
	saved, err := models.BrandOf(c.UserContext(), s.DB.Pool, v.AccountID)
	if err != nil {
		return err
	}
	shell, err := s.settingsShell(c, pages.SectionCheckout)
	if err != nil {
		return err
	}
	props := pages.SettingsCheckoutProps{
		Shell: shell, CanChange: mayAdminister(v), Accent: saved.Accent, Support: saved.Support, Brand: payBrand(saved),
		Preview: previewPath, Errors: errs, LogoErrors: logoErrs,
	}
	if saved.Accent != "" && errs.For("accent") == "" {
		props.Verdict = accentVerdict(saved.Accent)
	}
	if typed != nil {
		props.Accent, props.Support = typed.Accent, typed.Support
	}
	c.Set(fiber.HeaderContentSecurityPolicy, contentPolicy+"; frame-src 'self'")
	return render(c, pages.SettingsCheckout(props))
}

func accentVerdict(accent string) *pages.AccentVerdict {
	inLight, inDark := brand.Palettes(accent)
	ratio := func(contrast float64) string { return strconv.FormatFloat(contrast, 'f', 1, 64) }
	return &pages.AccentVerdict{
		Accent: accent, BlackText: inLight.On == "#000000", Contrast: ratio(inLight.OnContrast), Outlined: inLight.Outlined || inDark.Outlined,
		InkLight: inLight.Ink, InkDark: inDark.Ink,
	}
}

// changeLook handles POST /app/configuracoes/checkout.
func (s *server) changeLook(c *fiber.Ctx) error {
	in := merchants.BrandLook{Accent: c.FormValue("accent"), Support: c.FormValue("support")}
	err := s.Merchants.SetBrandLook(c.UserContext(), actor(c), in)
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showLook(c, &in, fieldErrors(c, problems, "accent", "support"), nil)
	} else if err != nil {
		return err
	}
	return s.saved(c, pages.SectionCheckout, "look_saved")
}

// uploadLogo handles POST /app/configuracoes/checkout/logo.
func (s *server) uploadLogo(c *fiber.Ctx) error {
	file, err := formFile(c, "logo")
	if err != nil {
		return err
	}
	err = s.Merchants.SetLogo(c.UserContext(), actor(c), file)
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showLook(c, nil, nil, fieldErrors(c, problems, "logo"))
	} else if err != nil {
		return err
	}
	return s.saved(c, pages.SectionCheckout, "logo_saved")
}

// removeLogo handles POST /app/configuracoes/checkout/logo/remover.
func (s *server) removeLogo(c *fiber.Ctx) error {
	if err := s.Merchants.RemoveLogo(c.UserContext(), actor(c)); err != nil {
		return err
	}
	return s.saved(c, pages.SectionCheckout, "logo_removed")
}

// sampleTime is how long the charge of a preview can still be paid.
const sampleTime = 30 * time.Minute

// previewLook shows GET …/checkout/previa: the hosted checkout with what is saved, or
// what is typed and right.
func (s *server) previewLook(c *fiber.Ctx) error {
	v, ctx := visitor(c), c.UserContext()
	account, err := models.AccountByID(s.DB.WithContext(ctx), v.AccountID)
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
	symbol, err := s.codes.symbol(code)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentSecurityPolicy, strings.Replace(contentPolicy, "frame-ancestors 'none'", "frame-ancestors 'self'", 1))
	return render(c, pages.PayPreview(pages.PayProps{
		Status: pages.StatusPending, Livemode: true, Amount: 249_00, Description: i18n.T(ctx, "settings.preview_sold"),
		MerchantName: account.Name, Recipient: account.Name, MerchantDocument: document(account.Document), CopyPaste: code,
		QR: components.QRProps{Path: symbol.Path, Modules: symbol.Modules}, CreatedAt: s.Now(), ExpiresAt: s.Now().Add(sampleTime), Now: s.Now(),
		Brand: payBrand(look), Demo: s.Demo, Legal: s.legal(),
	}))
}
