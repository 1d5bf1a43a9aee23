package console

import (
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// outcomeRelease makes the whole of a blocked amount available again.
const outcomeRelease = "RELEASE"

// blocked shows GET /ops/contas/:id/bloqueios/:block.
func (s *console) blocked(c *fiber.Ctx) error {
	return s.showBlocked(c, decision{id: c.Params("id")}, nil, false)
}

// blockedAmount returns the blocked amount in the address, which is one of the account in the address.
func (s *console) blockedAmount(c *fiber.Ctx) (*models.BlockedAmount, error) {
	b, err := models.BlockedAmountOf(c.UserContext(), s.DB.Pool, c.Params("id"), c.Params("block"))
	if err != nil && !errors.Is(err, models.ErrNotFound) {
		err = fmt.Errorf("console: read a blocked amount: %w", err)
	}
	return b, err
}

// showBlocked answers with the page of a blocked amount.
func (s *console) showBlocked(c *fiber.Ctx, d decision, errs components.FieldErrors, changed bool) error {
	ctx := c.UserContext()
	b, err := s.blockedAmount(c)
	if err != nil {
		return err
	}
	account, err := s.anyAccount(c, b.AccountID)
	if err != nil {
		return err
	}
	books, err := s.Payments.Books(ctx, b.AccountID, b.Environment)
	if err != nil {
		return err
	}
	act := "amount.blocked"
	if b.ReleasedAt != nil {
		act = "amount.unblocked"
	}
	props := pages.CaseProps{
		Section: layouts.OpsAccounts, Href: "/ops/contas/" + b.AccountID, Back: account.Name,
		Title: i18n.Money(ctx, b.Amount), Badge: pages.ActBadge(act), Test: b.Environment == models.Test,
		Parts: []pages.Part{{ID: "block", Title: i18n.T(ctx, "ops.book_blocked"), Facts: blockFacts(c, b)}},
		Books: []pages.Books{shownBooks(b.Environment, books)},
	}
	if props.Others, err = s.openCases(c, b.AccountID, b.ID); err != nil {
		return err
	}
	if props.History, err = s.acts(c, b.ID); err != nil {
		return err
	}
	if props.TakesPart, err = s.takesPart(c, models.Matter{AccountID: b.AccountID, Since: b.CreatedAt}); err != nil {
		return err
	}
	if b.ReleasedAt == nil {
		props.Decision = &pages.DecisionForm{
			Kind: "block", Action: blockPath(b), Version: "1", Outcomes: []string{outcomeRelease},
			ReasonLabel: i18n.T(ctx, "ops.reason_kept_label"), ReasonHint: i18n.T(ctx, "ops.reason_kept"),
			Fields: d.DecisionFields, Errors: errs,
		}
	}
	return s.showCase(c, props, b.AccountID, b.ID, changed)
}

func blockPath(b *models.BlockedAmount) string {
	return "/ops/contas/" + b.AccountID + "/bloqueios/" + b.ID
}

func blockFacts(c *fiber.Ctx, b *models.BlockedAmount) []components.KeyValue {
	ctx := c.UserContext()
	facts := []components.KeyValue{
		{Key: i18n.T(ctx, "ops.block_id"), Value: b.ID, Mono: true},
		{Key: i18n.T(ctx, "ops.block_amount"), Value: i18n.Money(ctx, b.Amount)},
		{Key: i18n.T(ctx, "layout.environment"), Value: i18n.T(ctx, "layout."+b.Environment.String())},
		{Key: i18n.T(ctx, "ops.block_since"), Value: i18n.DateTime(ctx, b.CreatedAt)},
		{Key: i18n.T(ctx, "ops.block_why"), Value: b.Reason},
	}
	if b.ReleasedAt != nil {
		facts = append(facts,
			components.KeyValue{Key: i18n.T(ctx, "ops.block_released"), Value: i18n.DateTime(ctx, *b.ReleasedAt)},
			components.KeyValue{Key: i18n.T(ctx, "ops.block_released_why"), Value: page.Text(b.ReleaseReason)})
	}
	return facts
}

// releaseCase is the decision to release a blocked amount, which happens once.
func (s *console) releaseCase() decisionCase {
	return decisionCase{
		show: s.showBlocked,
		check: func(c *fiber.Ctx, d *decision) (components.FieldErrors, bool, error) {
			b, err := s.blockedAmount(c)
			if err != nil {
				return nil, false, err
			}
			d.Outcome = outcomeRelease
			return reasonErrors(c, d, nil), b.ReleasedAt == nil, nil
		},
		preview: s.previewRelease,
		decide: func(c *fiber.Ctx, d decision) (flash, path string, err error) {
			_, err = s.Payments.UnblockAmount(c.UserContext(), page.Actor(c), c.Params("block"), d.Reason)
			return "ops_unblocked", "/ops/contas/" + d.id, err
		},
	}
}

func (s *console) previewRelease(c *fiber.Ctx, _ decision) (preview, error) {
	ctx := c.UserContext()
	b, err := s.blockedAmount(c)
	if err != nil {
		return preview{}, err
	}
	p := preview{
		section: layouts.OpsAccounts, title: i18n.T(ctx, "ops.preview_title"), back: i18n.Money(ctx, b.Amount),
		backHref: blockPath(b), account: b.AccountID, confirm: i18n.T(ctx, "ops.block_RELEASE"),
		effects: []string{i18n.T(ctx, "ops.effect_release", i18n.Money(ctx, b.Amount))},
		facts:   blockFacts(c, b),
	}
	return p, s.fillBlockPreview(c, &p, b.AccountID, b.ID, b.Environment, -b.Amount)
}
