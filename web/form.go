package web

import (
	"context"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/views/components"
	"garoupa/views/i18n"
)

// problemTexts names the text of what can be wrong with a field; a field that is
// not here has one text for all.
var problemTexts = map[string]map[merchants.Problem]string{
	"email":       {merchants.Taken: "email_taken", "": "email"},
	"new_email":   {merchants.Taken: "email_same", "": "email"},
	"password":    {merchants.TooLong: "password_long", "": "password_short"},
	"name":        {merchants.Missing: "name_missing", "": "name"},
	"business":    {merchants.Missing: "business_missing", "": "business"},
	"key_name":    {"": "key_name"},
	"permissions": {"": "key_permissions"},
	"description": {"": "webhook_description"},
	"types":       {"": "webhook_types"},

	"terms":        {"": "terms"},
	"passkey_name": {"": "passkey_name"},

	"lang":    {"": "language"},
	"accent":  {"": "accent"},
	"support": {"": "support"},
	"logo":    {merchants.Missing: "logo_missing", merchants.TooLong: "logo_long", merchants.Unknown: "logo_pixels", "": "logo"},

	"product_name":         {"": "product_name"},
	"product_slug":         {"": "product_slug"},
	"product_amount":       {"": "product_amount"},
	"product_description":  {"": "product_description"},
	"product_picture":      {merchants.TooLong: "logo_long", merchants.Unknown: "logo_pixels", again: "product_picture_again", "": "logo"},
	"product_paymentCycle": {"": "product_cycle"},

	"access_legalName":     {"": "access_legal_name"},
	"access_document":      {merchants.Missing: "access_document_missing", "": "access_document"},
	"access_website":       {"": "access_website"},
	"access_sells":         {merchants.Missing: "access_sells_missing", "": "access_sells"},
	"access_monthlyVolume": {"": "access_monthly_volume"},
	"access_contactName":   {"": "access_contact_name"},
	"access_contactEmail":  {"": "email"},
	"access_contactPhone":  {"": "access_contact_phone"},

	"ops_outcome":    {"": "ops_outcome"},
	"ops_reasonCode": {"": "ops_reason_code"},
	"ops_reason":     {"": "ops_reason"},

	"invite_email": {merchants.Taken: "invite_taken", "": "email"},
	"invite_role":  {"": "invite_role"},

	"link_productId":        {"": "link_product"},
	"link_expiresInSeconds": {"": "link_expiry"},
	"link_successUrl":       {insecure: "link_url_https", "": "link_url"},
	"link_returnUrl":        {insecure: "link_url_https", "": "link_url"},
}

// fieldErrors words what is wrong with a form, in the order of its fields.
func fieldErrors(c *fiber.Ctx, problems merchants.Invalid, fields ...string) components.FieldErrors {
	return errorsOf(c, "", problems, fields...)
}

// errorsOf is fieldErrors for a form whose fields have texts of their own: the
// names in problemTexts begin with form.
func errorsOf(c *fiber.Ctx, form string, problems merchants.Invalid, fields ...string) components.FieldErrors {
	var errors components.FieldErrors
	for _, field := range fields {
		if problem, wrong := problems[field]; wrong {
			errors = append(errors, components.FieldError{Field: field, Text: problemText(c.UserContext(), form+field, problem)})
		}
	}
	return errors
}

func problemText(ctx context.Context, field string, problem merchants.Problem) string {
	texts := problemTexts[field]
	key, ok := texts[problem]
	if !ok {
		key = texts[""]
	}
	if key == "password_long" {
		return i18n.T(ctx, "problem."+key, merchants.MaxPasswordLength)
	}
	return i18n.T(ctx, "problem."+key)
}

// formText returns a field of several lines.
func formText(c *fiber.Ctx, field string) string {
	return strings.ReplaceAll(c.FormValue(field), "\r\n", "\n")
}

// values returns every value of a repeated field.
func values(c *fiber.Ctx, field string) []string {
	var all []string
	for _, v := range c.Request().PostArgs().PeekMulti(field) {
		all = append(all, string(v))
	}
	return all
}
