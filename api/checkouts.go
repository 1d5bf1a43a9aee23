package api

import (
	"fmt"
	"net/mail"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/money"
	"garoupa/payments"
	"garoupa/strictjson"
	"garoupa/wire"
)

// Bounds of expiresIn, in seconds, and of the members of metadata (contract 2.2,
// decisions 3).
const (
	MinExpiresIn     = 60
	MaxExpiresIn     = 86400
	DefaultExpiresIn = 1800
	MaxMetadata      = 50
)

// createCheckout handles POST /v1/checkouts (contract 4.1).
func (s *server) createCheckout(c *fiber.Ctx) error {
	key, err := idempotencyKey(c)
	if err != nil {
		return err
	}
	h := holder(c)
	in, err := readNewCheckout(c.BodyRaw(), &h.Account)
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
	return sendJSON(c, wire.AppendCheckout(nil, checkout, s.CheckoutHost))
}

var (
	descriptionRule = rule{true, func(s string) bool { return text(s, 1, 500, "\n") }, "1 to 500 characters, without control characters"}
	externalIDRule  = rule{false, func(s string) bool { return text(s, 1, 255, "") && printable(s) }, "1 to 255 printable characters"}
	currencyRule    = rule{false, func(s string) bool { return s == "BRL" }, `"BRL"`}
	nameRule        = rule{true, func(s string) bool { return text(s, 1, 200, "") }, "1 to 200 characters, without control characters"}
	emailRule       = rule{true, email, "an email address of at most 254 characters"}
	documentRule    = rule{true, func(s string) bool { return text(s, 3, 32, "") }, "3 to 32 characters"}
	phoneRule       = rule{true, phone, "8 to 20 digits, spaces and + ( ) -"}
)

// Accepts reports whether a trimmed text may be a member of a new checkout:
// "description", "externalId", "customer.name", "customer.email",
// "customer.document", "customer.phone", and "metadata.name" and "metadata.value"
// for those of metadata. Forms hold to the rules of the API by it.
func Accepts(member, s string) bool {
	switch member {
	case "metadata.name":
		return metadataName(s)
	case "metadata.value":
		return utf8.ValidString(s) && metadataValue(s)
	}
	r, known := map[string]rule{
		"description": descriptionRule, "externalId": externalIDRule, "customer.name": nameRule,
		"customer.email": emailRule, "customer.document": documentRule, "customer.phone": phoneRule,
	}[member]
	return known && r.accepts(s)
}

func metadataName(s string) bool { return text(s, 1, 40, "") }

// metadataValue refuses U+0000, which PostgreSQL cannot store.
func metadataValue(s string) bool {
	return utf8.RuneCountInString(s) <= 500 && !strings.ContainsRune(s, 0)
}

// readNewCheckout checks a body against the rules of the fields (contract 2.2,
// decisions 3).
func readNewCheckout(body []byte, account *models.Account) (payments.NewCheckout, error) {
	o, hash, err := decode(body, fault.InvalidJSON,
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
		o.amount(money.Cents(*amount), account)
	}
	if *o.err != nil {
		return payments.NewCheckout{}, *o.err
	}
	seconds := int64(DefaultExpiresIn)
	if expiresIn != nil {
		seconds = *expiresIn
	}
	if seconds < MinExpiresIn || seconds > MaxExpiresIn {
		return payments.NewCheckout{}, fault.New(fault.InvalidExpiresIn, "expiresIn must be %d to %d seconds.", MinExpiresIn, MaxExpiresIn)
	}
	return payments.NewCheckout{
		Amount: money.Cents(*amount), Description: *description, ExternalID: *externalID, Customer: customer,
		Metadata: metadata, ExpiresIn: time.Duration(seconds) * time.Second, RequestHash: hash,
	}, nil
}

func (o *object) amount(amount money.Cents, account *models.Account) {
	if amount < 1 || amount > money.Max {
		o.fail("amount must be 1 to %d centavos.", money.Max)
	} else if amount < account.MinAmount || amount > account.MaxAmount {
		o.fail("amount must be %d to %d centavos for this account.", account.MinAmount, account.MaxAmount)
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
	if customer.Email == nil && customer.Document == nil && customer.Phone == nil {
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
	if len(v.Members) > MaxMetadata {
		o.fail("metadata must have at most %d members.", MaxMetadata)
	}
	for _, m := range v.Members {
		path := fmt.Sprintf("metadata.%.40s", m.Name)
		switch {
		case !metadataName(m.Name):
			o.fail("The names in metadata must have 1 to 40 characters, without control characters.")
		case m.Value.Kind != strictjson.String:
			o.fail("%s must be a string, not %s.", path, m.Value.Kind)
		case !metadataValue(m.Value.Text):
			o.fail("%s must have at most 500 characters, without U+0000.", path)
		}
	}
	return v.AppendCanonical(nil)
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

func email(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && len(s) <= 254 && printable(s)
}

func phone(s string) bool {
	return len(s) >= 8 && len(s) <= 20 && strings.ContainsAny(s, "0123456789") && strings.Trim(s, "0123456789 +()-") == ""
}
