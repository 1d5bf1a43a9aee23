package web

import (
	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// readProductForm reads the form of a product, as typed and as it is meant.
func readProductForm(c *fiber.Ctx) (pages.ProductFields, merchants.ProductForm, error) {
	fields := pages.ProductFields{
		Name: c.FormValue("name"), Slug: c.FormValue("slug"), Amount: c.FormValue("amount"), Description: formText(c, "description"),
		PaymentCycle: c.FormValue("paymentCycle"), Active: c.FormValue("active") != "", RemovePicture: c.FormValue("removePicture") != "",
	}
	file, err := formFile(c, "picture")
	price, _ := readPrice(fields.Amount) // what is no price is zero, which no product may cost
	return fields, merchants.ProductForm{
		Name: fields.Name, Description: fields.Description, Picture: file, RemovePicture: fields.RemovePicture,
		Amount: price, PaymentCycle: fields.PaymentCycle, Active: fields.Active,
	}, err
}

// again is what is wrong with a file that was right, in a form that was not: no browser
// keeps it.
const again merchants.Problem = "again"

// productErrors words what is wrong with a product. A slug that is taken comes
// with one that is free.
func (s *server) productErrors(c *fiber.Ctx, problems merchants.Invalid, form merchants.ProductForm) (components.FieldErrors, error) {
	if _, wrong := problems["picture"]; !wrong && len(form.Picture) > 0 {
		problems["picture"] = again
	}
	errs := errorsOf(c, "product_", problems, "name", "amount", "description", "picture", "slug", "paymentCycle")
	if problems["slug"] != merchants.Taken {
		return errs, nil
	}
	free, err := s.freeSlug(c.UserContext(), scope(c), form.Slug)
	if err != nil {
		return nil, err
	}
	for i := range errs {
		if errs[i].Field == "slug" {
			errs[i].Text = i18n.T(c.UserContext(), "problem.product_slug_taken", free)
		}
	}
	return errs, nil
}

// typedPrice writes a price the way the visitor would type it.
func typedPrice(c *fiber.Ctx, price money.Cents) string {
	return i18n.Amount(c.UserContext(), price)
}
