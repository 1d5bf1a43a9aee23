package web

import (
	"context"
	"errors"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/pix/qr"
	"garoupa/requestid"
	"garoupa/views/components"
	"garoupa/views/pages"
)

// qrImageSize is the side, in pixels, of a code that is saved or linked to.
const qrImageSize = 720

// pay shows GET /pay/:id, the hosted checkout. With "X-Fragment: state" it answers
// the part that changes, for the page itself.
func (s *server) pay(c *fiber.Ctx) error {
	props, err := s.payProps(c)
	if err != nil {
		return err
	}
	c.Vary("X-Fragment", fiber.HeaderAcceptLanguage)
	if c.Get("X-Fragment") == "state" {
		return render(c, pages.PayState(props))
	}
	return render(c, pages.Pay(props))
}

func (s *server) payProps(c *fiber.Ctx) (pages.PayProps, error) {
	checkout, err := s.publicCheckout(c.UserContext(), c.Params("id"))
	if err != nil {
		return pages.PayProps{}, err
	}
	props := pages.PayProps{
		ID: checkout.ID, Address: s.CheckoutHost + "/pay/" + checkout.ID, Query: spoken(c),
		Status: shownStatus(checkout), Livemode: checkout.Livemode, Amount: checkout.Amount,
		Description: checkout.Description, ExternalID: checkout.ExternalID,
		MerchantName: checkout.Account.Name, Recipient: checkout.Account.Name, MerchantDocument: document(checkout.Account.Document),
		CopyPaste: checkout.CopyPaste, CreatedAt: checkout.CreatedAt, ExpiresAt: checkout.ExpiresAt,
		Now: s.Now(), PaidAt: checkout.PaidAt, RequestID: requestid.Of(c.UserContext()), Demo: s.Demo, Legal: s.legal(),
		FromLink: checkout.PaymentLinkID != nil, ReturnURL: returnURL(checkout), Brand: payBrand(checkout.Brand),
	}
	if props.FromLink {
		props.ExternalID = "" // the link's id, which tells the buyer nothing
	}
	if checkout.EndToEndID != nil {
		props.EndToEndID = *checkout.EndToEndID
	}
	if props.Status == pages.StatusPending {
		symbol, err := s.codes.symbol(checkout.CopyPaste)
		if err != nil {
			return pages.PayProps{}, err
		}
		props.QR = components.QRProps{Path: symbol.Path, Modules: symbol.Modules}
	}
	return props, nil
}

// shownStatus is the status that the page shows. A pending checkout whose merchant may
// not charge now shows no code (decision 0037).
func shownStatus(checkout *models.PublicCheckout) string {
	if checkout.Status == models.CheckoutPending && !payments.MayCharge(&checkout.Account, checkout.Livemode) {
		return pages.StatusStopped
	}
	return string(checkout.Status)
}

func (s *server) publicCheckout(ctx context.Context, id string) (*models.PublicCheckout, error) {
	checkout, err := models.PublicCheckoutByID(ctx, s.DB.Pool, id)
	if errors.Is(err, models.ErrNotFound) {
		return nil, fault.New(fault.CheckoutNotFound, "No checkout has this id.")
	}
	return checkout, err
}

// payQR handles GET /pay/:id/qr.png, the code as an image to save.
func (s *server) payQR(c *fiber.Ctx) error {
	checkout, err := s.publicCheckout(c.UserContext(), c.Params("id"))
	if err != nil {
		return err
	}
	return s.sendCode(c, checkout.CopyPaste)
}

// publicQR handles GET /qr/{id}.png, where a live checkout's qrCodeUrl points.
func (s *server) publicQR(c *fiber.Ctx) error {
	id, isPNG := strings.CutSuffix(c.Params("file"), ".png")
	if !isPNG {
		return fiber.ErrNotFound
	}
	checkout, err := s.publicCheckout(c.UserContext(), id)
	if err != nil {
		return err
	}
	c.Set("Cross-Origin-Resource-Policy", "cross-origin") // merchants embed it
	return s.sendCode(c, checkout.CopyPaste)
}

func (s *server) sendCode(c *fiber.Ctx, code string) error {
	image, err := s.codes.image(code)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "image/png")
	c.Set(fiber.HeaderCacheControl, "public, max-age=86400, immutable")
	return c.Send(image)
}

// paySimulate handles POST /pay/:id/simulate: the buyer's bank pays, in test.
func (s *server) paySimulate(c *fiber.Ctx) error {
	return s.afterSimulation(c, s.Payments.SimulatePayment(c.UserContext(), c.Params("id")))
}

// payExpire handles POST /pay/:id/expire: time runs out, in test.
func (s *server) payExpire(c *fiber.Ctx) error {
	return s.afterSimulation(c, s.Payments.SimulateExpiry(c.UserContext(), c.Params("id")))
}

// afterSimulation shows the checkout again. One that was over already shows so,
// which is all there is to say.
func (s *server) afterSimulation(c *fiber.Ctx, err error) error {
	if err != nil && fault.Of(err).Code != fault.CheckoutNotPending {
		return err
	}
	return c.Redirect("/pay/"+c.Params("id")+spoken(c), fiber.StatusSeeOther)
}

// document writes a CPF or CNPJ with its punctuation.
func document(d *string) string {
	switch {
	case d == nil:
		return ""
	case len(*d) == 11:
		return (*d)[:3] + "." + (*d)[3:6] + "." + (*d)[6:9] + "-" + (*d)[9:]
	case len(*d) == 14:
		return (*d)[:2] + "." + (*d)[2:5] + "." + (*d)[5:8] + "/" + (*d)[8:12] + "-" + (*d)[12:]
	}
	return *d
}

// codeCache keeps drawn codes: drawing one takes milliseconds, and a page is
// opened, polled and returned to.
type codeCache struct {
	symbols cache[qr.Symbol]
	images  cache[[]byte]
}

func (c *codeCache) symbol(code string) (qr.Symbol, error) { return c.symbols.load(code, qr.SVG) }

func (c *codeCache) image(code string) ([]byte, error) {
	return c.images.load(code, func(code string) ([]byte, error) { return qr.PNG(code, qrImageSize) })
}
