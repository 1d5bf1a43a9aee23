package hosted

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/internal/requestid"
	"garoupa/models"
	"garoupa/payments"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/hosted"
	"garoupa/web/page"
)

// linkCookie returns the name of the cookie that stores, for the path of one link, the checkout
// that the browser has open there.
func (s *hosted) linkCookie(path string) string {
	return page.CookieName(s.CheckoutURL, path, "garoupa_checkout")
}

func linkPath(link *models.PublicPaymentLink) string { return "/l/" + link.ID }

// publicLink calls show with the link in the address, or tells the buyer that the link cannot
// be used now (docs/rules.md, "Payment links").
func (s *hosted) publicLink(show func(*fiber.Ctx, *models.PublicPaymentLink) error) fiber.Handler {
	return func(c *fiber.Ctx) error {
		link, err := s.Payments.PublicPaymentLink(c.UserContext(), c.Params("id"))
		if err == nil {
			_, err = s.Payments.LinkOffer(&link.PaymentLink, &link.Account)
		}
		if err != nil {
			return s.linkRefused(c, link, err, nil)
		}
		return show(c, link)
	}
}

// link shows GET /l/:id. It creates nothing: messengers and bots open it as well.
func (s *hosted) link(c *fiber.Ctx, link *models.PublicPaymentLink) error {
	return s.showLink(c, link, pages.LinkProps{Token: rand.Text()})
}

func (s *hosted) showLink(c *fiber.Ctx, link *models.PublicPaymentLink, props pages.LinkProps) error {
	props.Action = "/l/" + link.ID + page.Spoken(c)
	props.Live = link.Environment == models.Live
	props.MerchantName, props.MerchantDocument = link.Account.Name, page.FormatDocument(link.Account.Document)
	props.Name, props.Description = link.Product.Name, page.Text(link.Product.Description)
	props.Amount = link.Product.Amount
	props.PaymentCycle, props.Demo, props.RequestID = link.Product.PaymentCycle, s.Demo, requestid.Of(c.UserContext())
	props.Brand, props.Legal = page.PayBrand(link.Brand), s.Legal()
	if props.Picture = page.ProductPicture(link.Product.Picture); props.Picture.Large != "" {
		props.PreviewImage = s.CheckoutURL + base.PicturePath + props.Picture.Large
	} else if image := page.Text(link.Product.ImageURL); strings.HasPrefix(image, "https://") {
		props.PreviewImage = image
	}
	return page.Render(c, pages.Link(props))
}

// useLink handles POST /l/:id: it redirects to the checkout that the browser has open, or to a
// new one.
func (s *hosted) useLink(c *fiber.Ctx, link *models.PublicPaymentLink) error {
	props := pages.LinkProps{Token: page.Field(c, "token"), BuyerName: page.Field(c, "name"),
		BuyerEmail: page.Field(c, "email")}
	buyer, problems := readBuyer(c, props.BuyerName, props.BuyerEmail)
	if props.Errors = problems; problems != nil {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showLink(c, link, props)
	}
	open, err := s.openCheckout(c.UserContext(), link, c.Cookies(s.linkCookie(linkPath(link))))
	if err == nil && open == nil {
		open, err = s.newCheckout(c, link, props.Token, func(form string) (*models.Checkout, error) {
			return s.Payments.UsePaymentLink(c.UserContext(), link.ID, payments.LinkChoice{Buyer: buyer, Form: form})
		})
	}
	if err != nil {
		return s.linkRefused(c, link, err, func() error {
			props.ProviderError = true
			return s.showLink(c, link, props)
		})
	}
	s.rememberCheckout(c, link, open)
	return c.Redirect("/pay/"+open.ID+page.Spoken(c), fiber.StatusSeeOther)
}

// linkRefused answers with the reason why link cannot be used; link is nil if it does not
// exist. If the institution is the reason, again shows the page from which the buyer can try
// again.
func (s *hosted) linkRefused(c *fiber.Ctx, link *models.PublicPaymentLink, err error, again func() error) error {
	switch code := refusal.Of(err).Code; {
	case code == refusal.ProviderUnavailable && again != nil:
		c.Status(fiber.StatusServiceUnavailable)
		return again()
	case code == refusal.PaymentLinkNotFound && link != nil:
		c.Status(fiber.StatusNotFound)
		return page.Render(c, pages.LinkInactive(pages.LinkInactiveProps{MerchantName: link.Account.Name,
			Stopped: link.Account.Suspended || link.Account.LiveBlocked, Brand: page.PayBrand(link.Brand), Demo: s.Demo,
			Legal: s.Legal()}))
	}
	return err
}

// newCheckout creates a checkout of the link, once for each form, even if a double click or a
// slow connection sends the form twice. A checkout that the form created before is returned
// only while it is open.
func (s *hosted) newCheckout(c *fiber.Ctx, link *models.PublicPaymentLink, form string,
	make func(form string) (*models.Checkout, error)) (*models.PublicCheckout, error) {
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

// openCheckout returns the checkout if it can still be paid and equals what the link would
// create now, otherwise nil.
func (s *hosted) openCheckout(ctx context.Context, link *models.PublicPaymentLink,
	id string) (*models.PublicCheckout, error) {
	checkout, err := models.PublicCheckoutByID(ctx, s.DB.Pool, id)
	if errors.Is(err, models.ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	open := checkout.Status == models.CheckoutPending && checkout.ExpiresAt.After(s.Now())
	same := checkout.PaymentLinkID != nil && *checkout.PaymentLinkID == link.ID &&
		checkout.Amount == link.Product.Amount
	if !open || !same {
		return nil, nil
	}
	return checkout, nil
}

func (s *hosted) rememberCheckout(c *fiber.Ctx, link *models.PublicPaymentLink, open *models.PublicCheckout) {
	path := linkPath(link)
	c.Cookie(&fiber.Cookie{
		Name: s.linkCookie(path), Value: open.ID, Path: path, MaxAge: int(open.ExpiresAt.Sub(s.Now()) / time.Second),
		HTTPOnly: true, Secure: strings.HasPrefix(s.CheckoutURL, "https://"), SameSite: fiber.CookieSameSiteLaxMode,
	})
}
