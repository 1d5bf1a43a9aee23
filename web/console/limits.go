package console

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/money"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// limitsForm shows GET /ops/contas/:id/limites.
func (s *console) limitsForm(c *fiber.Ctx) error {
	return s.showLimitsForm(c, decision{id: c.Params("id")}, nil, false)
}

// showLimitsForm answers with the form for setting limits, with its values.
func (s *console) showLimitsForm(c *fiber.Ctx, d decision, errs components.FieldErrors, changed bool) error {
	head, err := s.accountHead(c, d.id)
	if err != nil {
		return err
	}
	account, err := s.anyAccount(c, d.id)
	if err != nil {
		return err
	}
	props := pages.LimitsProps{
		Account: head, Default: page.ShownTerms(s.Payments.Resolve(models.Limits{})),
		Version: strconv.Itoa(len(account.Limits)),
		Fields:  limitsFields(c), Reason: d.Reason, Picked: d.Saved, Errors: errs,
	}
	if props.Saved, err = s.savedReasons(c, models.ReasonLimits); err != nil {
		return err
	}
	if c.Method() == fiber.MethodGet {
		props.Fields = typedLimits(c, account.Limits.At(s.Now()))
	}
	if changed {
		if props.Changed, err = s.lastActOf(c, models.AuditFilter{AccountID: d.id, Subject: "limits",
			Limit: 1}); err != nil {
			return err
		}
	}
	if props.Shell, err = s.ConsoleShell(c); err != nil {
		return err
	}
	return page.Render(c, pages.Limits(props))
}

func limitsFields(c *fiber.Ctx) pages.LimitsFields {
	return pages.LimitsFields{
		Min: page.Field(c, "min"), Max: page.Field(c, "max"), Delay: page.Field(c, "delay"),
		Hold:      page.Field(c, "hold"),
		Endpoints: page.Field(c, "endpoints"), Starts: page.Field(c, "starts"),
	}
}

// typedLimits returns limits in the form in which a person would type them.
func typedLimits(c *fiber.Ctx, l models.Limits) (f pages.LimitsFields) {
	ctx := c.UserContext()
	amount := func(a *money.Cents) string {
		if a == nil {
			return ""
		}
		return i18n.Amount(ctx, *a)
	}
	hours := func(seconds *int64) string {
		if seconds == nil {
			return ""
		}
		return strings.TrimSuffix(strings.TrimSuffix(i18n.Amount(ctx, money.Cents(*seconds/secondsInHundredth)),
			",00"), ".00")
	}
	f = pages.LimitsFields{Min: amount(l.MinAmount), Max: amount(l.MaxAmount), Delay: hours(l.SettlementDelay),
		Hold: hours(l.DestinationHold)}
	if l.WebhookEndpoints != nil {
		f.Endpoints = strconv.FormatInt(*l.WebhookEndpoints, 10)
	}
	return f
}

// secondsInHundredth is the number of seconds in a hundredth of an hour: people type hours
// with up to two decimals.
const secondsInHundredth = 36

// limitsCase is the form for setting limits. The id in its path is the account's.
func (s *console) limitsCase() decisionCase {
	return decisionCase{
		show: s.showLimitsForm,
		check: func(c *fiber.Ctx, d *decision) (components.FieldErrors, bool, error) {
			account, err := s.anyAccount(c, d.id)
			if err != nil {
				return nil, false, err
			}
			f := limitsFields(c)
			d.hidden = []components.KeyValue{
				{Key: "min", Value: f.Min}, {Key: "max", Value: f.Max}, {Key: "delay", Value: f.Delay},
				{Key: "hold", Value: f.Hold}, {Key: "endpoints", Value: f.Endpoints}, {Key: "starts", Value: f.Starts},
			}
			_, errs := s.readLimits(c, d)
			return errs, len(account.Limits) == d.version, nil
		},
		preview: s.previewLimits,
		decide: func(c *fiber.Ctx, d decision) (flash, path string, err error) {
			in, _ := s.readLimits(c, &d)
			return "ops_limits_changed", "/ops/contas/" + d.id,
				s.Merchants.SetLimits(c.UserContext(), page.Actor(c), d.id, in)
		},
	}
}

func (s *console) previewLimits(c *fiber.Ctx, d decision) (preview, error) {
	ctx := c.UserContext()
	in, _ := s.readLimits(c, &d)
	account, err := s.anyAccount(c, d.id)
	if err != nil {
		return preview{}, err
	}
	shown := preview{
		section: layouts.OpsAccounts, title: i18n.T(ctx, "ops.preview_title"), back: account.Name,
		backHref: "/ops/contas/" + d.id,
		confirm:  i18n.T(ctx, "ops.limits_save"), effects: []string{i18n.T(ctx, "ops.effect_limits_now"),
			i18n.T(ctx, "ops.effect_limits_kept")},
		account: d.id,
	}
	if in.StartsAt != nil {
		shown.effects[0] = i18n.T(ctx, "ops.effect_limits_from", i18n.DateTime(ctx, *in.StartsAt))
	}
	if planned := page.NextLimits(account.Limits, s.Now()); planned != nil &&
		(in.StartsAt == nil || !planned.ValidFrom.Before(*in.StartsAt)) {
		shown.effects = append(shown.effects, i18n.T(ctx, "ops.effect_limits_scheduled",
			i18n.DateTime(ctx, planned.ValidFrom)))
	}
	lines, err := models.AuditLines(ctx, s.DB.Read,
		models.AuditFilter{AccountID: d.id, Subject: "limits", Limit: latestRows})
	if err != nil {
		return preview{}, err
	}
	shown.history = events(lines)
	before, after := page.ShownTerms(s.Payments.Resolve(account.Limits.At(s.Now()))),
		page.ShownTerms(s.Payments.Resolve(in.Limits))
	shown.compare = &pages.Part{ID: "compare", Title: i18n.T(ctx, "ops.terms")}
	now := after.LimitFacts(ctx)
	for i, fact := range before.LimitFacts(ctx) {
		shown.compare.Diff = append(shown.compare.Diff,
			pages.Diff{Key: fact.Key, Before: fact.Value, Now: now[i].Value})
	}
	if shown.language, err = s.spokenBy(c, d.id); err != nil {
		return preview{}, err
	}
	shown.page, shown.mail = pages.LimitsNotice(after, in.Reason),
		mailSubject(shown.language, models.MailLimitsChanged, account.Name)
	return shown, nil
}

// readLimits reads the form for setting limits, and returns what is wrong with it.
func (s *console) readLimits(c *fiber.Ctx, d *decision) (in merchants.NewLimits, errs components.FieldErrors) {
	fields, problems := limitsFields(c), merchants.Invalid{}
	in = merchants.NewLimits{Reason: d.Reason, Seen: d.version}
	typed := func(field, text string) *money.Cents {
		if strings.TrimSpace(text) == "" {
			return nil
		}
		amount, err := page.ReadPrice(text)
		if err != nil {
			problems[field] = merchants.Unknown
		}
		return &amount
	}
	hours := func(field, text string) *int64 {
		hundredths := typed(field, text)
		if hundredths == nil {
			return nil
		}
		seconds := int64(*hundredths) * secondsInHundredth
		return &seconds
	}
	in.Limits = models.Limits{
		MinAmount: typed("min", fields.Min), MaxAmount: typed("max", fields.Max),
		SettlementDelay: hours("delay", fields.Delay), DestinationHold: hours("hold", fields.Hold),
	}
	if text := strings.TrimSpace(fields.Endpoints); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			problems["endpoints"] = merchants.Unknown
		}
		in.WebhookEndpoints = &n
	}
	in.Told = toldLimits(s.Payments.Resolve(in.Limits))
	var ok bool
	if in.StartsAt, ok = readStart(fields.Starts); !ok {
		problems["starts"] = merchants.Unknown
	}
	found, _ := errors.AsType[merchants.Invalid](in.Check(s.Now()))
	for field, problem := range found {
		problems[field] = cmp.Or(problems[field], problem)
	}
	d.Reason = in.Reason
	return in, page.FormErrors(c, "ops_", problems, "min", "max", "delay", "hold", "endpoints", "starts",
		"reason")
}

// toldLimits returns terms in the form for the mail to the owner.
func toldLimits(t payments.Terms) merchants.ToldLimits {
	return merchants.ToldLimits{
		MinAmount: t.MinAmount, MaxAmount: t.MaxAmount, SettlementDelay: t.SettlementDelay,
		DestinationHold: t.DestinationHold, WebhookEndpoints: t.WebhookEndpoints,
	}
}
