package console

import (
	"strconv"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// preview describes a decision before it is made: the facts that it acts on, and its effects.
type preview struct {
	section, title, back, backHref string
	account                        string                // whose object is decided about; "" if it is no account's
	facts                          []components.KeyValue // what is decided about, without the reason
	others                         *pages.Others         // of the account; nil if there are none to compare
	reasonKey                      string                // of the texts of codes of reasons; "" for "ops.why_"
	history                        []pages.Event         // what was decided before
	language                       i18n.Lang
	page                           templ.Component // what the merchant will read; nil if nothing
	effects                        []string        // other effects
	mail                           string          // the mail's subject; "" if there is no mail
	confirm                        string          // the text of the button
	danger                         bool
	compare                        *pages.Part // facts before and after; nil if there are none
}

func (s *console) showPreview(c *fiber.Ctx, k decisionCase, d decision) error {
	p, err := k.preview(c, d)
	if err != nil {
		return err
	}
	props := pages.PreviewProps{
		Section: p.section, Title: p.title, Back: p.back, BackHref: inPlace(c, p.backHref),
		Action:  inPlace(c, c.Path()),
		Confirm: p.confirm, Danger: p.danger,
		Facts:  linked(append(p.facts, reasonFacts(c, p, d)...), ""),
		Others: p.others, History: p.history, Language: p.language, Page: p.page,
		Effects: p.effects, Mail: p.mail, Compare: p.compare,
		Hidden: append([]components.KeyValue{
			{Key: "version", Value: strconv.Itoa(d.version)}, {Key: "outcome", Value: d.Outcome},
			{Key: "reasonCode", Value: d.ReasonCode},
			{Key: "reason", Value: d.Reason}, {Key: "amount", Value: d.Amount}, {Key: "proof", Value: d.Proof},
			{Key: "for", Value: d.For},
		}, d.hidden...),
	}
	if p.account != "" {
		head, err := s.accountHead(c, p.account)
		if err != nil {
			return err
		}
		props.Account = &head
	}
	if props.Shell, err = s.ConsoleShell(c); err != nil {
		return err
	}
	return page.Render(c, pages.Preview(props))
}

// reasonFacts returns the reason of a decision as it was written.
func reasonFacts(c *fiber.Ctx, p preview, d decision) (facts []components.KeyValue) {
	ctx, key, label := c.UserContext(), "ops.why_", "ops.reason"
	if p.reasonKey != "" {
		key = p.reasonKey
	}
	if p.page == nil { // the merchant reads nothing
		label = "ops.reason_kept_label"
	}
	if d.ReasonCode != "" {
		facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "ops.reason_code"),
			Value: i18n.T(ctx, key+d.ReasonCode)})
	}
	return append(facts, components.KeyValue{Key: i18n.T(ctx, label), Value: d.Reason})
}

// balances compares an account's money now with what it will be after a change, of the amounts that change.
func (s *console) balances(c *fiber.Ctx, accountID string, environment models.Environment,
	change models.Balance) (*pages.Part, error) {
	ctx := c.UserContext()
	now, err := s.Payments.Books(ctx, accountID, environment)
	if err != nil {
		return nil, err
	}
	part := &pages.Part{ID: "balances", Title: i18n.T(ctx, "ops.preview_balances")}
	for _, book := range []struct {
		key         string
		now, change money.Cents
	}{
		{"pending", now.Pending, change.Pending}, {"available", now.Available, change.Available},
		{"reserved", now.Reserved, change.Reserved}, {"blocked", now.Blocked, change.Blocked},
	} {
		if book.change != 0 {
			part.Facts = append(part.Facts, components.KeyValue{Key: i18n.T(ctx, "ops.book_"+book.key),
				Value: i18n.T(ctx, "ops.preview_balance", i18n.Money(ctx, book.now),
					i18n.Money(ctx, book.now+book.change))})
		}
	}
	if len(part.Facts) == 0 {
		return nil, nil
	}
	return part, nil
}
