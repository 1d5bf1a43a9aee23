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
		if err != nil {
			return s.linkRefused(c, link, err, nil)
		}
		return show(c, link)
	}
}

// link shows GET /l/:id. It creates nothing: messengers and bots open it as well.
func (s *hosted) link(c *fiber.Ctx, link *models.PublicPaymentLink) error {
	if err := s.showLink(c, link, pages.LinkProps{Token: rand.Text(), Quantity: 1}); err != nil {
		return err
	}
	s.countVisit(c, link)
	return nil
}

func (s *hosted) showLink(c *fiber.Ctx, link *models.PublicPaymentLink, props pages.LinkProps) error {
	offer, err := s.Payments.LinkOffer(&link.PaymentLink, &link.Account)
	if err != nil {
		return s.linkRefused(c, link, err, nil)
	}
	props.Action = "/l/" + link.ID + page.Spoken(c)
	props.Live = link.Environment == models.Live
	props.MerchantName, props.MerchantDocument = link.Account.Name, page.FormatDocument(link.Account.Document)
	props.Name, props.Description = link.Product.Name, page.Text(link.Product.Description)
	props.Amount, props.MaxQuantity, props.BuyerData = link.Product.Amount, offer.MaxQuantity, string(link.BuyerData)
	if props.Open = offer.Amount != nil; props.Open {
		props.Least, props.Most = offer.Amount.Min, offer.Amount.Max
	}
	if left := link.Left(); left != nil {
		props.Left = *left
	}
	if link.EndsAt != nil {
		props.EndsAt = *link.EndsAt
	}
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
// new one. The buttons "less" and "more" show the page with another quantity, and create nothing.
func (s *hosted) useLink(c *fiber.Ctx, link *models.PublicPaymentLink) error {
	props, choice, problems := readLinkForm(c, link)
	if props.Step = page.Field(c, "step"); props.Step != "" {
		offer, err := s.Payments.LinkOffer(&link.PaymentLink, &link.Account)
		if err != nil {
			return s.linkRefused(c, link, err, nil)
		}
		change := map[string]int{"less": -1, "more": 1}[props.Step]
		props.Quantity = min(max(props.Quantity+change, 1), offer.MaxQuantity)
		return s.showLink(c, link, props)
	}
	var open *models.Checkout
	var err error
	if problems == nil {
		open, err = s.openCheckout(c.UserContext(), link, c.Cookies(s.linkCookie(linkPath(link))), choice)
	}
	if err == nil && open == nil && problems == nil {
		open, err = s.Payments.UsePaymentLink(c.UserContext(), link.ID, choice)
	}
	if refused, is := errors.AsType[payments.ChoiceRefused](err); is {
		problems, err = choiceProblem(c, refused), nil
	}
	if problems != nil && err == nil && open == nil {
		props.Errors = problems
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showLink(c, link, props)
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
		props := pages.LinkInactiveProps{MerchantName: link.Account.Name, Name: link.Product.Name,
			Stopped: link.Account.Suspended || link.Account.LiveBlocked, Brand: page.PayBrand(link.Brand), Demo: s.Demo,
			Legal: s.Legal()}
		if _, ended := errors.AsType[payments.LinkEnded](err); ended && link.EndsAt != nil {
			props.EndedAt = *link.EndsAt
		}
		out, soldOut := errors.AsType[payments.LinkSoldOut](err)
		props.SoldOut, props.Held = soldOut, out.Held
		if soldOut || !props.EndedAt.IsZero() {
			open, err := s.pendingCheckout(c.UserContext(), link, c.Cookies(s.linkCookie(linkPath(link))))
			if err != nil {
				return err
			}
			if open != nil {
				props.OpenPath = "/pay/" + open.ID + page.Spoken(c)
			}
		}
		c.Status(fiber.StatusNotFound)
		return page.Render(c, pages.LinkInactive(props))
	}
	return err
}

// openCheckout returns the checkout if the buyer can pay it and it equals what the link would create now for the
// choice, otherwise nil.
func (s *hosted) openCheckout(ctx context.Context, link *models.PublicPaymentLink, id string,
	choice payments.LinkChoice) (*models.Checkout, error) {
	checkout, err := s.pendingCheckout(ctx, link, id)
	if err != nil || checkout == nil {
		return nil, err
	}
	price, description := payments.LinkPrice(&link.PaymentLink, choice)
	if checkout.Amount != price || checkout.Description != description {
		return nil, nil
	}
	return checkout, nil
}

// pendingCheckout returns the checkout if it is one of the link and its page shows a code, otherwise nil.
func (s *hosted) pendingCheckout(ctx context.Context, link *models.PublicPaymentLink,
	id string) (*models.Checkout, error) {
	checkout, err := models.PublicCheckoutByID(ctx, s.DB.Pool, id)
	if errors.Is(err, models.ErrNotFound) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	open := payments.Shown(checkout, s.Now()).Open()
	if !open || checkout.PaymentLinkID == nil || *checkout.PaymentLinkID != link.ID {
		return nil, nil
	}
	return &checkout.Checkout, nil
}

func (s *hosted) rememberCheckout(c *fiber.Ctx, link *models.PublicPaymentLink, open *models.Checkout) {
	path := linkPath(link)
	c.Cookie(&fiber.Cookie{
		Name: s.linkCookie(path), Value: open.ID, Path: path, MaxAge: int(open.ExpiresAt.Sub(s.Now()) / time.Second),
		HTTPOnly: true, Secure: strings.HasPrefix(s.CheckoutURL, "https://"), SameSite: fiber.CookieSameSiteLaxMode,
	})
}
