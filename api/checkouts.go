package api

import (
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/money"
	"garoupa/internal/payload"
	"garoupa/internal/refusal"
	"garoupa/internal/strictjson"
	"garoupa/models"
	"garoupa/payments"
)

// createCheckout handles POST /v1/checkouts (contract 4.1).
func (s *server) createCheckout(c *fiber.Ctx) error {
	key, err := idempotencyKey(c)
	if err != nil {
		return err
	}
	h := holder(c)
	in, err := readNewCheckout(c.BodyRaw())
	if err != nil {
		return err
	}
	in.IdempotencyKey = key
	checkout, created, err := s.Payments.CreateCheckout(c.UserContext(), h.Scope(), &h.Account, in)
	if err != nil {
		return err
	}
	if created {
		c.Status(fiber.StatusCreated)
	}
	return s.answer(c, checkout)
}

// readCheckout handles GET /v1/checkouts/{checkoutId} (contract 4.3).
func (s *server) readCheckout(c *fiber.Ctx) error {
	checkout, err := s.Payments.Checkout(c.UserContext(), holder(c).Scope(), c.Params("id"))
	if err != nil {
		return err
	}
	return s.answer(c, checkout)
}

func (s *server) answer(c *fiber.Ctx, checkout *models.Checkout) error {
	return sendJSON(c, payload.AppendCheckout(nil, checkout, s.CheckoutURL))
}

var (
	descriptionRule = rule{true, payments.ValidDescription, "1 to 500 characters, without control characters"}
	externalIDRule  = rule{false, payments.ValidExternalID, "1 to 255 printable characters"}
	currencyRule    = rule{false, func(s string) bool { return s == "BRL" }, `"BRL"`}
	nameRule        = rule{true, payments.ValidCustomerName, "1 to 200 characters, without control characters"}
	emailRule       = rule{true, payments.ValidCustomerEmail, "an email address of at most 254 characters"}
	documentRule    = rule{true, payments.ValidCustomerDocument, "3 to 32 characters"}
	phoneRule       = rule{true, payments.ValidCustomerPhone, "8 to 20 digits, spaces and + ( ) -"}
)

// readNewCheckout checks a body according to the rules of the fields (contract 2.2).
func readNewCheckout(body []byte) (payments.NewCheckout, error) {
	o, hash, err := decode(body, refusal.InvalidJSON,
		"amount", "description", "externalId", "currency", "customer", "metadata", "expiresIn")
	if err != nil {
		return payments.NewCheckout{}, err
	}
	amount := o.integer("amount", true)
	description := o.text("description", true, descriptionRule)
	externalID := o.text("externalId", true, externalIDRule)
	o.text("currency", false, currencyRule)
	customer := readCustomer(&o)
	metadata := readMetadata(&o)
	expiresIn := o.integer("expiresIn", false)
	if amount != nil {
		o.amount(money.Cents(*amount))
	}
	if *o.err != nil {
		return payments.NewCheckout{}, *o.err
	}
	seconds := int64(payments.DefaultExpiresIn)
	if expiresIn != nil {
		seconds = *expiresIn
	}
	if seconds < payments.MinExpiresIn || seconds > payments.MaxExpiresIn {
		return payments.NewCheckout{}, refusal.New(refusal.InvalidExpiresIn,
			"expiresIn must be %d to %d seconds.", payments.MinExpiresIn, payments.MaxExpiresIn)
	}
	return payments.NewCheckout{
		Amount: money.Cents(*amount), Description: *description, ExternalID: *externalID, Customer: customer,
		Metadata: metadata, ExpiresIn: time.Duration(seconds) * time.Second, RequestHash: hash,
	}, nil
}

// amount checks the limits of every account. The operation checks the limits of this
// account, after the idempotency key.
func (o *object) amount(amount money.Cents) {
	if !payments.ValidAmount(amount) {
		o.fail("amount must be 1 to %d centavos.", money.Max)
	}
}

func readCustomer(o *object) payments.Customer {
	inner, given := o.object("customer", "name", "email", "document", "phone")
	if !given {
		return payments.Customer{}
	}
	customer := payments.Customer{
		Name: inner.text("name", true, nameRule), Email: inner.text("email", false, emailRule),
		Document: inner.text("document", false, documentRule), Phone: inner.text("phone", false, phoneRule),
	}
	if !customer.Reachable() {
		o.fail("customer needs at least one of customer.email, customer.document and customer.phone.")
	}
	return customer
}

// readMetadata returns the metadata as a JSON object, {} if there is none.
func readMetadata(o *object) []byte {
	v := o.member("metadata", false, strictjson.Object)
	if v == nil {
		return []byte("{}")
	}
	if len(v.Members) > payments.MaxMetadata {
		o.fail("metadata must have at most %d members.", payments.MaxMetadata)
	}
	for _, m := range v.Members {
		path := fmt.Sprintf("metadata.%.40s", m.Name)
		switch {
		case !payments.ValidMetadataName(m.Name):
			o.fail("The names in metadata must have 1 to 40 characters, without control characters.")
		case m.Value.Kind != strictjson.String:
			o.fail("%s must be a string, not %s.", path, m.Value.Kind)
		case !payments.ValidMetadataValue(m.Value.Text):
			o.fail("%s must have at most 500 characters, without U+0000.", path)
		}
	}
	return v.AppendCanonical(nil)
}
