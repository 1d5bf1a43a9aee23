package hosted

import (
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/input"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/hosted"
	"garoupa/web/page"
)

// readLinkForm reads what a buyer chose: as typed, and parsed. Fields for which the link does not ask are not
// read. Whether the link allows the choice is not checked.
func readLinkForm(
	c *fiber.Ctx, link *models.PublicPaymentLink,
) (pages.LinkProps, payments.LinkChoice, components.FieldErrors) {
	props := pages.LinkProps{Token: page.Field(c, "token"), BuyerName: page.Field(c, "name"),
		BuyerEmail: page.Field(c, "email"), TypedAmount: page.Field(c, "amount"), Quantity: 1}
	choice := payments.LinkChoice{Form: props.Token, Quantity: 1}
	if link.OpenAmount != nil {
		choice.Amount, _ = page.ReadPrice(props.TypedAmount) // an invalid amount is zero, which is refused
	} else if text := strings.TrimSpace(page.Field(c, "quantity")); text != "" {
		if number, err := strconv.Atoi(text); err == nil && number > 0 {
			choice.Quantity, props.Quantity = number, number
		} else {
			choice.Quantity = -1 // refused
		}
	}
	if link.BuyerData == models.BuyerDataOff {
		return props, choice, nil
	}
	var problems components.FieldErrors
	choice.Buyer, problems = readBuyer(c, props.BuyerName, props.BuyerEmail)
	return props, choice, problems
}

// readBuyer checks the buyer's data, of which each may be left out.
func readBuyer(c *fiber.Ctx, name, email string) (buyer payments.Customer, problems components.FieldErrors) {
	problem := func(field, key string) {
		problems = append(problems, components.FieldError{Field: field, Text: i18n.T(c.UserContext(), "problem."+key)})
	}
	if name = input.TrimLine(name); name != "" {
		if buyer.Name = &name; !payments.ValidCustomerName(name) {
			problem("name", "buyer_name")
		}
	}
	if email = input.Trim(email); email != "" {
		if buyer.Email = &email; !payments.ValidCustomerEmail(email) {
			problem("email", "email")
		}
	}
	return buyer, problems
}

// choiceProblem words why a link does not allow a choice.
func choiceProblem(c *fiber.Ctx, refused payments.ChoiceRefused) components.FieldErrors {
	ctx, text := c.UserContext(), ""
	switch offer := refused.Offer; {
	case refused.Field == "amount" && offer.Amount != nil:
		text = i18n.T(ctx, "problem.link_amount", i18n.Money(ctx, offer.Amount.Min), i18n.Money(ctx, offer.Amount.Max))
	case refused.Field == "quantity" && offer.MaxQuantity > 1:
		text = i18n.T(ctx, "problem.link_quantity", i18n.Number(ctx, offer.MaxQuantity))
	case refused.Field == "quantity":
		text = i18n.T(ctx, "problem.link_quantity_one")
	default:
		text = i18n.T(ctx, "problem.buyer_"+refused.Field+"_missing")
	}
	return components.FieldErrors{{Field: refused.Field, Text: text}}
}
