package console

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/banks"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// bankDaysShown is how many of the days of a bank account its page shows.
const bankDaysShown = 30

// bankWatch returns how an account fares, or nil if it was never in use.
func (s *console) bankWatch(c *fiber.Ctx, account *models.BankAccount) (*pages.BankWatch, error) {
	ctx, now := c.UserContext(), s.Now()
	days, err := models.BankDays(ctx, s.DB.Read, account.ID, bankDaysShown)
	if err != nil {
		return nil, err
	}
	health, err := s.Banks.Health(ctx, account)
	if err != nil {
		return nil, err
	}
	if account.Status == models.BankAccountDraft || health.Watermark == nil && health.State.LastAnswerAt == nil &&
		health.State.LastFailureAt == nil && account.Status == models.BankAccountClosed {
		return nil, nil
	}
	operations, err := models.BankOperations(ctx, s.DB.Read, account.ID, now.Add(-healthLooksBack))
	if err != nil {
		return nil, err
	}
	watch := &pages.BankWatch{Facts: bankHealthFacts(ctx, &health, now), Concerns: bankConcerns(ctx, &health)}
	for _, o := range operations {
		watch.Operations = append(watch.Operations, pages.BankOperation{
			Operation: o.Operation, Calls: int(o.Calls), Failed: int(o.Failures), Kinds: o.Kinds,
			Mean: time.Duration(o.MeanMs) * time.Millisecond, Longest: time.Duration(o.MaxMs) * time.Millisecond,
		})
	}
	for i := range days {
		watch.Days = append(watch.Days, bankDay(&days[i]))
	}
	return watch, nil
}

func bankDay(d *models.BankDay) pages.BankDay {
	shown := pages.BankDay{
		Day: d.Day.Add(12 * time.Hour), Differs: d.Differs, ComparedAt: *d.ComparedAt,
		Bank:         pages.Received{N: int(d.BankPix), Sum: d.BankPixSum},
		Books:        pages.Received{N: int(d.BooksPix), Sum: d.BooksPixSum},
		BankReturns:  pages.Received{N: int(d.BankReturns), Sum: d.BankReturnsSum},
		BooksReturns: pages.Received{N: int(d.BooksReturns), Sum: d.BooksReturnsSum},
	}
	for _, p := range d.Differing {
		shown.Differing = append(shown.Differing, pages.DifferingPix(p))
	}
	return shown
}

// bankHealthFacts are what is known of an account from its calls.
func bankHealthFacts(ctx context.Context, h *banks.Health, now time.Time) []components.KeyValue {
	at := func(t *time.Time) string {
		if t == nil {
			return ""
		}
		return i18n.T(ctx, "ops.watch_at", i18n.DateTime(ctx, *t), i18n.Age(ctx, *t, now))
	}
	answer := at(h.State.LastAnswerAt)
	if answer == "" {
		answer = i18n.T(ctx, "ops.watch_never")
	}
	facts := []components.KeyValue{
		{Key: i18n.T(ctx, "ops.watch_last_answer"), Value: answer},
		{Key: i18n.T(ctx, "ops.watch_silent_since"), Value: at(h.State.SilentSince)},
		{Key: i18n.T(ctx, "ops.watch_held_since"), Value: at(h.State.HeldSince)},
		{Key: i18n.T(ctx, "ops.watch_watermark"), Value: at(h.Watermark)},
		{Key: i18n.T(ctx, "ops.watch_last_failure"), Value: h.State.LastFailure, Mono: true},
		{Key: i18n.T(ctx, "ops.watch_failed_at"), Value: at(h.State.FailedAt)},
	}
	for _, odd := range h.Odd {
		fact := components.KeyValue{Key: i18n.T(ctx, "ops.watch_odd_charge"), Mono: true,
			Value: odd.TxID + " · " + i18n.Money(ctx, odd.Amount) + " · " + odd.Failure}
		if odd.Exists {
			fact.Href = "/ops/cobrancas/" + odd.CheckoutID
		}
		facts = append(facts, fact)
	}
	for _, d := range h.Contested {
		facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "ops.watch_odd_dispute"), Mono: true,
			Value: d.BankRef + " · " + d.BankStatus, Href: "/ops/disputas/" + d.ID})
	}
	return facts
}

// bankConcerns are what is wrong with an account, with what to do about it.
func bankConcerns(ctx context.Context, h *banks.Health) (shown []pages.Concern) {
	args := map[banks.Trouble]func() []any{
		banks.Silent:       func() []any { return []any{i18n.DateTime(ctx, *h.State.SilentSince)} },
		banks.Unanswered:   func() []any { return []any{i18n.N(ctx, "ops.watch_called", int(h.Lately.Unanswered))} },
		banks.Unauthorized: func() []any { return []any{i18n.N(ctx, "ops.watch_called", int(h.Lately.Unauthorized))} },
		banks.Doubted:      func() []any { return []any{i18n.N(ctx, "ops.watch_called", int(h.Lately.Doubted))} },
		banks.Behind:       func() []any { return []any{i18n.DateTime(ctx, *h.Watermark)} },
		banks.Odd:          func() []any { return []any{i18n.N(ctx, "ops.watch_charges", len(h.Odd))} },
		banks.Contested:    func() []any { return []any{i18n.N(ctx, "ops.watch_disputes", len(h.Contested))} },
		banks.Unnoticed:    func() []any { return []any{i18n.DateTime(ctx, *h.Unnoticed)} },
		banks.Certificate:  func() []any { return []any{i18n.DateTime(ctx, *h.Ends)} },
		banks.Scopes:       func() []any { return []any{strings.Join(h.Missing, ", ")} },
		banks.Clock:        func() []any { return []any{i18n.Duration(ctx, h.Skew().Abs())} },
		banks.Days:         func() []any { return []any{i18n.N(ctx, "ops.watch_differing", h.Differing)} },
	}
	for _, concern := range h.Concerns {
		text := i18n.T(ctx, "ops.watch_trouble_"+string(concern.Trouble), args[concern.Trouble]()...)
		shown = append(shown, pages.Concern{Text: text, Bad: concern.Bad})
	}
	return shown
}

// bankHealth returns the state of one account at a bank.
func bankHealth(ctx context.Context, h *banks.Health, now time.Time) pages.HealthPart {
	badge := components.BadgeProps{Tone: components.ToneOK, Icon: "circle-check", Text: i18n.T(ctx, "ops.health_well")}
	switch {
	case h.Bad():
		badge = components.BadgeProps{Tone: components.ToneBad, Icon: "circle-alert",
			Text: i18n.T(ctx, "ops.watch_bad")}
	case len(h.Concerns) > 0:
		badge = components.BadgeProps{Tone: components.ToneWarn, Icon: "triangle-alert",
			Text: i18n.T(ctx, "ops.health_look")}
	}
	return pages.HealthPart{ID: h.Account.ID, Title: h.Account.Name, Badge: components.Badge(badge),
		Concerns: bankConcerns(ctx, h), Facts: bankHealthFacts(ctx, h, now), Href: "/ops/bancos/" + h.Account.ID}
}

// unanswering reports whether a bank leaves calls without an answer.
func unanswering(h banks.Health) bool { return h.Has(banks.Silent) || h.Has(banks.Unanswered) }

// troubleOfBanks names the trouble of live charges at banks, "" for none.
func troubleOfBanks(all []banks.Health) string {
	active := func(h banks.Health) bool { return h.Account.Status == models.BankAccountActive }
	switch {
	case !slices.ContainsFunc(all, active):
		return "no_account"
	case slices.ContainsFunc(all, unanswering):
		return models.Live.String()
	}
	return ""
}

// unansweredByBanks counts the calls since a time that banks did not answer.
func (s *console) unansweredByBanks(ctx context.Context, since time.Time) (n int, err error) {
	answers, err := models.BanksAnswers(ctx, s.DB.Read, since)
	for _, a := range answers {
		n += int(a.Unanswered)
	}
	return n, err
}

// bankQueue adds the accounts at banks that do not answer to the queue of institutions.
func (s *console) bankQueue(ctx context.Context, shown *pages.Queue) error {
	all, err := s.Banks.AllHealth(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		h := &all[i]
		if !unanswering(*h) {
			continue
		}
		since := h.State.SilentSince
		if since == nil {
			since = h.Lately.Since
		}
		shown.Count++
		if shown.Oldest == nil || since.Before(*shown.Oldest) {
			shown.Oldest = since
		}
		shown.Items = append(shown.Items, pages.Item{Href: "/ops/bancos/" + h.Account.ID, Title: h.Account.Name,
			Detail: i18n.N(ctx, "ops.unanswered_calls", int(h.Lately.Unanswered)), Since: *since})
	}
	return nil
}

// closeBank handles POST /ops/bancos/:id/encerrar.
func (s *console) closeBank(c *fiber.Ctx) error {
	seen, _ := strconv.Atoi(page.Field(c, "version")) // what is no number is no version
	err := s.Banks.Close(c.UserContext(), page.Actor(c), c.Params("id"), seen)
	if errors.Is(err, banks.ErrOpen) {
		c.Status(fiber.StatusConflict)
		return s.showBank(c, pages.BankProps{Problem: i18n.T(c.UserContext(), "ops.bank_close_open")})
	}
	return s.bankDone(c, err, "ops_bank_closed")
}
