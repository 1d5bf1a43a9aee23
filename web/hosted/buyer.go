package hosted

import (
	"github.com/gofiber/fiber/v2"

	"garoupa/internal/input"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
)

// readBuyer checks the buyer's data, which are optional. A customer needs a name and further
// identifying data (contract 2.2), which on this page is the email.
func readBuyer(c *fiber.Ctx, name, email string) (payments.Customer, components.FieldErrors) {
	name, email = input.TrimLine(name), input.Trim(email)
	var problems components.FieldErrors
	problem := func(field, key string) {
		problems = append(problems, components.FieldError{Field: field, Text: i18n.T(c.UserContext(), "problem."+key)})
	}
	switch {
	case name == "" && email == "":
		return payments.Customer{}, nil
	case name == "":
		problem("name", "buyer_name_missing")
	case !payments.ValidCustomerName(name):
		problem("name", "buyer_name")
	}
	switch {
	case email == "":
		problem("email", "buyer_email_missing")
	case !payments.ValidCustomerEmail(email):
		problem("email", "email")
	}
	return payments.Customer{Name: &name, Email: &email}, problems
}
