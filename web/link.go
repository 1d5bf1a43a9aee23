package web

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/requestid"
	"garoupa/views/pages"
)

// linkCookie remembers, below the address of one link, the checkout that the
// browser has open there.
const linkCookie = "garoupa_checkout"

// publicLink hands the link of the address to show, or tells the buyer that it
// cannot be used now (decisions, 5).
func (s *server) publicLink(show func(*fiber.Ctx, *models.PublicPaymentLink) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		link, err := s.Payments.PublicPaymentLink(c.UserContext(), c.Params("id"))
		if err != nil {
			return s.linkRefused(c, link, err, nil)
		}
		return show(c, link)
	}
}

// link shows GET /l/:id. It creates nothing: messengers and bots open it as well.
func (s *server) link(c *fiber.Ctx, link *models.PublicPaymentLink) error {
	return s.showLink(c, link, pages.LinkProps{Token: rand.Text()})
}

func (s *server) showLink(c *fiber.Ctx, link *models.PublicPaymentLink, props pages.LinkProps) error {
	props.Action = "/l/" + link.ID + spoken(c)
	props.Livemode, props.MerchantName, props.MerchantDocument = link.Livemode, link.Account.Name, document(link.Account.Document)
	props.Name, props.Description, props.Amount = link.Product.Name, text(link.Product.Description), link.Product.Amount
	props.PaymentCycle, props.Demo, props.RequestID = link.Product.PaymentCycle, s.Demo, requestid.Of(c.UserContext())
	props.Brand, props.Legal = payBrand(link.Brand), s.legal()
	if props.Picture = productPicture(link.Product.Picture); props.Picture.Large != "" {
		props.PreviewImage = s.CheckoutHost + pages.PicturePath + props.Picture.Large
	} else if image := text(link.Product.ImageURL); strings.HasPrefix(image, "https://") {
		props.PreviewImage = image
	}
	return render(c, pages.Link(props))
}

// useLink handles POST /l/:id: it leads to the checkout that the browser has open,
// or to a new one.
func (s *server) useLink(c *fiber.Ctx, link *models.PublicPaymentLink) error {
	props := pages.LinkProps{Token: c.FormValue("token"), BuyerName: c.FormValue("name"), BuyerEmail: c.FormValue("email")}
	buyer, problems := readBuyer(c, props.BuyerName, props.BuyerEmail)
	if props.Errors = problems; problems != nil {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showLink(c, link, props)
	}
	open, err := s.openCheckout(c.UserContext(), link, c.Cookies(linkCookie))
	if err == nil && open == nil {
		open, err = s.newCheckout(c, link, props.Token, func(form string) (*models.Checkout, error) {
			return s.Payments.UsePaymentLink(c.UserContext(), link.ID, buyer, form)
		})
	}
	if err != nil {
		return s.linkRefused(c, link, err, func() error {
			props.ProviderError = true
			return s.showLink(c, link, props)
		})
	}
	s.rememberCheckout(c, link, open)
	return c.Redirect("/pay/"+open.ID+spoken(c), fiber.StatusSeeOther)
}

// linkRefused answers what keeps link, nil if there is none, from being used. When
// it is the institution, again shows the page that the buyer can try from once more.
func (s *server) linkRefused(c *fiber.Ctx, link *models.PublicPaymentLink, err error, again func() error) error {
	switch code := fault.Of(err).Code; {
	case code == fault.ProviderUnavailable && again != nil:
		c.Status(fiber.StatusServiceUnavailable)
		return again()
	case code == fault.PaymentLinkNotFound && link != nil:
		c.Status(fiber.StatusNotFound)
		return render(c, pages.LinkInactive(pages.LinkInactiveProps{MerchantName: link.Account.Name, Brand: payBrand(link.Brand), Demo: s.Demo, Legal: s.legal()}))
	}
	return err
}

// newCheckout makes a checkout of the link, once for a form, however often a second
// press or a slow connection sends it. What the form made before is only good while
// it is open.
func (s *server) newCheckout(c *fiber.Ctx, link *models.PublicPaymentLink, form string, make func(form string) (*models.Checkout, error)) (*models.PublicCheckout, error) {
	made, err := make(form)
	if err != nil {
		return nil, err
	}
	if open, err := s.openCheckout(c.UserContext(), link, made.ID); err != nil || open != nil {
		return open, err
	}
	if made, err = make(""); err != nil {
		return nil, err
	}
	return s.publicCheckout(c.UserContext(), made.ID)
}

// openCheckout returns the checkout if it can still be paid and is what the link
// would make now, else nil.
func (s *server) openCheckout(ctx context.Context, link *models.PublicPaymentLink, id string) (*models.PublicCheckout, error) {
	checkout, err := models.PublicCheckoutByID(ctx, s.DB.Pool, id)
	if errors.Is(err, models.ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	open := checkout.Status == models.CheckoutPending && checkout.ExpiresAt.After(s.Now())
	same := checkout.PaymentLinkID != nil && *checkout.PaymentLinkID == link.ID && checkout.Amount == link.Product.Amount
	if !open || !same {
		return nil, nil
	}
	return checkout, nil
}

func (s *server) rememberCheckout(c *fiber.Ctx, link *models.PublicPaymentLink, open *models.PublicCheckout) {
	c.Cookie(&fiber.Cookie{
		Name: linkCookie, Value: open.ID, Path: "/l/" + link.ID, MaxAge: int(open.ExpiresAt.Sub(s.Now()) / time.Second), HTTPOnly: true,
		Secure: strings.HasPrefix(s.CheckoutHost, "https://"), SameSite: fiber.CookieSameSiteLaxMode,
	})
}
