package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// CheckoutSum is how many checkouts match a search, and what they amount to.
type CheckoutSum struct {
	Count  int
	Amount money.Cents
	// More is set if there are more than Count, because not all of them were counted. Then Amount is 0.
	More bool
}

const (
	// SummedCheckouts is the number of rows up to which SumCheckouts reads what is not rolled up.
	SummedCheckouts = 10_000
	// SummedMatches is the same for the matches of a text, each of which may be far from the last.
	SummedMatches = 200
	// sumsLate is how late the roll-up may be before sums of paid checkouts go without it. What was paid
	// since is read for each of them.
	sumsLate = time.Hour
)

// Bounds of a period that has none.
var (
	firstMoment = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	lastMoment  = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
)

// SumCheckouts counts and sums the checkouts that SearchCheckouts finds, on all its pages. By period alone,
// or with status PAID, it reads the hours that are rolled up, which have no limit; of everything else
// SummedCheckouts rows, or SummedMatches of a text.
func SumCheckouts(ctx context.Context, q Reader, scope Scope, s CheckoutSearch, now time.Time) (CheckoutSum, error) {
	if s.Text != "" {
		return sumMatches(ctx, q, scope, s)
	}
	if s.From.IsZero() {
		s.From = firstMoment
	}
	if s.Until.IsZero() {
		s.Until = lastMoment
	}
	rolled, spans, err := rolledSum(ctx, q, scope, s, now)
	if err != nil {
		return CheckoutSum{}, err
	}
	sum, err := sumSpans(ctx, q, scope, s.Status, spans)
	sum.Count += rolled.Count
	if !sum.More {
		sum.Amount += rolled.Amount
	}
	return sum, err
}

func sumMatches(ctx context.Context, q Reader, scope Scope, s CheckoutSearch) (sum CheckoutSum, err error) {
	s.After = nil
	query := &checkoutQuery{where{args: []any{scope.ProjectID, scope.Environment, SummedMatches + 1}}}
	sql, err := query.matches(ctx, q, scope, s)
	if err != nil {
		return sum, err
	}
	err = q.QueryRow(ctx, "SELECT count(*), coalesce(sum(amount), 0)::bigint FROM ("+sql+") few", query.args...).
		Scan(&sum.Count, &sum.Amount)
	if sum.Count > SummedMatches {
		sum = CheckoutSum{Count: SummedMatches, More: true}
	}
	return sum, err
}

// span is the time from since to before until.
type span struct{ since, until time.Time }

// rolledSum sums the hours of the search that are rolled up, and returns the spans that are not. Hours in
// which what was paid since the last roll-up was created are among them.
func rolledSum(ctx context.Context, q Reader, scope Scope, s CheckoutSearch, now time.Time) (sum CheckoutSum,
	spans []span, err error) {
	all := []span{{s.From, s.Until}}
	if s.Status != "" && s.Status != CheckoutPaid {
		return sum, all, nil
	}
	var from, until *time.Time
	var converted time.Time
	err = q.QueryRow(ctx, "SELECT summed_from, summed_until, converted FROM checkout_hours_until").
		Scan(&from, &until, &converted)
	paid := s.Status == CheckoutPaid
	if err != nil || from == nil || until == nil || paid && converted.Before(now.Add(-sumsLate)) {
		return sum, all, err
	}
	// The whole hours of the search within those that have sums.
	since, before := later(wholeHour(s.From), *from), earlier(s.Until.Truncate(time.Hour), *until)
	if !since.Before(before) {
		return sum, all, nil
	}
	spans = append(spans, span{before, s.Until}, span{s.From, since})
	if paid {
		fresh, err := freshHours(ctx, q, scope, converted, since, before)
		if err != nil {
			return sum, nil, err
		}
		spans = append(spans, fresh...)
	}
	hours := make([]time.Time, 0, len(spans))
	for _, fresh := range spans[2:] {
		hours = append(hours, fresh.since)
	}
	columns := "sum(created), sum(created_volume)"
	if paid {
		columns = "sum(converted), sum(converted_volume)"
	}
	err = q.QueryRow(ctx, `SELECT coalesce(n, 0)::bigint, coalesce(amount, 0)::bigint FROM (SELECT `+columns+`
		FROM checkout_hours WHERE project_id = $1 AND livemode = $2 AND hour >= $3 AND hour < $4
			AND hour <> ALL ($5::timestamptz[])) s (n, amount)`,
		scope.ProjectID, scope.Environment, since, before, hours).Scan(&sum.Count, &sum.Amount)
	return sum, spans, err
}

// freshHours returns the hours between two moments in which a checkout was created that was paid by a payment
// recorded after a third.
func freshHours(ctx context.Context, q Reader, scope Scope, recorded, since, until time.Time) ([]span, error) {
	rows, err := q.Query(ctx, `SELECT DISTINCT date_trunc('hour', c.created_at)
		FROM payments p JOIN checkouts c ON c.id = p.checkout_id
		WHERE p.recorded_at >= $3 AND p.settles AND c.project_id = $1 AND c.livemode = $2 AND c.created_at >= $4
			AND c.created_at < $5`, scope.ProjectID, scope.Environment, recorded, since, until)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (span, error) {
		var hour time.Time
		err := row.Scan(&hour)
		return span{hour, hour.Add(time.Hour)}, err
	})
}

// sumSpans counts and sums the checkouts of spans, up to SummedCheckouts.
func sumSpans(ctx context.Context, q Reader, scope Scope, status CheckoutStatus, spans []span) (sum CheckoutSum,
	err error) {
	query := &checkoutQuery{where{args: []any{scope.ProjectID, scope.Environment, SummedCheckouts + 1}}}
	var since, until []time.Time
	for _, s := range spans {
		since, until = append(since, s.since), append(until, s.until)
	}
	err = q.QueryRow(ctx, `SELECT count(*), coalesce(sum(amount), 0)::bigint FROM (
		SELECT c.amount FROM unnest(`+query.arg(since)+"::timestamptz[], "+query.arg(until)+
		`::timestamptz[]) span (since, until) CROSS JOIN LATERAL (
			SELECT c.amount FROM checkouts c WHERE c.project_id = $1 AND c.livemode = $2`+
		query.status(CheckoutSearch{Status: status})+` AND c.created_at >= span.since AND c.created_at < span.until
			ORDER BY c.created_at DESC LIMIT $3) c LIMIT $3) few`, query.args...).Scan(&sum.Count, &sum.Amount)
	if sum.Count > SummedCheckouts {
		sum = CheckoutSum{Count: SummedCheckouts, More: true}
	}
	return sum, err
}

// wholeHour returns the first whole hour that does not begin before t.
func wholeHour(t time.Time) time.Time {
	if hour := t.Truncate(time.Hour); !hour.Equal(t) {
		return hour.Add(time.Hour)
	}
	return t
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
