package console

import (
	"fmt"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

const (
	// lookUpAround is how far from the given time of day charges are searched, before and
	// after it.
	lookUpAround = 15 * time.Minute
	// lookUpSpan bounds the days of a search by amount.
	lookUpSpan = 31 * 24 * time.Hour
)

// showLookUp shows GET /ops/cobrancas: it finds any merchant's charge by an id, or by amount
// and time.
func (s *console) showLookUp(c *fiber.Ctx) error {
	props := pages.LookUpProps{Fields: pages.LookUpFields{
		Amount: strings.TrimSpace(c.Query("amount")), From: c.Query("from"), Until: c.Query("until"), At: c.Query("at"),
	}}
	if props.Fields.Amount != "" {
		if err := s.lookUp(c, &props); err != nil {
			return err
		}
	}
	shell, err := s.ConsoleShell(c)
	if err != nil {
		return err
	}
	props.Shell = shell
	return page.Render(c, pages.LookUp(props))
}

// lookUp adds the charges found by amount and time, or what is wrong with the form.
func (s *console) lookUp(c *fiber.Ctx, props *pages.LookUpProps) error {
	ctx := c.UserContext()
	amount, err := page.ReadPrice(props.Fields.Amount)
	if err != nil || amount <= 0 {
		props.Errors = append(props.Errors, components.FieldError{Field: "amount",
			Text: i18n.T(ctx, "problem.ops_invalid_amount")})
	}
	from, to, errs := page.ReadPeriod(c, props.Fields.From, props.Fields.Until)
	props.Errors = append(props.Errors, errs...)
	if from.IsZero() && len(errs) == 0 {
		props.Errors = append(props.Errors, components.FieldError{Field: "from",
			Text: i18n.T(ctx, "problem.ops_look_up_from")})
	}
	if to.IsZero() {
		to = from.Add(24 * time.Hour)
	}
	if to.Sub(from) > lookUpSpan {
		props.Errors = append(props.Errors, components.FieldError{Field: "until",
			Text: i18n.T(ctx, "problem.ops_look_up_span")})
	}
	if props.Fields.At != "" {
		at, err := time.Parse("15:04", props.Fields.At)
		if err != nil {
			props.Errors = append(props.Errors, components.FieldError{Field: "at",
				Text: i18n.T(ctx, "problem.ops_look_up_at")})
		}
		moment := from.Add(time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute)
		from, to = moment.Add(-lookUpAround), moment.Add(lookUpAround)
	}
	if len(props.Errors) > 0 {
		c.Status(fiber.StatusUnprocessableEntity)
		return nil
	}
	found, err := models.ReadPage(page.ListSize(c), func(limit int) ([]models.AnyCheckout, error) {
		return models.CheckoutsByAmount(ctx, s.DB.Read, amount, from, to, limit)
	})
	if err != nil {
		return fmt.Errorf("console: look charges up: %w", err)
	}
	props.Looked, props.More = true, found.Next != nil
	for _, f := range found.Rows {
		props.Items = append(props.Items, pages.Item{
			Href: "/ops/cobrancas/" + f.ID, Title: f.AccountName, Detail: f.ID, Amount: &f.Amount,
			Test:  f.Environment == models.Test,
			Badge: components.StatusBadge(components.Checkout, string(f.Status)), Since: f.CreatedAt,
		})
	}
	return nil
}
