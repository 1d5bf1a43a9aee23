package page

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/views/components"
	"garoupa/views/i18n"
)

// ReplayPeriods are the durations of pages.ReplayPeriods.
var ReplayPeriods = map[string]time.Duration{
	"1h": time.Hour, "24h": 24 * time.Hour, "3d": 3 * 24 * time.Hour, "7d": 7 * 24 * time.Hour,
	"30d": 30 * 24 * time.Hour,
}

// ReadPeriod reads the days of a list's filter: whole days in Brasília, including the last
// one, so until is the first moment after it. A day that was not given is the zero time.
// Problems belong to the fields "from" and "until".
func ReadPeriod(c *fiber.Ctx, first, last string) (from, until time.Time, problems components.FieldErrors) {
	day := func(field, text string) (t time.Time) {
		if text == "" {
			return t
		}
		t, err := i18n.ParseDay(text)
		if err != nil {
			problems = append(problems, components.FieldError{Field: field,
				Text: i18n.T(c.UserContext(), "problem.period_day")})
		}
		return t
	}
	from = day("from", first)
	if until = day("until", last); !until.IsZero() {
		until = until.AddDate(0, 0, 1)
	}
	if len(problems) == 0 && !until.IsZero() && !from.Before(until) {
		problems = components.FieldErrors{{Field: "until", Text: i18n.T(c.UserContext(), "problem.statement_period")}}
	}
	return from, until, problems
}
