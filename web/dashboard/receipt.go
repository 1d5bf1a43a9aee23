package dashboard

import (
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// newReceipt shows GET /app/cobrancas/:id/comprovante.
func (s *dashboard) newReceipt(c *fiber.Ctx) error {
	return s.showReceipt(c, pages.NewReceiptProps{Key: rand.Text()})
}

// showReceipt shows the form, with the customer's address if nothing was typed. A charge that is not paid has no
// receipt.
func (s *dashboard) showReceipt(c *fiber.Ctx, props pages.NewReceiptProps) error {
	checkout, err := s.Payments.Checkout(c.UserContext(), page.Scope(c), c.Params("id"))
	if err != nil {
		return err
	}
	if checkout.PaidAt == nil {
		return c.Redirect("/app/cobrancas/"+checkout.ID, fiber.StatusSeeOther)
	}
	if props.Shell, err = s.Shell(c); err != nil {
		return err
	}
	if props.Receipts, err = s.receiptRows(c, checkout.ID); err != nil {
		return err
	}
	props.ID, props.Amount, props.Description = checkout.ID, checkout.Amount, checkout.Description
	props.PaidAt, props.Live = *checkout.PaidAt, checkout.Environment == models.Live
	if len(props.Errors) == 0 {
		props.Email = page.Text(checkout.CustomerEmail)
	}
	return page.Render(c, pages.NewReceipt(props))
}

func (s *dashboard) receiptRows(c *fiber.Ctx, checkoutID string) ([]pages.ReceiptRow, error) {
	mailed, err := models.ReceiptMails(c.UserContext(), s.DB.Pool, checkoutID)
	if err != nil {
		return nil, fmt.Errorf("dashboard: read the receipts of %s: %w", checkoutID, err)
	}
	var rows []pages.ReceiptRow
	for _, r := range mailed {
		rows = append(rows, pages.ReceiptRow{To: r.Masked, ByMember: r.AskedBy != nil, SentAt: r.CreatedAt})
	}
	return rows, nil
}

// mailReceipt handles POST /app/cobrancas/:id/comprovante. A form sends one receipt, however often it is sent.
func (s *dashboard) mailReceipt(c *fiber.Ctx) error {
	props := pages.NewReceiptProps{Key: page.FormKey(page.Field(c, "key")),
		Email: strings.TrimSpace(page.Field(c, "email"))}
	refused := func(problem string) error {
		props.Errors = components.FieldErrors{{Field: "email", Text: problem}}
		return s.showReceipt(c, props)
	}
	if wait := s.TakeMail(c, "receipt/"+page.Visitor(c).UserID); wait != "" {
		return refused(wait)
	}
	by := page.Actor(c)
	err := s.Payments.MailReceipt(c.UserContext(), payments.ReceiptRequest{CheckoutID: c.Params("id"),
		To: props.Email, Form: props.Key, Language: string(i18n.Of(c.UserContext())), By: &by, Scope: page.Scope(c)})
	if problem := page.ReceiptProblem(c, err); problem != "" {
		c.Status(fiber.StatusUnprocessableEntity)
		return refused(problem)
	}
	if err != nil {
		return err
	}
	if err := s.Flash(c, "receipt_mailed"); err != nil {
		return err
	}
	return c.Redirect("/app/cobrancas/"+c.Params("id"), fiber.StatusSeeOther)
}
