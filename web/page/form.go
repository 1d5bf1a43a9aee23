package page

import (
	"cmp"
	"context"
	"crypto/rand"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/input"
	"garoupa/merchants"
	"garoupa/views/components"
	"garoupa/views/i18n"
)

// problemTexts has the names of the texts for the problems of each field. A field that is
// missing here has one text for all problems, with its own name.
var problemTexts = map[string]map[merchants.Problem]string{
	"email":       {merchants.Taken: "email_taken", "": "email"},
	"new_email":   {merchants.Taken: "email_same", "": "email"},
	"password":    {merchants.TooLong: "password_long", merchants.Common: "password_common", "": "password_short"},
	"name":        {merchants.Missing: "name_missing", "": "name"},
	"business":    {merchants.Missing: "business_missing", "": "business"},
	"key_name":    {"": "key_name"},
	"ends":        {"": "key_ends"},
	"networks":    {merchants.TooLong: "key_networks_many", "": "key_networks"},
	"overlap":     {"": "key_overlap"},
	"permissions": {merchants.Denied: "key_permissions_role", "": "key_permissions"},
	"description": {"": "webhook_description"},
	"types":       {merchants.Denied: "webhook_types_role", "": "webhook_types"},

	"terms":        {"": "terms"},
	"passkey_name": {"": "passkey_name"},

	"ops_min":       {"": "ops_limit_amount"},
	"ops_max":       {merchants.TooShort: "ops_limit_range", "": "ops_limit_amount"},
	"ops_delay":     {"": "ops_hours"},
	"ops_hold":      {"": "ops_hours"},
	"ops_endpoints": {"": "ops_endpoints"},
	"ops_starts":    {"": "ops_starts"},

	"lang":    {"": "language"},
	"accent":  {"": "accent"},
	"support": {"": "support"},
	"logo": {merchants.Missing: "logo_missing", merchants.TooLong: "logo_long", merchants.Unknown: "logo_pixels",
		"": "logo"},

	"thanks":      {merchants.TooLong: "thanks_long", "": "thanks"},
	"thanksLabel": {merchants.Missing: "thanks_label_missing", "": "thanks_label"},
	"thanksUrl":   {merchants.Missing: "thanks_url_missing", "": "thanks_url"},

	"product_name":        {"": "product_name"},
	"product_slug":        {"": "product_slug"},
	"product_amount":      {"": "product_amount"},
	"product_description": {"": "product_description"},
	"product_picture": {merchants.TooLong: "logo_long", merchants.Unknown: "logo_pixels",
		FileAgain: "product_picture_again", "": "logo"},
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
	"link_successUrl":       {InsecureURL: "link_url_https", UserURL: "link_url_user", "": "link_url"},
	"link_buyerData":        {"": "link_buyer_data"},
	"link_maxQuantity":      {"": "link_max_quantity"},
	"link_openMin":          {"": "link_open"},
	"link_stock":            {"": "link_stock"},
	"link_endsAt":           {"": "link_ends"},
	"link_returnUrl":        {InsecureURL: "link_url_https", UserURL: "link_url_user", "": "link_url"},
}

// FieldErrors returns the texts for the problems of a form, in the order of its fields.
func FieldErrors(c *fiber.Ctx, problems merchants.Invalid, fields ...string) components.FieldErrors {
	return FormErrors(c, "", problems, fields...)
}

// FormErrors is FieldErrors for a form whose fields have texts of their own: their names in
// problemTexts begin with form.
func FormErrors(c *fiber.Ctx, form string, problems merchants.Invalid, fields ...string) components.FieldErrors {
	var errors components.FieldErrors
	for _, field := range fields {
		if problem, wrong := problems[field]; wrong {
			errors = append(errors, components.FieldError{Field: field,
				Text: problemText(c.UserContext(), form+field, problem)})
		}
	}
	return errors
}

func problemText(ctx context.Context, field string, problem merchants.Problem) string {
	texts := problemTexts[field]
	key, ok := texts[problem]
	if !ok {
		key = cmp.Or(texts[""], field)
	}
	if key == "password_long" {
		return i18n.T(ctx, "problem."+key, merchants.MaxPasswordLength)
	}
	return i18n.T(ctx, "problem."+key)
}

// Field returns the value of a field of the form in the request's body, "" if it has none. The query
// of the address fills no field, because a link of another site may have written it.
func Field(c *fiber.Ctx, field string) string {
	if value := c.Request().PostArgs().Peek(field); len(value) > 0 {
		return string(value)
	}
	if form, err := c.MultipartForm(); err == nil && len(form.Value[field]) > 0 {
		return form.Value[field][0]
	}
	return ""
}

// FormText returns the value of a field with several lines.
func FormText(c *fiber.Ctx, field string) string {
	return strings.ReplaceAll(Field(c, field), "\r\n", "\n")
}

// FormValues returns every value of a repeated field.
func FormValues(c *fiber.Ctx, field string) []string {
	var all []string
	for _, v := range c.Request().PostArgs().PeekMulti(field) {
		all = append(all, string(v))
	}
	return all
}

// InsecureURL is the problem of an http address in live.
const InsecureURL merchants.Problem = "insecure"

// UserURL is the problem of an address with a user name before its host.
const UserURL merchants.Problem = "user"

// MaxFormKey is the maximal length of a form's key.
const MaxFormKey = 100

// FileAgain is the problem of a file that was valid in a form with another problem. Browsers
// drop file inputs, so the file must be chosen again.
const FileAgain merchants.Problem = "again"

// FormKey returns the key that a form was sent with, or a new key.
func FormKey(sent string) string {
	if sent == "" || len(sent) > MaxFormKey || !input.Plain(sent) {
		return rand.Text()
	}
	return sent
}
