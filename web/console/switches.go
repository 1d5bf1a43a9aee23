package console

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/mail"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// switchForm shows GET /ops/contas/:id/travas/:switch.
func (s *console) switchForm(c *fiber.Ctx) error { return s.showSwitch(c, nil, false) }

// showSwitch answers with the form that turns a switch to its other position.
func (s *console) showSwitch(c *fiber.Ctx, errs components.FieldErrors, changed bool) error {
	which := models.Switch(c.Params("switch"))
	if !slices.Contains(models.Switches, which) {
		return models.ErrNotFound
	}
	head, err := s.accountHead(c, c.Params("id"))
	if err != nil {
		return err
	}
	latest, err := models.LatestSwitchChanges(c.UserContext(), s.DB.Pool, head.ID)
	if err != nil {
		return err
	}
	props := pages.SwitchProps{
		Account: head, Switch: string(which), TurnOn: !slices.Contains(head.Switches, string(which)),
		Version: strconv.FormatInt(latest[which].ID, 10),
		Reason:  page.FormText(c, "reason"), Picked: page.Field(c, "saved"), Ticket: page.Field(c, "ticket"),
		Errors: errs,
	}
	if props.Saved, err = s.savedReasons(c, models.ReasonSwitch); err != nil {
		return err
	}
	if err := s.fillSwitchMail(c, which, &props); err != nil {
		return err
	}
	if props.History, err = s.switchHistory(c, which, head.ID); err != nil {
		return err
	}
	if changed {
		if props.Changed, err = s.lastAct(c, head.ID); err != nil {
			return err
		}
	}
	waiting, err := models.Withdrawals(c.UserContext(), s.DB.Read, models.WithdrawalFilter{
		AccountID: head.ID, Statuses: []models.WithdrawalStatus{models.WithdrawalPendingReview,
			models.WithdrawalApproved}, Limit: 100,
	})
	if err != nil {
		return err
	}
	props.InReview = len(waiting)
	if props.Shell, err = s.ConsoleShell(c); err != nil {
		return err
	}
	return page.Render(c, pages.SwitchForm(props))
}

// switchHistory returns who turned a switch of an account before, the latest first.
func (s *console) switchHistory(c *fiber.Ctx, which models.Switch, accountID string) (turns []pages.Event, err error) {
	changes, err := models.SwitchChanges(c.UserContext(), s.DB.Read, accountID)
	for _, change := range changes {
		if change.Switch == which {
			act := map[bool]string{true: "switch.turned_on", false: "switch.turned_off"}[change.TurnedOn]
			turns = append(turns, pages.Event{At: change.ChangedAt, Who: change.ChangerName, Badge: pages.ActBadge(act),
				Detail: change.Reason})
		}
	}
	return turns, err
}

// fillSwitchMail adds the mail that the owner will get, in the owner's language.
func (s *console) fillSwitchMail(c *fiber.Ctx, which models.Switch, props *pages.SwitchProps) error {
	owner, err := models.OwnerOf(c.UserContext(), s.DB.Pool, props.Account.ID)
	if err != nil {
		return err
	}
	lang, _ := i18n.Parse(owner.Language)
	letter, err := (&mail.Writer{Vault: s.Vault, AppURL: s.AppURL, SupportURL: s.SupportURL}).Write(c.UserContext(),
		&models.Mail{
			Kind: merchants.SwitchMail(which, props.TurnOn), Language: owner.Language, Params: map[string]string{
				"name": owner.Name, "account": props.Account.Name,
				"reason": cmp.Or(strings.TrimSpace(props.Reason), i18n.In(lang, "switch.reason_here")),
			},
		})
	props.Language, props.OwnerName, props.OwnerEmail = string(lang), owner.Name, owner.Email
	props.MailSubject, props.MailText = letter.Subject, letter.Text
	return err
}

// changeSwitch handles POST /ops/contas/:id/travas/:switch. Turning a switch on requires
// typing the last four characters of the account's CPF or CNPJ, or of its id if it has none,
// because stopping the wrong shop ends its sales.
func (s *console) changeSwitch(c *fiber.Ctx) error {
	id, which, on := c.Params("id"), models.Switch(c.Params("switch")), page.Field(c, "turn") == "on"
	account, err := s.anyAccount(c, id)
	if err != nil {
		return err
	}
	if on && !strings.EqualFold(strings.TrimSpace(page.Field(c, "confirm")), confirmation(account)) {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showSwitch(c,
			components.FieldErrors{{Field: "confirm", Text: i18n.T(c.UserContext(), "problem.ops_confirm")}}, false)
	}
	reason, err := s.writtenReason(c, page.FormText(c, "reason"), page.Field(c, "saved"))
	if err != nil {
		return err
	}
	turn := merchants.SwitchTurn{Switch: which, On: on, Reason: reason, Ticket: page.Field(c, "ticket")}
	seen, err := strconv.ParseInt(page.Field(c, "version"), 10, 64)
	if err != nil {
		seen = -1 // an invalid number matches no version
	}
	turn.Seen = &seen
	err = s.Merchants.SetSwitch(c.UserContext(), page.Actor(c), id, turn)
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		if problems["switch"] != "" {
			return models.ErrNotFound
		}
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showSwitch(c, page.FormErrors(c, "ops_", problems, "reason", "ticket"), false)
	} else if errors.Is(err, merchants.ErrChanged) {
		c.Status(fiber.StatusConflict)
		return s.showSwitch(c, nil, true)
	} else if err != nil {
		return err
	}
	flash := map[bool]string{true: "ops_switch_on", false: "ops_switch_off"}[on]
	return s.goTo(c, "/ops/contas/"+id, flash)
}

// confirmation returns the characters that must be typed to confirm the account.
func confirmation(a *models.Account) string {
	named := cmp.Or(page.Text(a.Document), a.ID)
	return named[len(named)-4:]
}

// revokeForm shows GET /ops/contas/:id/encerrar.
func (s *console) revokeForm(c *fiber.Ctx) error {
	return s.showRevoke(c, decision{id: c.Params("id"),
		DecisionFields: pages.DecisionFields{Outcome: base.OutcomeRevoked}}, nil, false)
}

func (s *console) showRevoke(c *fiber.Ctx, d decision, errs components.FieldErrors, changed bool) error {
	head, err := s.accountHead(c, d.id)
	if err != nil {
		return err
	}
	d.Outcome = base.OutcomeRevoked
	last, err := models.LastAccessDecision(c.UserContext(), s.DB.Pool, head.ID)
	if err != nil {
		return err
	}
	props := pages.RevokeProps{Account: head, Decision: pages.DecisionForm{
		Kind: "access", Version: strconv.FormatInt(last, 10),
		Action:   "/ops/contas/" + head.ID + "/encerrar",
		Outcomes: []string{base.OutcomeRevoked},
		Reasons:  merchants.AccessReasons, ReasonKey: "access.reason_",
		ReasonHint: i18n.T(c.UserContext(), "ops.reason_hint"), Fields: d.DecisionFields, Errors: errs,
	}}
	if err := s.fillReasons(c, &props.Decision); err != nil {
		return err
	}
	if changed {
		if props.Changed, err = s.lastAct(c, head.ID); err != nil {
			return err
		}
	}
	if props.Shell, err = s.ConsoleShell(c); err != nil {
		return err
	}
	return page.Render(c, pages.Revoke(props))
}

// revokeCase is the decision to revoke an account's production access.
func (s *console) revokeCase() decisionCase {
	return decisionCase{
		show: s.showRevoke,
		check: func(c *fiber.Ctx, d *decision) (components.FieldErrors, bool, error) {
			account, err := s.anyAccount(c, d.id)
			if err != nil {
				return nil, false, err
			}
			why := merchants.Reason{Code: d.ReasonCode, Text: d.Reason}
			errs := decisionErrors(c, why.Check())
			d.Outcome, d.Reason = base.OutcomeRevoked, why.Text
			last, err := models.LastAccessDecision(c.UserContext(), s.DB.Pool, account.ID)
			return errs, account.ProductionAccess == models.AccessApproved && last == int64(d.version), err
		},
		preview: func(c *fiber.Ctx, d decision) (preview, error) {
			account, err := s.anyAccount(c, d.id)
			if err != nil {
				return preview{}, err
			}
			return s.previewVerdict(c, d.id, d, preview{
				section: layouts.OpsAccounts, back: account.Name, backHref: "/ops/contas/" + d.id,
				confirm: i18n.T(c.UserContext(), "ops.access_REVOKED"),
			})
		},
		decide: func(c *fiber.Ctx, d decision) (flash, path string, err error) {
			err = s.Merchants.RevokeAccess(c.UserContext(), page.Actor(c), d.id, int64(d.version),
				merchants.Reason{Code: d.ReasonCode, Text: d.Reason})
			return "ops_access_REVOKED", "/ops/contas/" + d.id, err
		},
	}
}
