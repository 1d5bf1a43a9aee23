package api

import (
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/payments"
	"garoupa/strictjson"
	"garoupa/wire"
)

// Bounds of expiresInSeconds (contract 2.5).
const (
	minLinkExpiry     = 900
	maxLinkExpiry     = 86400
	defaultLinkExpiry = 1800
)

// createPaymentLink handles POST /v1/payment-links (contract 4.7).
func (s *server) createPaymentLink(c *fiber.Ctx) error {
	key, err := requiredIdempotencyKey(c)
	if err != nil {
		return err
	}
	h := holder(c)
	in, err := readNewPaymentLink(c.BodyRaw(), h.Key.Livemode)
	if err != nil {
		return err
	}
	in.IdempotencyKey = key
	link, created, err := s.Payments.CreatePaymentLink(c.UserContext(), h.Scope(), &h.Account, in)
	if err != nil {
		return err
	}
	if created {
		c.Status(fiber.StatusCreated)
	}
	return sendJSON(c, wire.AppendPaymentLink(nil, link, s.CheckoutHost))
}

// readPaymentLink handles GET /v1/payment-links/{paymentLinkId} (contract 4.9).
func (s *server) readPaymentLink(c *fiber.Ctx) error {
	link, err := s.Payments.PaymentLink(c.UserContext(), holder(c).Scope(), c.Params("id"))
	if err != nil {
		return err
	}
	return sendJSON(c, wire.AppendPaymentLink(nil, link, s.CheckoutHost))
}

// listPaymentLinks handles GET /v1/payment-links (contract 4.8).
func (s *server) listPaymentLinks(c *fiber.Ctx) error {
	params, err := query(c, "limit", "cursor")
	if err != nil {
		return err
	}
	limit, err := limitOf(params)
	if err != nil {
		return err
	}
	after, err := s.cursorOf(params, payments.ListPaymentLinks)
	if err != nil {
		return err
	}
	page, err := s.Payments.PaymentLinks(c.UserContext(), holder(c).Scope(), after, limit)
	if err != nil {
		return err
	}
	body := []byte(`{"data":[`)
	for i := range page.Links {
		if i > 0 {
			body = append(body, ',')
		}
		body = wire.AppendPaymentLink(body, &page.Links[i], s.CheckoutHost)
	}
	return sendJSON(c, endPage(body, page.NextCursor))
}

var productRule = rule{false, func(s string) bool { return text(s, 1, 255, "") }, "1 to 255 characters"}

// readNewPaymentLink checks a body against the rules of the fields (contract 2.5,
// decisions 3).
func readNewPaymentLink(body []byte, livemode bool) (in payments.NewPaymentLink, err error) {
	o, hash, err := decode(body, fault.InvalidRequestBody, "productId", "expiresInSeconds", "successUrl", "returnUrl")
	if err != nil {
		return in, err
	}
	product := o.text("productId", true, productRule)
	expiresIn := o.integer("expiresInSeconds", false)
	success, back := o.address("successUrl", livemode), o.address("returnUrl", livemode)
	if *o.err != nil {
		return in, *o.err
	}
	seconds := int64(defaultLinkExpiry)
	if expiresIn != nil {
		seconds = *expiresIn
	}
	if seconds < minLinkExpiry || seconds > maxLinkExpiry {
		return in, fault.New(fault.InvalidExpiresIn, "expiresInSeconds must be %d to %d seconds.", minLinkExpiry, maxLinkExpiry)
	}
	return payments.NewPaymentLink{
		ProductSlug: *product, ExpiresIn: time.Duration(seconds) * time.Second, SuccessURL: success, ReturnURL: back, RequestHash: hash,
	}, nil
}

// address reads an address to lead buyers to: http or https, https only in live.
// An empty text counts as none.
func (o *object) address(name string, livemode bool) *string {
	v := o.member(name, false, strictjson.String)
	if v == nil || v.Text == "" {
		return nil
	}
	u, err := url.Parse(v.Text)
	switch {
	case !text(v.Text, 1, 2048, "") || !printable(v.Text):
		o.fail("%s must have at most 2048 printable characters.", o.path+name)
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		o.fail("%s must be an absolute http or https URI.", o.path+name)
	case livemode && u.Scheme != "https":
		o.fail("%s must be an https URI in live mode.", o.path+name)
	}
	return &v.Text
}
