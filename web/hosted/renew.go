package hosted

import (
	"errors"
	"net/url"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	pages "garoupa/views/pages/hosted"
	"garoupa/web/page"
)

// renew handles POST /pay/:id/renew: a new checkout of the link whose checkout is shown as expired.
func (s *hosted) renew(c *fiber.Ctx) error {
	expired, err := s.publicCheckout(c.UserContext(), c.Params("id"))
	if err != nil {
		return err
	}
	if expired.PaymentLinkID == nil || payments.Shown(expired, s.Now()) != payments.ShownExpired {
		return c.Redirect("/pay/"+expired.ID+page.Spoken(c), fiber.StatusSeeOther) // the page shows the current state
	}
	link, err := s.Payments.PublicPaymentLink(c.UserContext(), *expired.PaymentLinkID)
	if err != nil {
		return s.linkRefused(c, link, err, nil)
	}
	renewed, err := s.Payments.RenewCheckout(c.UserContext(), expired.ID)
	if _, refused := errors.AsType[payments.ChoiceRefused](err); refused { // the buyer chooses anew
		return c.Redirect("/l/"+link.ID+page.Spoken(c), fiber.StatusSeeOther)
	}
	if err != nil {
		return s.linkRefused(c, link, err, func() error {
			props, err := s.payProps(c)
			if err != nil {
				return err
			}
			props.ProviderError = true
			return page.Render(c, pages.Pay(props))
		})
	}
	s.rememberCheckout(c, link, renewed)
	return c.Redirect("/pay/"+renewed.ID+page.Spoken(c), fiber.StatusSeeOther)
}

// renewed handles GET /pay/:id/renew and …/receipt, which browsers request when people go back or change
// the language.
func (s *hosted) renewed(c *fiber.Ctx) error {
	return c.Redirect("/pay/"+url.PathEscape(c.Params("id"))+page.Spoken(c), fiber.StatusSeeOther)
}

// returnURL returns the address of the way back to the store: the link's successUrl once the
// checkout is paid, otherwise its returnUrl. It is "" if there is none, or none that a browser
// can open.
func returnURL(checkout *models.PublicCheckout) string {
	address := page.Text(checkout.ReturnURL)
	if checkout.Status == models.CheckoutPaid {
		address = strings.ReplaceAll(page.Text(checkout.SuccessURL), "{CHECKOUT_ID}", url.QueryEscape(checkout.ID))
	}
	if u, err := url.Parse(address); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}
	return address
}
