package console

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

const (
	// healthLooksBack is the period in which payments and refusals are counted.
	healthLooksBack = 24 * time.Hour
	// Longer waits are a sign of a problem.
	deliveriesLate = time.Minute
	mailsLate      = 15 * time.Minute
	booksLate      = 2 * time.Hour      // the proof runs every hour
	allBooksLate   = 8 * 24 * time.Hour // and the pass every week
)

// health shows GET /ops/saude: the state of institutions, deliveries, mails and books.
func (s *console) health(c *fiber.Ctx) error {
	ctx, now := c.UserContext(), s.Now()
	health, err := models.InstallationHealth(ctx, s.DB.Read, now.Add(-healthLooksBack), now)
	if err != nil {
		return err
	}
	failing, err := models.FailingEndpoints(ctx, s.DB.Read, page.ListSize(c))
	if err != nil {
		return err
	}
	shell, err := s.ConsoleShell(c)
	if err != nil {
		return err
	}
	atBanks, err := s.Banks.AllHealth(ctx)
	if err != nil {
		return err
	}
	liveTrouble, testTrouble := silence(models.Live, health.Live), silence(models.Test, health.Test)
	if s.Payments.ChargesAtBank() { // the calls of banks tell, and not those of the API
		liveTrouble = troubleOfBanks(atBanks)
		if health.Live.Unanswered, err = s.unansweredByBanks(ctx, now.Add(-healthLooksBack)); err != nil {
			return err
		}
	}
	props := pages.HealthProps{Shell: shell, Parts: []pages.HealthPart{
		s.institutionHealth(ctx, models.Live, health.Live, liveTrouble),
		s.institutionHealth(ctx, models.Test, health.Test, testTrouble),
		waitingHealth(ctx, "deliveries", health.Deliveries, now, deliveriesLate),
		s.mailHealth(ctx, health.Mails, now),
		booksHealth(ctx, health, now),
		examinedHealth(ctx, "audit", health.Audit, late(health.Audit.At, health.Began, now, booksLate)),
	}}
	if s.AuditStreamed {
		part, err := s.streamHealth(ctx, now)
		if err != nil {
			return err
		}
		props.Parts = append(props.Parts, part)
	}
	for i := range atBanks {
		props.Parts = slices.Insert(props.Parts, 1+i, bankHealth(ctx, &atBanks[i], now))
	}
	for _, e := range failing {
		props.Endpoints = append(props.Endpoints, failingItem(ctx, e))
	}
	return page.Render(c, pages.Health(props))
}

// silence names the trouble of an institution that left calls of the API without an answer, "" for none.
func silence(environment models.Environment, r models.ReceivedLately) string {
	if r.Unanswered == 0 {
		return ""
	}
	return environment.String()
}

// institutionHealth returns what an environment's institution did lately. If live has no
// institution, that is not a problem, but it is shown. trouble names what to do about a problem, "" for none.
func (s *console) institutionHealth(ctx context.Context, environment models.Environment,
	r models.ReceivedLately, trouble string) pages.HealthPart {
	id, name := environment.String(), s.Payments.Institution(environment)
	badge, step := components.BadgeProps{Tone: components.ToneOK, Icon: "circle-check",
		Text: i18n.T(ctx, "ops.health_well")}, ""
	switch {
	case name == "none":
		badge = components.BadgeProps{Icon: "ban", Text: i18n.T(ctx, "ops.health_none")}
	case trouble != "":
		badge = components.BadgeProps{Tone: components.ToneWarn, Icon: "triangle-alert",
			Text: i18n.T(ctx, "ops.health_look")}
		step = i18n.T(ctx, "ops.health_step_"+trouble)
	}
	last := i18n.T(ctx, "ops.health_no_payment")
	if r.LastPayment != nil {
		last = i18n.DateTime(ctx, *r.LastPayment)
	}
	return pages.HealthPart{ID: id, Badge: components.Badge(badge), Step: step, Facts: []components.KeyValue{
		{Key: i18n.T(ctx, "ops.health_institution"), Value: i18n.T(ctx, "ops.health_institution_"+name)},
		{Key: i18n.T(ctx, "ops.health_payments"), Value: i18n.Number(ctx, r.Payments)},
		{Key: i18n.T(ctx, "ops.health_last_payment"), Value: last},
		{Key: i18n.T(ctx, "ops.health_unanswered"), Value: i18n.Number(ctx, r.Unanswered)},
	}}
}

// waitingHealth returns the state of one of the program's own queues.
func waitingHealth(ctx context.Context, id string, w models.Waiting, now time.Time,
	late time.Duration) pages.HealthPart {
	count, oldest := i18n.Number(ctx, w.Count), i18n.T(ctx, "ops.health_nothing")
	if w.Count == models.HealthCountsTo {
		count = i18n.T(ctx, "ops.health_at_least", count)
	}
	badge, step := components.BadgeProps{Tone: components.ToneOK, Icon: "circle-check",
		Text: i18n.T(ctx, "ops.health_well")}, ""
	if w.Oldest != nil {
		oldest = i18n.Age(ctx, *w.Oldest, now)
		if now.Sub(*w.Oldest) > late {
			badge = components.BadgeProps{Tone: components.ToneWarn, Icon: "triangle-alert",
				Text: i18n.T(ctx, "ops.health_look")}
			step = i18n.T(ctx, "ops.health_step_"+id)
		}
	}
	return pages.HealthPart{ID: id, Badge: components.Badge(badge), Step: step, Facts: []components.KeyValue{
		{Key: i18n.T(ctx, "ops.health_waiting"), Value: count},
		{Key: i18n.T(ctx, "ops.health_oldest"), Value: oldest},
	}}
}

// mailHealth returns the state of the mails. Where /dev/mail shows them, none is sent.
func (s *console) mailHealth(ctx context.Context, mails models.Waiting, now time.Time) pages.HealthPart {
	part := waitingHealth(ctx, "mails", mails, now, mailsLate)
	if s.Mails != nil {
		part.Href, part.Step = "/dev/mail", ""
		part.Badge = components.Badge(components.BadgeProps{Icon: "mail", Text: i18n.T(ctx, "ops.health_mails_shown")})
	}
	return part
}

// late reports whether at is longer ago than most. What never happened is late once the
// installation has lasted that long.
func late(at *time.Time, began, now time.Time, most time.Duration) bool {
	return now.Sub(*cmp.Or(at, &began)) > most
}

// booksHealth returns the state of the hourly proof and the weekly pass of the books, and the
// differences that they found.
func booksHealth(ctx context.Context, h models.Health, now time.Time) pages.HealthPart {
	all := i18n.T(ctx, "ops.health_not_checked")
	if h.AllBooks.At != nil {
		all = i18n.DateTime(ctx, *h.AllBooks.At)
	}
	if h.Pass.BeganAt != nil {
		all = i18n.T(ctx, "ops.health_all_under_way",
			i18n.DateTime(ctx, *h.Pass.BeganAt), i18n.Number(ctx, int(h.Pass.Compared)))
	}
	allLate := late(h.AllBooks.At, h.Began, now, allBooksLate) && late(h.Pass.BeganAt, h.Began, now, allBooksLate)
	return examinedHealth(ctx, "books", h.Books, late(h.Books.At, h.Began, now, booksLate) || allLate,
		components.KeyValue{Key: i18n.T(ctx, "ops.health_proven"), Value: i18n.Number(ctx, int(h.Proof.ThroughID))},
		components.KeyValue{Key: i18n.T(ctx, "ops.health_checked_all"), Value: all})
}

// examinedHealth returns the result of the last hourly examination.
func examinedHealth(
	ctx context.Context, id string, last models.Examination, late bool, facts ...components.KeyValue,
) pages.HealthPart {
	badge := components.BadgeProps{Tone: components.ToneOK, Icon: "circle-check", Text: i18n.T(ctx, "ops.health_well")}
	checked, step := i18n.T(ctx, "ops.health_not_checked"), ""
	switch {
	case len(last.Flaws) > 0:
		badge = components.BadgeProps{Tone: components.ToneBad, Icon: "circle-alert",
			Text: i18n.T(ctx, "ops.health_drift")}
		step = i18n.T(ctx, "ops.health_step_"+id)
	case late:
		badge = components.BadgeProps{Tone: components.ToneWarn, Icon: "triangle-alert",
			Text: i18n.T(ctx, "ops.health_look")}
		step = i18n.T(ctx, "ops.health_step_unexamined")
	case last.At == nil:
		badge = components.BadgeProps{Icon: "clock", Text: i18n.T(ctx, "ops.health_soon")}
	}
	if last.At != nil {
		checked = i18n.DateTime(ctx, *last.At)
	}
	part := pages.HealthPart{ID: id, Badge: components.Badge(badge), Step: step,
		Facts: append([]components.KeyValue{{Key: i18n.T(ctx, "ops.health_checked"), Value: checked}}, facts...)}
	for _, flaw := range last.Flaws[:min(len(last.Flaws), latestRows)] {
		part.Facts = append(part.Facts, components.KeyValue{Key: i18n.T(ctx, "ops.health_flaw"),
			Value: auditFlaw(ctx, flaw), Mono: true})
	}
	return part
}

// auditFlaw returns the text for a flaw of the audit log. A flaw of the books is a text
// already.
func auditFlaw(ctx context.Context, text string) string {
	flaw, err := models.ParseAuditFlaw(text)
	if err != nil {
		return text
	}
	return i18n.T(ctx, "audit.flaw_"+flaw.What, i18n.Number(ctx, int(flaw.ID)))
}

// failingItem returns a merchant's failing endpoint. Staff see only the host of its address,
// because the rest may contain a token.
func failingItem(ctx context.Context, e models.FailingEndpoint) pages.Item {
	since := e.CreatedAt
	switch {
	case e.FailingSince != nil:
		since = *e.FailingSince
	case e.DisabledAt != nil:
		since = *e.DisabledAt
	}
	item := pages.Item{
		Href: "/ops/webhooks/" + e.ID, Title: e.AccountName, Since: since, Test: e.Environment == models.Test,
		Detail: hostOf(e.URL) + " · " + i18n.T(ctx, "ops.health_given_up", i18n.Number(ctx, e.FailedEvents)),
	}
	if e.DisabledAt != nil {
		item.Badge = components.Badge(components.BadgeProps{Tone: components.ToneBad, Icon: "ban",
			Text: i18n.T(ctx, "ops.health_off")})
	}
	return item
}
