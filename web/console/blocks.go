package console

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/money"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// The decisions to block an amount.
const (
	outcomeBlockLive = "LIVE" // an amount of live money is blocked
	outcomeBlockTest = "TEST" // an amount of test money is blocked
)

func blockedIn(outcome string) models.Environment { return outcome != outcomeBlockTest }

// blockForm shows GET /ops/contas/:id/bloqueios.
func (s *console) blockForm(c *fiber.Ctx) error {
	return s.showBlockForm(c, decision{id: c.Params("id")}, nil, false)
}

// showBlockForm answers with the form that blocks an amount of an account. d.id is the account's.
func (s *console) showBlockForm(c *fiber.Ctx, d decision, errs components.FieldErrors, changed bool) error {
	ctx, path := c.UserContext(), "/ops/contas/"+d.id
	account, err := s.anyAccount(c, d.id)
	if err != nil {
		return err
	}
	made, err := models.BlockedAmountCount(ctx, s.DB.Pool, d.id)
	if err != nil {
		return fmt.Errorf("console: count the blocked amounts of %s: %w", d.id, err)
	}
	props := pages.CaseProps{
		Section: layouts.OpsAccounts, Href: path, Back: account.Name, Title: i18n.T(ctx, "ops.block"),
		Decision: &pages.DecisionForm{
			Kind: "block", Action: path + "/bloqueios", Version: strconv.Itoa(made),
			Outcomes:  []string{outcomeBlockLive, outcomeBlockTest},
			AskAmount: i18n.T(ctx, "ops.block_amount"), ReasonHint: i18n.T(ctx, "ops.block_reason_hint"),
			Fields: d.DecisionFields, Errors: errs,
		},
	}
	for _, environment := range []models.Environment{models.Live, models.Test} {
		b, err := s.Payments.Books(ctx, d.id, environment)
		if err != nil {
			return err
		}
		props.Books = append(props.Books, shownBooks(environment, b))
	}
	if props.Others, err = s.openCases(c, d.id, ""); err != nil {
		return err
	}
	if props.History, err = s.blockActs(c, d.id); err != nil {
		return err
	}
	if changed {
		if props.Changed, err = s.lastActOf(c, models.AuditFilter{AccountID: d.id, Subject: "amount",
			Limit: 1}); err != nil {
			return err
		}
	}
	return s.showCase(c, props, d.id, d.id, changed)
}

// blockActs returns who blocked and released amounts of an account, the latest first.
func (s *console) blockActs(c *fiber.Ctx, accountID string) ([]pages.Event, error) {
	lines, err := models.AuditLines(c.UserContext(), s.DB.Pool,
		models.AuditFilter{AccountID: accountID, Subject: "amount", Limit: latestRows})
	return events(lines), err
}

// blockCase is the decision to block an amount. The id in its path is the account's.
func (s *console) blockCase() decisionCase {
	return decisionCase{
		show: s.showBlockForm,
		check: func(c *fiber.Ctx, d *decision) (errs components.FieldErrors, current bool, err error) {
			ctx := c.UserContext()
			if _, err := s.anyAccount(c, d.id); err != nil {
				return nil, false, err
			}
			if d.Outcome != outcomeBlockLive && d.Outcome != outcomeBlockTest {
				errs = append(errs, components.FieldError{Field: "outcome",
					Text: i18n.T(ctx, "problem.ops_outcome")})
			}
			books, err := s.Payments.Books(ctx, d.id, blockedIn(d.Outcome))
			if err != nil {
				return nil, false, err
			}
			if amount, err := page.ReadPrice(d.Amount); err != nil || amount <= 0 {
				errs = append(errs, components.FieldError{Field: "amount",
					Text: i18n.T(ctx, "problem.ops_invalid_amount")})
			} else if amount > books.Available {
				errs = append(errs, components.FieldError{Field: "amount",
					Text: i18n.T(ctx, "problem.ops_insufficient_balance")})
			}
			errs = append(errs, reasonErrors(c, d, nil)...)
			made, err := models.BlockedAmountCount(ctx, s.DB.Pool, d.id)
			return errs, made == d.version, err
		},
		preview: s.previewBlock,
		decide: func(c *fiber.Ctx, d decision) (flash, path string, err error) {
			amount, err := page.ReadPrice(d.Amount)
			if err != nil {
				return "", "", err
			}
			_, err = s.Payments.BlockAmount(c.UserContext(), page.Actor(c), payments.NewBlock{
				AccountID: d.id, Environment: blockedIn(d.Outcome), Amount: amount, Reason: d.Reason, Seen: d.version,
			})
			return "ops_blocked", "/ops/contas/" + d.id, err
		},
	}
}

func (s *console) previewBlock(c *fiber.Ctx, d decision) (preview, error) {
	ctx, environment := c.UserContext(), blockedIn(d.Outcome)
	amount, err := page.ReadPrice(d.Amount)
	if err != nil {
		return preview{}, err
	}
	p := preview{
		section: layouts.OpsAccounts, title: i18n.T(ctx, "ops.preview_title"), back: i18n.T(ctx, "ops.block"),
		backHref: "/ops/contas/" + d.id + "/bloqueios", account: d.id,
		confirm: i18n.T(ctx, "ops.block_action"), danger: true,
		effects: []string{i18n.T(ctx, "ops.effect_block", i18n.Money(ctx, amount)),
			i18n.T(ctx, "ops.effect_block_until")},
		facts: []components.KeyValue{
			{Key: i18n.T(ctx, "ops.block_amount"), Value: i18n.Money(ctx, amount)},
			{Key: i18n.T(ctx, "layout.environment"), Value: i18n.T(ctx, "layout."+environment.String())},
		},
		page: pages.BlockNotice(amount, d.Reason),
	}
	if p.language, err = s.spokenBy(c, d.id); err != nil {
		return preview{}, err
	}
	return p, s.fillBlockPreview(c, &p, d.id, "", environment, amount)
}

// fillBlockPreview adds the balance before and after an amount becomes blocked, or is released if it is negative,
// the account's other cases, and what was blocked before.
func (s *console) fillBlockPreview(c *fiber.Ctx, p *preview, accountID, except string,
	environment models.Environment, amount money.Cents) (err error) {
	p.compare, err = s.balances(c, accountID, environment, models.Balance{Available: -amount, Blocked: amount})
	if err != nil {
		return err
	}
	if p.others, err = s.openCases(c, accountID, except); err != nil {
		return err
	}
	p.history, err = s.blockActs(c, accountID)
	return err
}

// blockItems returns the amounts of an account that are held back, besides one, the latest of live first.
func (s *console) blockItems(c *fiber.Ctx, accountID, except string) (items []pages.Item, err error) {
	for _, environment := range []models.Environment{models.Live, models.Test} {
		found, err := models.BlockedAmounts(c.UserContext(), s.DB.Pool, accountID, environment, true)
		if err != nil {
			return nil, fmt.Errorf("console: list the blocked amounts of %s: %w", accountID, err)
		}
		for _, b := range found {
			if b.ID != except {
				items = append(items, pages.Item{Href: blockPath(&b), Title: b.Reason, Amount: &b.Amount,
					Test: environment == models.Test, Badge: pages.ActBadge("amount.blocked"), Since: b.CreatedAt})
			}
		}
	}
	return items, nil
}

// openCases lists what waits for a decision about an account's money, besides one blocked amount: amounts that are
// held back, withdrawals, exceptions and disputes, the latest first.
func (s *console) openCases(c *fiber.Ctx, accountID, except string) (*pages.Others, error) {
	ctx := c.UserContext()
	all, err := s.blockItems(c, accountID, except)
	if err != nil {
		return nil, err
	}
	withdrawals, err := models.Withdrawals(ctx, s.DB.Pool, models.WithdrawalFilter{AccountID: accountID,
		Statuses: []models.WithdrawalStatus{models.WithdrawalPendingReview, models.WithdrawalApproved,
			models.WithdrawalProcessing}, Limit: latestRows})
	if err != nil {
		return nil, fmt.Errorf("console: list the open withdrawals of %s: %w", accountID, err)
	}
	exceptions, err := models.Exceptions(ctx, s.DB.Pool,
		models.ExceptionFilter{Open: true, AccountID: accountID, Limit: latestRows})
	if err != nil {
		return nil, fmt.Errorf("console: list the open exceptions of %s: %w", accountID, err)
	}
	disputes, err := models.ListDisputes(ctx, s.DB.Pool, models.DisputeFilter{AccountID: accountID, Limit: 100})
	if err != nil {
		return nil, fmt.Errorf("console: list the disputes of %s: %w", accountID, err)
	}
	all = append(append(all, ownItems(s.withdrawalRows(c, withdrawals))...),
		ownItems(s.exceptionRows(c, exceptions))...)
	for _, d := range disputes {
		if !d.Status.Final() {
			all = append(all, s.disputeItem(c, &d))
		}
	}
	slices.SortStableFunc(all, func(a, b pages.Item) int { return b.Since.Compare(a.Since) })
	return &pages.Others{Title: i18n.T(ctx, "ops.cases_open"), None: i18n.T(ctx, "ops.cases_none"), Items: all}, nil
}
