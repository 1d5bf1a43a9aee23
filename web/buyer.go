package web

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
)

// readBuyer checks who the buyer says they are. Nobody has to say, but a customer
// is a name with something that tells its bearer from others (contract 2.2), which
// on the page is the e-mail.
func readBuyer(c *fiber.Ctx, name, email string) (payments.Customer, components.FieldErrors) {
	name, email = strings.Join(strings.Fields(name), " "), strings.TrimSpace(email)
	var problems components.FieldErrors
	problem := func(field, key string) {
		problems = append(problems, components.FieldError{Field: field, Text: i18n.T(c.UserContext(), "problem."+key)})
	}
	switch {
	case name == "" && email == "":
		return payments.Customer{}, nil
	case name == "":
		problem("name", "buyer_name_missing")
	case utf8.RuneCountInString(name) > 200 || !plain(name):
		problem("name", "buyer_name")
	}
	switch {
	case email == "":
		problem("email", "buyer_email_missing")
	case !isEmail(email):
		problem("email", "email")
	}
	return payments.Customer{Name: &name, Email: &email}, problems
}

// plain reports whether text holds no control characters, nor those that turn the
// direction of writing and make a text read as another.
func plain(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	})
}

func isEmail(text string) bool {
	a, err := mail.ParseAddress(text)
	return err == nil && a.Address == text && len(text) <= 254 && plain(text) && strings.Contains(text[strings.LastIndexByte(text, '@'):], ".")
}
