package web

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

const (
	// healthLooksBack is the time in which payments and refusals are counted.
	healthLooksBack = 24 * time.Hour
	// What waits for longer is a sign that something is wrong.
	deliveriesLate = time.Minute
	mailsLate      = 15 * time.Minute
	booksLate      = 2 * time.Hour // they are compared every hour
)

// opsHealth shows GET /ops/saude: whether institutions, deliveries, mails and books
// are well.
func (s *server) opsHealth(c *fiber.Ctx) error {
	ctx, now := c.UserContext(), s.Now()
	health, err := models.InstallationHealth(ctx, s.DB.Pool, now.Add(-healthLooksBack), now)
	if err != nil {
		return err
	}
	failing, err := models.FailingEndpoints(ctx, s.DB.Pool, pageSize)
	if err != nil {
		return err
	}
	shell, err := s.opsShell(c)
	if err != nil {
		return err
	}
	props := pages.OpsHealthProps{Shell: shell, Parts: []pages.OpsHealthPart{
		s.institutionHealth(ctx, true, health.Live), s.institutionHealth(ctx, false, health.Test),
		waitingHealth(ctx, "deliveries", health.Deliveries, now, deliveriesLate), waitingHealth(ctx, "mails", health.Mails, now, mailsLate),
		examinedHealth(ctx, "books", health.Books, now), examinedHealth(ctx, "audit", health.Audit, now),
	}}
	for _, e := range failing {
		props.Endpoints = append(props.Endpoints, failingItem(ctx, e))
	}
	return render(c, pages.OpsHealth(props))
}

// institutionHealth is what an environment's institution did lately. An installation
// without one for live is not ill: it says so.
func (s *server) institutionHealth(ctx context.Context, livemode bool, r models.ReceivedLately) pages.OpsHealthPart {
	id, name := "test", s.Payments.Institution(livemode)
	if livemode {
		id = "live"
	}
	badge, step := components.BadgeProps{Tone: components.ToneOK, Icon: "circle-check", Text: i18n.T(ctx, "ops.health_well")}, ""
	switch {
	case name == "none":
		badge = components.BadgeProps{Icon: "ban", Text: i18n.T(ctx, "ops.health_none")}
	case r.Unanswered > 0:
		badge = components.BadgeProps{Tone: components.ToneWarn, Icon: "triangle-alert", Text: i18n.T(ctx, "ops.health_look")}
		step = i18n.T(ctx, "ops.health_step_"+id)
	}
	last := i18n.T(ctx, "ops.health_no_payment")
	if r.LastPayment != nil {
		last = i18n.DateTime(ctx, *r.LastPayment)
	}
	return pages.OpsHealthPart{ID: id, Badge: components.Badge(badge), Step: step, Facts: []components.KeyValue{
		{Key: i18n.T(ctx, "ops.health_institution"), Value: i18n.T(ctx, "ops.health_institution_"+name)},
		{Key: i18n.T(ctx, "ops.health_payments"), Value: i18n.Number(ctx, r.Payments)},
		{Key: i18n.T(ctx, "ops.health_last_payment"), Value: last},
		{Key: i18n.T(ctx, "ops.health_unanswered"), Value: i18n.Number(ctx, r.Unanswered)},
	}}
}

// waitingHealth is a queue of the program's own.
func waitingHealth(ctx context.Context, id string, w models.Waiting, now time.Time, late time.Duration) pages.OpsHealthPart {
	count, oldest := i18n.Number(ctx, w.Count), i18n.T(ctx, "ops.health_nothing")
	if w.Count == models.HealthCountsTo {
		count = i18n.T(ctx, "ops.health_at_least", count)
	}
	badge, step := components.BadgeProps{Tone: components.ToneOK, Icon: "circle-check", Text: i18n.T(ctx, "ops.health_well")}, ""
	if w.Oldest != nil {
		oldest = i18n.Age(ctx, *w.Oldest, now)
		if now.Sub(*w.Oldest) > late {
			badge = components.BadgeProps{Tone: components.ToneWarn, Icon: "triangle-alert", Text: i18n.T(ctx, "ops.health_look")}
			step = i18n.T(ctx, "ops.health_step_"+id)
		}
	}
	return pages.OpsHealthPart{ID: id, Badge: components.Badge(badge), Step: step, Facts: []components.KeyValue{
		{Key: i18n.T(ctx, "ops.health_waiting"), Value: count},
		{Key: i18n.T(ctx, "ops.health_oldest"), Value: oldest},
	}}
}

// examinedHealth is what an hourly examination found last.
func examinedHealth(ctx context.Context, id string, last models.Examination, now time.Time, facts ...components.KeyValue) pages.OpsHealthPart {
	badge := components.BadgeProps{Tone: components.ToneOK, Icon: "circle-check", Text: i18n.T(ctx, "ops.health_well")}
	checked, step := i18n.T(ctx, "ops.health_not_checked"), ""
	switch {
	case len(last.Flaws) > 0:
		badge = components.BadgeProps{Tone: components.ToneBad, Icon: "circle-alert", Text: i18n.T(ctx, "ops.health_drift")}
		step = i18n.T(ctx, "ops.health_step_"+id)
	case last.At == nil || now.Sub(*last.At) > booksLate:
		badge = components.BadgeProps{Tone: components.ToneWarn, Icon: "triangle-alert", Text: i18n.T(ctx, "ops.health_look")}
		step = i18n.T(ctx, "ops.health_step_unexamined")
	}
	if last.At != nil {
		checked = i18n.DateTime(ctx, *last.At)
	}
	part := pages.OpsHealthPart{ID: id, Badge: components.Badge(badge), Step: step, Facts: append([]components.KeyValue{{Key: i18n.T(ctx, "ops.health_checked"), Value: checked}}, facts...)}
	for _, flaw := range last.Flaws[:min(len(last.Flaws), opsLatest)] {
		part.Facts = append(part.Facts, components.KeyValue{Key: i18n.T(ctx, "ops.health_flaw"), Value: auditFlaw(ctx, flaw), Mono: true})
	}
	return part
}

// auditFlaw words a flaw of the audit log; one of the books is what it is.
func auditFlaw(ctx context.Context, text string) string {
	flaw, err := models.ParseAuditFlaw(text)
	if err != nil {
		return text
	}
	return i18n.T(ctx, "audit.flaw_"+flaw.What, i18n.Number(ctx, int(flaw.ID)))
}

// failingItem is an endpoint of some merchant's. Of its address staff see the host
// alone: what follows may hold a token.
func failingItem(ctx context.Context, e models.FailingEndpoint) pages.OpsItem {
	since := e.CreatedAt
	switch {
	case e.FailingSince != nil:
		since = *e.FailingSince
	case e.DisabledAt != nil:
		since = *e.DisabledAt
	}
	item := pages.OpsItem{
		Href: "/ops/webhooks/" + e.ID, Title: e.AccountName, Since: since, Test: !e.Livemode,
		Detail: hostOf(e.URL) + " · " + i18n.T(ctx, "ops.health_given_up", i18n.Number(ctx, e.FailedEvents)),
	}
	if e.DisabledAt != nil {
		item.Badge = components.Badge(components.BadgeProps{Tone: components.ToneBad, Icon: "ban", Text: i18n.T(ctx, "ops.health_off")})
	}
	return item
}
