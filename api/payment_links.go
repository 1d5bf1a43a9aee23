package api

import (
	"fmt"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/money"
	"garoupa/internal/payload"
	"garoupa/internal/refusal"
	"garoupa/internal/strictjson"
	"garoupa/models"
	"garoupa/payments"
)

// createPaymentLink handles POST /v1/payment-links (contract 4.7).
func (s *server) createPaymentLink(c *fiber.Ctx) error {
	key, err := requiredIdempotencyKey(c)
	if err != nil {
		return err
	}
	h := holder(c)
	in, err := readNewPaymentLink(c.BodyRaw(), h.Key.Environment)
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
	return sendJSON(c, payload.AppendPaymentLink(nil, link, s.CheckoutURL))
}

// readPaymentLink handles GET /v1/payment-links/{paymentLinkId} (contract 4.9).
func (s *server) readPaymentLink(c *fiber.Ctx) error {
	link, err := s.Payments.PaymentLink(c.UserContext(), holder(c).Scope(), c.Params("id"))
	if err != nil {
		return err
	}
	return sendJSON(c, payload.AppendPaymentLink(nil, link, s.CheckoutURL))
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
	for i := range page.Rows {
		if i > 0 {
			body = append(body, ',')
		}
		body = payload.AppendPaymentLink(body, &page.Rows[i], s.CheckoutURL)
	}
	return sendJSON(c, endPage(body, s.Payments.Cursor(payments.ListPaymentLinks, page.Next)))
}

var productRule = rule{false, payments.ValidProductID, "1 to 255 characters"}

// readNewPaymentLink checks a body by the rules of the fields (contract 2.5;
// docs/rules.md, "Fields").
func readNewPaymentLink(body []byte, environment models.Environment) (in payments.NewPaymentLink, err error) {
	o, hash, err := decode(body, refusal.InvalidRequestBody, "productId", "expiresInSeconds", "successUrl",
		"returnUrl", "buyerData", "maxQuantity", "openAmount", "stock", "endsAt")
	if err != nil {
		return in, err
	}
	product := o.text("productId", true, productRule)
	expiresIn := o.integer("expiresInSeconds", false)
	success, back := o.address("successUrl", environment), o.address("returnUrl", environment)
	terms := o.linkTerms()
	if *o.err != nil {
		return in, *o.err
	}
	seconds := int64(payments.DefaultExpiresIn)
	if expiresIn != nil {
		seconds = *expiresIn
	}
	if seconds < payments.MinLinkExpiresIn || seconds > payments.MaxExpiresIn {
		return in, refusal.New(refusal.InvalidExpiresIn,
			"expiresInSeconds must be %d to %d seconds.", payments.MinLinkExpiresIn, payments.MaxExpiresIn)
	}
	return payments.NewPaymentLink{
		ProductSlug: *product, ExpiresIn: time.Duration(seconds) * time.Second, SuccessURL: success, ReturnURL: back,
		RequestHash: hash, LinkTerms: terms,
	}, nil
}

var buyerDataRule = rule{false, func(s string) bool {
	return slices.Contains(models.BuyerDataKinds, models.BuyerData(s))
}, "OFF, OPTIONAL or REQUIRED"}

// linkTerms reads how a link sells (docs/rules.md, "Fields"). Whether the end is in the future is not checked: a
// repeated request must find its link.
func (o *object) linkTerms() (t models.LinkTerms) {
	t.BuyerData, t.MaxQuantity = models.BuyerDataOptional, 1
	if kind := o.text("buyerData", false, buyerDataRule); kind != nil {
		t.BuyerData = models.BuyerData(*kind)
	}
	if most := o.integer("maxQuantity", false); most != nil {
		t.MaxQuantity = int(min(*most, payments.MaxLinkQuantity+1)) // more is refused
	}
	if open, is := o.object("openAmount", "minAmount", "maxAmount"); is {
		least, most := open.integer("minAmount", true), open.integer("maxAmount", true)
		if least != nil && most != nil {
			t.OpenAmount = &models.Range{Min: money.Cents(*least), Max: money.Cents(*most)}
		}
	}
	if units := o.integer("stock", false); units != nil {
		stock := int(min(*units, payments.MaxLinkStock+1)) // more is refused
		t.Stock = &stock
	}
	if v := o.member("endsAt", false, strictjson.String); v != nil {
		at, err := time.Parse(time.RFC3339, v.Text)
		if err != nil {
			o.fail("endsAt must be a date-time, such as 2026-12-24T18:00:00-03:00.")
		}
		t.EndsAt = &at
	}
	for _, term := range payments.LinkTermsProblems(&t, t.EndsAt, time.Time{}) {
		o.fail("%s %s.", term, linkTermRules[term])
	}
	return t
}

var linkTermRules = map[string]string{
	"maxQuantity": fmt.Sprintf("must be 1 to %d, and 1 with openAmount", payments.MaxLinkQuantity),
	"openAmount":  fmt.Sprintf("must have minAmount and maxAmount of 1 to %d centavos, in this order", money.Max),
	"stock":       fmt.Sprintf("must be 0 to %d", payments.MaxLinkStock),
}

// address reads an address for buyers: http or https, only https in live. An empty text
// counts as absent.
func (o *object) address(name string, environment models.Environment) *string {
	v := o.member(name, false, strictjson.String)
	if v == nil || v.Text == "" {
		return nil
	}
	switch payments.CheckReturnURL(v.Text, environment) {
	case payments.ErrUnprintableURL:
		o.fail("%s must have at most 2048 printable characters.", o.path+name)
	case payments.ErrNotURL:
		o.fail("%s must be an absolute http or https URI.", o.path+name)
	case payments.ErrUserURL:
		o.fail("%s must have no user name or password before its host.", o.path+name)
	case payments.ErrInsecureURL:
		o.fail("%s must be an https URI in live mode.", o.path+name)
	}
	return &v.Text
}
