package dashboard

import (
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/input"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/dashboard"
	"garoupa/views/pages/hosted"
	"garoupa/web/page"
)

// The pages in the frames beside forms. They are the only pages of ours that may be framed, and only by our own.
const (
	previewPath     = page.SettingsPath + "checkout/previa"
	linkPreviewPath = previewPath + "/link"
)

// What a preview shows where nothing was typed.
const (
	sampleTime   = 30 * time.Minute // left to pay
	sampleAmount = 249_00
)

// hasPreview lets a page show one of ours in a frame.
func hasPreview(c *fiber.Ctx) {
	c.Set(fiber.HeaderContentSecurityPolicy, page.ContentPolicy+"; frame-src 'self'")
}

// isPreview lets the page be shown in a frame of ours.
func isPreview(c *fiber.Ctx) {
	c.Set(fiber.HeaderContentSecurityPolicy, strings.Replace(page.ContentPolicy, "frame-ancestors 'none'",
		"frame-ancestors 'self'", 1))
}

// previewAddress is the address of a preview with what was typed.
func previewAddress(path string, typed map[string]string) string {
	query := url.Values{}
	for name, value := range typed {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// previewed is what the visitor's buyers see on every page.
type previewed struct {
	account *models.Account
	brand   models.Brand
}

func (s *dashboard) previewed(c *fiber.Ctx) (p previewed, err error) {
	accountID := page.Visitor(c).AccountID
	if p.account, err = models.AccountByID(c.UserContext(), s.DB, accountID); err != nil {
		return p, err
	}
	p.brand, err = models.BrandOf(c.UserContext(), s.DB.Pool, accountID)
	return p, err
}

// previewCharge shows GET …/checkout/previa: the hosted checkout with the saved look and words, or with those typed
// that are valid; with paid=1 as it is once it was paid.
func (s *dashboard) previewCharge(c *fiber.Ctx) error {
	p, err := s.previewed(c)
	if err != nil {
		return err
	}
	typedLook(c, &p.brand)
	ctx, now := c.UserContext(), s.Now()
	code := i18n.T(ctx, "settings.preview_code")
	symbol, err := s.Codes.Symbol(code)
	if err != nil {
		return err
	}
	props := hosted.PayProps{
		Status: base.StatusPending, Live: true, Amount: sampleAmount, Description: i18n.T(ctx, "settings.preview_sold"),
		MerchantName: p.account.Name, Recipient: p.account.Name,
		RecipientDocument: page.FormatDocument(p.account.Document), CopyPaste: code,
		QR:        components.QRProps{Path: symbol.Path, Modules: symbol.Modules},
		CreatedAt: now, ExpiresAt: now.Add(sampleTime), Now: now, Brand: page.PayBrand(p.brand), Demo: s.Demo,
		Legal: s.Legal(),
	}
	if amount, err := page.ReadPrice(c.Query("amount")); err == nil && payments.ValidAmount(amount) {
		props.Amount = amount
	}
	if text := input.Trim(c.Query("description")); payments.ValidDescription(text) {
		props.Description = text
	}
	if c.Query("paid") != "" {
		props.Status, props.PaidAt, props.Thanks = base.StatusPaid, &now, hosted.Thanks(typedThanks(c, p.brand.Thanks))
	}
	isPreview(c)
	return page.Render(c, hosted.PayPreview(props))
}

// typedLook puts what the query says of a brand, and is valid, into the brand.
func typedLook(c *fiber.Ctx, look *models.Brand) {
	query := c.Context().QueryArgs()
	typed := merchants.BrandLook{Accent: c.Query("accent"), Support: c.Query("support")}
	problems, _ := errors.AsType[merchants.Invalid](typed.Check())
	if query.Has("accent") && problems["accent"] == "" {
		look.Accent = typed.Accent
	}
	if query.Has("support") && problems["support"] == "" {
		look.Support = typed.Support
	}
}

// typedThanks returns the words that the query has, as far as they are valid, or those that are saved.
func typedThanks(c *fiber.Ctx, saved models.Thanks) models.Thanks {
	if !c.Context().QueryArgs().Has("thanks") {
		return saved
	}
	typed := merchants.Thanks{Thanks: models.Thanks{Text: strings.ReplaceAll(c.Query("thanks"), "\r\n", "\n"),
		Label: c.Query("thanksLabel"), URL: c.Query("thanksUrl")}}
	problems, _ := errors.AsType[merchants.Invalid](typed.Check())
	if problems["thanks"] != "" {
		typed.Text = saved.Text
	}
	if problems["thanksLabel"] != "" || problems["thanksUrl"] != "" {
		typed.Label, typed.URL = "", ""
	}
	return typed.Thanks
}

// previewLink shows GET …/checkout/previa/link: the page of a link, of the product with the slug productId or of one
// that is being typed, with the terms that are typed.
func (s *dashboard) previewLink(c *fiber.Ctx) error {
	p, err := s.previewed(c)
	if err != nil {
		return err
	}
	props := hosted.LinkProps{
		Live: true, MerchantName: p.account.Name, MerchantDocument: page.FormatDocument(p.account.Document),
		Name: i18n.T(c.UserContext(), "settings.preview_sold"), Amount: sampleAmount, Quantity: 1, MaxQuantity: 1,
		BuyerData: string(models.BuyerDataOptional), PaymentCycle: base.OneTime, Brand: page.PayBrand(p.brand),
		Demo: s.Demo, Legal: s.Legal(),
	}
	if err := s.previewProduct(c, &props); err != nil {
		return err
	}
	s.previewTerms(c, &props)
	isPreview(c)
	return page.Render(c, hosted.LinkPreview(props))
}

// linkPreview is the address of the page of a link to a product, with the fields of its form.
func linkPreview(slug string, fields pages.LinkFields) string {
	open := ""
	if fields.Open {
		open = "on"
	}
	return previewAddress(linkPreviewPath, map[string]string{"productId": slug, "buyerData": fields.BuyerData,
		"maxQuantity": fields.MaxQuantity, "open": open, "openMin": fields.OpenMin, "openMax": fields.OpenMax,
		"stock": fields.Stock, "endsAt": fields.EndsAt})
}

// previewProduct puts a product into the page of a link: the one that exists, and over it what is typed.
func (s *dashboard) previewProduct(c *fiber.Ctx, props *hosted.LinkProps) error {
	if slug := c.Query("productId"); slug != "" {
		product, err := s.product(c, slug)
		if err != nil && !errors.Is(err, models.ErrNotFound) {
			return err
		}
		if err == nil {
			props.Name, props.Description = product.Name, page.Text(product.Description)
			props.Amount, props.PaymentCycle = product.Amount, product.PaymentCycle
			props.Picture = page.ProductPicture(product.Picture)
		}
	}
	if name := input.TrimLine(c.Query("name")); input.Length(name, 1, 200) && input.Plain(name) {
		props.Name = name
	}
	if c.Context().QueryArgs().Has("description") {
		if text := input.Trim(c.Query("description")); text == "" || payments.ValidDescription(text) {
			props.Description = text
		}
	}
	if amount, err := page.ReadPrice(c.Query("amount")); err == nil && payments.ValidAmount(amount) {
		props.Amount = amount
	}
	return nil
}

// previewTerms puts the terms of a link's form that are valid into its page.
func (s *dashboard) previewTerms(c *fiber.Ctx, props *hosted.LinkProps) {
	if !c.Context().QueryArgs().Has("maxQuantity") {
		return
	}
	fields, problems := s.readLinkFields(linkFields(func(name string) string { return c.Query(name) }),
		page.Visitor(c).Environment, nil)
	if problems["buyerData"] == "" {
		props.BuyerData = string(fields.BuyerData)
	}
	if problems["maxQuantity"] == "" {
		props.MaxQuantity = fields.MaxQuantity
	}
	if props.Open = fields.OpenAmount != nil && problems["openMin"] == ""; props.Open {
		props.Least, props.Most, props.MaxQuantity = fields.OpenAmount.Min, fields.OpenAmount.Max, 1
	}
	if fields.Left != nil && problems["stock"] == "" {
		props.Left = *fields.Left
	}
	if fields.EndsAt != nil && problems["endsAt"] == "" {
		props.EndsAt = *fields.EndsAt
	}
}
