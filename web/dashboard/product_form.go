package dashboard

import (
	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// readProductForm reads the form of a product: the typed values, and their parsed form.
func readProductForm(c *fiber.Ctx) (pages.ProductFields, merchants.ProductForm, error) {
	fields := pages.ProductFields{
		Key: page.Field(c, "key"), Name: page.Field(c, "name"), Slug: page.Field(c, "slug"),
		Amount: page.Field(c, "amount"), Description: page.FormText(c, "description"),
		PaymentCycle: page.Field(c, "paymentCycle"), Active: page.Field(c, "active") != "",
		RemovePicture: page.Field(c, "removePicture") != "",
	}
	file, err := page.FormFile(c, "picture")
	price, _ := page.ReadPrice(fields.Amount) // an invalid price is zero, which is refused
	return fields, merchants.ProductForm{
		Name: fields.Name, Description: fields.Description, Picture: file, RemovePicture: fields.RemovePicture,
		Amount: price, PaymentCycle: fields.PaymentCycle, Active: fields.Active,
	}, err
}

// productErrors returns the texts for the errors of a product. For a slug that is taken it
// suggests a free one.
func (s *dashboard) productErrors(c *fiber.Ctx, problems merchants.Invalid,
	form merchants.ProductForm) (components.FieldErrors, error) {
	if _, wrong := problems["picture"]; !wrong && len(form.Picture) > 0 {
		problems["picture"] = page.FileAgain
	}
	errs := page.FormErrors(c, "product_", problems, "name", "amount", "description", "picture", "slug", "paymentCycle")
	if problems["slug"] != merchants.Taken {
		return errs, nil
	}
	free, err := s.freeSlug(c.UserContext(), page.Scope(c), form.Slug)
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
