package hosted

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/internal/requestid"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/static"
	"garoupa/views/components"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/hosted"
	"garoupa/web/page"
)

// pay shows GET /pay/:id, the hosted checkout. With "X-Fragment: state" it answers only the
// part that changes, for the page's script.
func (s *hosted) pay(c *fiber.Ctx) error {
	props, err := s.payProps(c)
	if err != nil {
		return err
	}
	c.Vary("X-Fragment", fiber.HeaderAcceptLanguage)
	if c.Get("X-Fragment") == "state" {
		return page.Render(c, pages.PayState(props))
	}
	return page.Render(c, pages.Pay(props))
}

func (s *hosted) payProps(c *fiber.Ctx) (pages.PayProps, error) {
	checkout, err := s.publicCheckout(c.UserContext(), c.Params("id"))
	if err != nil {
		return pages.PayProps{}, err
	}
	shown := payments.Shown(checkout, s.Now())
	props := pages.PayProps{
		ID: checkout.ID, Address: s.CheckoutURL + "/pay/" + checkout.ID, Query: page.Spoken(c),
		Status: string(shown), Live: checkout.Environment == models.Live, Amount: checkout.Amount,
		Description: checkout.Description, ExternalID: checkout.ExternalID,
		MerchantName: checkout.Merchant.Name,
		PreviewImage: s.CheckoutURL + static.URL("icon-512.png"),
		CopyPaste:    checkout.CopyPaste, CreatedAt: checkout.CreatedAt, ExpiresAt: checkout.ExpiresAt,
		Now: s.Now(), PaidAt: checkout.PaidAt, RequestID: requestid.Of(c.UserContext()), Demo: s.Demo, Legal: s.Legal(),
		FromLink: checkout.PaymentLinkID != nil, ReturnURL: returnURL(checkout), Brand: page.PayBrand(checkout.Brand),
	}
	if props.FromLink {
		props.ExternalID = "" // the link's id, which means nothing to the buyer
	}
	if until := checkout.PayableUntil; until != nil && until.Before(props.ExpiresAt) {
		props.ExpiresAt = *until // so that no code is shown that the bank refuses
	}
	s.setRecipient(c.UserContext(), &props, checkout)
	if checkout.Status == models.CheckoutPaid {
		props.Thanks = pages.Thanks(payments.Thanks(checkout))
		props.Receipt = pages.ReceiptForm{Key: rand.Text(), Sent: c.Query("receipt") == "sent"}
		if checkout.CustomerEmail != nil {
			props.Receipt.Known = payments.MaskedEmail(*checkout.CustomerEmail)
		}
	}
	props.Refunded = checkout.Refunded
	if checkout.EndToEndID != nil {
		props.EndToEndID = *checkout.EndToEndID
	}
	if shown.Open() {
		symbol, err := s.Codes.Symbol(checkout.CopyPaste)
		if err != nil {
			return pages.PayProps{}, err
		}
		props.QR = components.QRProps{Path: symbol.Path, Modules: symbol.Modules}
	}
	return props, nil
}

// setRecipient says who receives the money. Where no bank account is known, banks may show another name.
func (s *hosted) setRecipient(ctx context.Context, props *pages.PayProps, checkout *models.PublicCheckout) {
	name, document := checkout.Recipient(s.Merchants.ApprovedName(ctx, checkout))
	props.Recipient, props.RecipientDocument = name, page.FormatDocument(document)
	if props.RecipientKnown = checkout.HolderName != nil; props.RecipientKnown {
		props.Institution = base.ProperBankName(page.Text(checkout.BankProfile))
	}
}

func (s *hosted) publicCheckout(ctx context.Context, id string) (*models.PublicCheckout, error) {
	checkout, err := models.PublicCheckoutByID(ctx, s.DB.Pool, id)
	if errors.Is(err, models.ErrNotFound) {
		return nil, refusal.New(refusal.CheckoutNotFound, "No checkout has this id.")
	}
	return checkout, err
}

// saveQR handles GET /pay/:id/qr.png, the code as an image to save.
func (s *hosted) saveQR(c *fiber.Ctx) error {
	checkout, err := s.publicCheckout(c.UserContext(), c.Params("id"))
	if err != nil {
		return err
	}
	return s.sendCode(c, checkout.CopyPaste)
}

// publicQR handles GET /qr/{id}.png, the address in a live checkout's qrCodeUrl.
func (s *hosted) publicQR(c *fiber.Ctx) error {
	id, isPNG := strings.CutSuffix(c.Params("file"), ".png")
	if !isPNG {
		return fiber.ErrNotFound
	}
	checkout, err := s.publicCheckout(c.UserContext(), id)
	if err != nil {
		return err
	}
	c.Set("Cross-Origin-Resource-Policy", "cross-origin") // merchants embed the image
	return s.sendCode(c, checkout.CopyPaste)
}

func (s *hosted) sendCode(c *fiber.Ctx, code string) error {
	image, err := s.Codes.Image(code)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "image/png")
	c.Set(fiber.HeaderCacheControl, "public, max-age=86400, immutable")
	return c.Send(image)
}

// simulate handles POST /pay/:id/simulate: in test, it pays as the buyer's bank.
func (s *hosted) simulate(c *fiber.Ctx) error {
	return s.afterSimulation(c, s.Payments.SimulatePayment(c.UserContext(), c.Params("id")))
}

// expire handles POST /pay/:id/expire: in test, it lets the time run out.
func (s *hosted) expire(c *fiber.Ctx) error {
	return s.afterSimulation(c, s.Payments.SimulateExpiry(c.UserContext(), c.Params("id")))
}

// afterSimulation shows the checkout again, also if it had ended before.
func (s *hosted) afterSimulation(c *fiber.Ctx, err error) error {
	if err != nil && refusal.Of(err).Code != refusal.CheckoutNotPending {
		return err
	}
	return c.Redirect("/pay/"+c.Params("id")+page.Spoken(c), fiber.StatusSeeOther)
}
