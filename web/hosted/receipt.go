package hosted

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/refusal"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/hosted"
	"garoupa/web/page"
)

// mailReceipt handles POST /pay/:id/receipt: it mails the receipt to the address that came with the checkout, or to
// the one that is typed.
func (s *hosted) mailReceipt(c *fiber.Ctx) error {
	wait := s.TakeMail(c, "receipt/"+page.AddressKey(c))
	if wait != "" {
		return s.receiptRefused(c, wait)
	}
	err := s.Payments.MailReceipt(c.UserContext(), payments.ReceiptRequest{
		CheckoutID: c.Params("id"), To: page.Field(c, "email"), Form: page.FormKey(page.Field(c, "key")),
		Language: string(i18n.Of(c.UserContext())),
	})
	switch problem := page.ReceiptProblem(c, err); {
	case problem != "":
		c.Status(fiber.StatusUnprocessableEntity)
		return s.receiptRefused(c, problem)
	case err != nil && refusal.Of(err).Code == refusal.WrongState: // the page shows the current state
		return c.Redirect("/pay/"+c.Params("id")+page.Spoken(c), fiber.StatusSeeOther)
	case err != nil:
		return err
	}
	return c.Redirect("/pay/"+c.Params("id")+withQuery(page.Spoken(c), receiptSent), fiber.StatusSeeOther)
}

// receiptSent leads to where the page says that a receipt was sent, far below its top on a phone.
const receiptSent = "receipt=sent#sent"

// withQuery adds a parameter to a query such as "?lang=en", or to none.
func withQuery(query, parameter string) string {
	if query == "" {
		return "?" + parameter
	}
	return query + "&" + parameter
}

// receiptRefused shows the page again with the reason why no receipt was sent.
func (s *hosted) receiptRefused(c *fiber.Ctx, problem string) error {
	props, err := s.payProps(c)
	if err != nil {
		return err
	}
	props.Receipt.Typed = strings.TrimSpace(page.Field(c, "email"))
	props.Receipt.Errors = components.FieldErrors{{Field: "email", Text: problem}}
	return page.Render(c, pages.Pay(props))
}
