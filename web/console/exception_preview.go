package console

import (
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// previewException says what a decision about an exception will do.
func (s *console) previewException(c *fiber.Ctx, d decision) (preview, error) {
	ctx := c.UserContext()
	x, err := models.ExceptionByPayment(ctx, s.DB.Pool, d.id)
	if err != nil {
		return preview{}, err
	}
	p := preview{
		section: layouts.OpsExceptions, title: i18n.T(ctx, "ops.preview_title"),
		back: i18n.Money(ctx, x.Amount), backHref: "/ops/excecoes/" + d.id,
		confirm: i18n.T(ctx, "ops.exception_"+d.Outcome),
		danger:  d.Outcome == string(models.ExceptionWrittenOff),
		effects: []string{i18n.T(ctx, "ops.effect_"+d.Outcome, i18n.Money(ctx, x.Amount))},
		account: page.Text(x.AccountID),
		facts: append([]components.KeyValue{
			{Key: i18n.T(ctx, "ops.exception"), Value: i18n.T(ctx, "ops.exception_"+string(x.Kind))},
		}, exceptionFacts(c, x)...),
	}
	if d.Outcome == string(models.ExceptionRefunded) {
		p.facts = append(p.facts, components.KeyValue{Key: i18n.T(ctx, "ops.return_id"), Value: d.Proof, Mono: true})
	}
	if id := page.Text(x.CheckoutID); id != "" {
		p.facts = append(p.facts, components.KeyValue{Key: i18n.T(ctx, "ops.meant_for"), Value: id, Mono: true})
	}
	switch d.Outcome {
	case outcomeAssign:
		account, checkoutID, err := s.assigned(c, &d)
		if err != nil {
			return preview{}, err
		}
		p.account = account.ID
		p.effects[0] = i18n.T(ctx, "ops.effect_ASSIGN", i18n.Money(ctx, x.Amount), account.Name)
		if checkoutID != "" {
			p.facts = append(p.facts, components.KeyValue{Key: i18n.T(ctx, "ops.meant_for"),
				Value: checkoutID, Mono: true})
		}
		err = s.previewCredit(c, &p, x, account.ID, checkoutID)
		if err != nil {
			return p, err
		}
	case string(models.ExceptionAccepted):
		if err := s.previewCredit(c, &p, x, p.account, page.Text(x.CheckoutID)); err != nil {
			return p, err
		}
	}
	if p.account != "" {
		p.others, err = s.otherExceptions(c, p.account, x.PaymentID)
	}
	return p, err
}

// otherExceptions lists the latest exceptions of an account besides one.
func (s *console) otherExceptions(c *fiber.Ctx, accountID, except string) (*pages.Others, error) {
	ctx := c.UserContext()
	found, err := models.Exceptions(ctx, s.DB.Read, models.ExceptionFilter{AccountID: accountID, Limit: latestRows})
	found = slices.DeleteFunc(found, func(x models.Exception) bool { return x.PaymentID == except })
	return &pages.Others{Title: i18n.T(ctx, "ops.exceptions_before"), None: i18n.T(ctx, "ops.exceptions_none"),
		Items: ownItems(s.exceptionRows(c, found))}, err
}

// previewCredit adds the fee, and the balance of the account before and after the money of an exception.
func (s *console) previewCredit(c *fiber.Ctx, p *preview, x *models.Exception, accountID, checkoutID string) error {
	fee, err := s.Payments.FeeOfException(c.UserContext(), x, accountID, checkoutID)
	if err != nil {
		return fmt.Errorf("console: preview the credit of %s: %w", x.PaymentID, err)
	}
	p.facts = append(p.facts, components.KeyValue{Key: i18n.T(c.UserContext(), "withdraw.fee"),
		Value: i18n.Money(c.UserContext(), fee)})
	p.compare, err = s.balances(c, accountID, x.Environment, models.Balance{Available: x.Amount - fee})
	return err
}
