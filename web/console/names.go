package console

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// registerNames adds the pages about new names of accounts.
func (s *console) registerNames(ops fiber.Router) {
	ops.Get("/nomes", s.queue(s.nameQueue()))
	ops.Get("/nomes/:id", s.name)
	ops.Post("/nomes/:id", s.StepUp, s.decide(s.nameCase()))
}

// nameQueue is the queue of new names of accounts that were approved for live.
func (s *console) nameQueue() queue {
	return queue{id: layouts.OpsNames, path: "/ops/nomes", tabs: []string{"pending", "decided"},
		rows: func(c *fiber.Ctx, tab string, after *models.Position, limit int) (rows []queued, err error) {
			list := models.PendingNameProposals
			if tab == "decided" {
				list = models.DecidedNameProposals
			}
			found, err := list(c.UserContext(), s.DB.Pool, after, limit)
			if err != nil {
				return nil, fmt.Errorf("console: list proposed names: %w", err)
			}
			for _, p := range found {
				rows = append(rows, queued{at: models.Position{CreatedAt: p.ProposedAt, ID: p.ID}, Item: s.nameItem(p)})
			}
			return rows, nil
		}}
}

func (s *console) nameItem(p models.ListedNameProposal) pages.Item {
	return pages.Item{
		Href: "/ops/nomes/" + p.ID, Title: p.Name, Detail: p.Before + " · " + p.Proposer,
		Badge: components.StatusBadge(components.Name, string(p.Status)), Since: p.ProposedAt,
		Late: p.Status == models.ProposalPending && s.late(p.ProposedAt),
	}
}

// otherNames lists the latest proposed names of an account besides one.
func (s *console) otherNames(c *fiber.Ctx, accountID, except string) (*pages.Others, error) {
	found, err := models.NameProposalsOf(c.UserContext(), s.DB.Pool, accountID, latestRows)
	if err != nil {
		return nil, fmt.Errorf("console: list the names of %s: %w", accountID, err)
	}
	others := &pages.Others{Title: i18n.T(c.UserContext(), "ops.names_before"),
		None: i18n.T(c.UserContext(), "ops.names_none")}
	for _, p := range found {
		if p.ID != except {
			others.Items = append(others.Items, s.nameItem(p))
		}
	}
	return others, nil
}

// name shows GET /ops/nomes/:id.
func (s *console) name(c *fiber.Ctx) error {
	return s.showName(c, decision{id: c.Params("id")}, nil, false)
}

// nameCase is the decision about a proposed name.
func (s *console) nameCase() decisionCase {
	return decisionCase{
		show: s.showName,
		check: func(c *fiber.Ctx, d *decision) (errs components.FieldErrors, current bool, err error) {
			p, err := models.NameProposalByID(c.UserContext(), s.DB.Pool, d.id)
			if err != nil {
				return nil, false, err
			}
			switch d.Outcome {
			case outcomeApprove:
				d.Reason = ""
			case outcomeReject:
				errs = reasonErrors(c, d, nil)
			default:
				errs = components.FieldErrors{{Field: "outcome", Text: i18n.T(c.UserContext(), "problem.ops_outcome")}}
			}
			return errs, p.Status == models.ProposalPending, nil
		},
		preview: s.previewName,
		decide: func(c *fiber.Ctx, d decision) (flash, path string, err error) {
			if d.Outcome == outcomeApprove {
				err = s.Merchants.ApproveName(c.UserContext(), page.Actor(c), d.id)
			} else {
				err = s.Merchants.RefuseName(c.UserContext(), page.Actor(c), d.id, d.Reason)
			}
			return "ops_name_" + d.Outcome, "/ops/nomes/" + d.id, err
		},
	}
}

func (s *console) previewName(c *fiber.Ctx, d decision) (preview, error) {
	ctx := c.UserContext()
	p, err := models.NameProposalByID(ctx, s.DB.Pool, d.id)
	if err != nil {
		return preview{}, err
	}
	account, err := s.anyAccount(c, p.AccountID)
	if err != nil {
		return preview{}, err
	}
	shown := preview{
		section: layouts.OpsNames, title: i18n.T(ctx, "ops.preview_title"), back: p.Name,
		backHref: "/ops/nomes/" + d.id, confirm: i18n.T(ctx, "ops.name_"+d.Outcome), danger: d.Outcome == outcomeReject,
		account: p.AccountID,
		facts: []components.KeyValue{
			{Key: i18n.T(ctx, "ops.proposed"), Value: i18n.T(ctx, "ops.name_proposed_by", p.Proposer,
				i18n.DateTime(ctx, p.ProposedAt))}},
		compare: &pages.Part{ID: "compare", Title: i18n.T(ctx, "ops.name_proposal"), Diff: []pages.Diff{
			{Key: i18n.T(ctx, "settings.business"), Before: p.Before, Now: p.Name}}},
	}
	if shown.language, err = s.spokenBy(c, p.AccountID); err != nil {
		return preview{}, err
	}
	if shown.others, err = s.otherNames(c, p.AccountID, p.ID); err != nil {
		return preview{}, err
	}
	if d.Outcome == outcomeApprove {
		shown.effects = []string{i18n.T(ctx, "ops.effect_name_APPROVE", p.Name),
			i18n.T(ctx, "ops.effect_name_APPROVE_kept", account.Name)}
		shown.mail = nameSubject(shown.language, models.MailNameApproved, account.Name, p.Name)
		shown.page = pages.NameApproved(p.Name)
		return shown, nil
	}
	shown.effects = []string{i18n.T(ctx, "ops.effect_name_REJECT", account.Name)}
	shown.mail = nameSubject(shown.language, models.MailNameRefused, account.Name, p.Name)
	shown.page = pages.NameRefused(p.Name, d.Reason)
	return shown, nil
}

// showName answers with the page of a proposed name.
func (s *console) showName(c *fiber.Ctx, d decision, errs components.FieldErrors, changed bool) error {
	ctx := c.UserContext()
	p, err := models.NameProposalByID(ctx, s.DB.Pool, d.id)
	if err != nil {
		return err
	}
	props := pages.CaseProps{
		Section: layouts.OpsNames, Href: "/ops/nomes", Title: p.Name,
		Badge: components.StatusBadge(components.Name, string(p.Status)),
		Parts: []pages.Part{{
			ID: "proposal", Title: i18n.T(ctx, "ops.name_proposal"),
			Note: i18n.T(ctx, "ops.name_proposed_by", p.Proposer, i18n.DateTime(ctx, p.ProposedAt)),
			Diff: []pages.Diff{{Key: i18n.T(ctx, "settings.business"), Before: p.Before, Now: p.Name}},
		}},
	}
	if props.History, err = s.acts(c, p.ID); err != nil {
		return err
	}
	if props.TakesPart, err = s.takesPart(c, models.Matter{
		AccountID: p.AccountID, Since: p.ProposedAt, AskedBy: p.ProposedBy,
	}); err != nil {
		return err
	}
	if p.Status == models.ProposalPending {
		props.Since, props.Late = &p.ProposedAt, s.late(p.ProposedAt)
		props.Decision = &pages.DecisionForm{
			Kind: "name", Action: "/ops/nomes/" + p.ID, Version: "1",
			Outcomes: []string{outcomeApprove, outcomeReject}, ReasonHint: i18n.T(ctx, "ops.reason_hint"),
			Fields: d.DecisionFields, Errors: errs,
		}
	}
	return s.showCase(c, props, p.AccountID, p.ID, changed)
}
