package web

import (
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/pages"
)

// payRenew handles POST /pay/:id/renew: another code of the link whose checkout
// has expired.
func (s *server) payRenew(c *fiber.Ctx) error {
	expired, err := s.publicCheckout(c.UserContext(), c.Params("id"))
	if err != nil {
		return err
	}
	if expired.PaymentLinkID == nil || expired.Status != models.CheckoutExpired {
		return c.Redirect("/pay/"+expired.ID+spoken(c), fiber.StatusSeeOther) // which shows how it stands
	}
	link, err := s.Payments.PublicPaymentLink(c.UserContext(), *expired.PaymentLinkID)
	if err != nil {
		return s.linkRefused(c, link, err, nil)
	}
	renewed, err := s.newCheckout(c, link, expired.ID, func(form string) (*models.Checkout, error) {
		return s.Payments.RenewCheckout(c.UserContext(), expired.ID, form)
	})
	if err != nil {
		return s.linkRefused(c, link, err, func() error {
			props, err := s.payProps(c)
			if err != nil {
				return err
			}
			props.ProviderError = true
			return render(c, pages.Pay(props))
		})
	}
	s.rememberCheckout(c, link, renewed)
	return c.Redirect("/pay/"+renewed.ID+spoken(c), fiber.StatusSeeOther)
}

// payRenewed handles GET /pay/:id/renew, which browsers ask for when they go back
// or change the language.
func (s *server) payRenewed(c *fiber.Ctx) error {
	return c.Redirect("/pay/"+url.PathEscape(c.Params("id"))+spoken(c), fiber.StatusSeeOther)
}

// returnURL is where the way back to the store leads: the link's successUrl once
// paid, else its returnUrl; "" if there is none, or none for a browser.
func returnURL(checkout *models.PublicCheckout) string {
	address := text(checkout.ReturnURL)
	if checkout.Status == models.CheckoutPaid {
		address = strings.ReplaceAll(text(checkout.SuccessURL), "{CHECKOUT_ID}", url.QueryEscape(checkout.ID))
	}
	if u, err := url.Parse(address); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}
	return address
}
