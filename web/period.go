package web

import (
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/views/components"
	"garoupa/views/i18n"
)

// readPeriod reads the days that a list is narrowed to: whole ones in Brasília, the
// last one included, so that until is the moment after it. A day that was not given
// is zero. Problems are of the fields "from" and "until".
func readPeriod(c *fiber.Ctx, first, last string) (from, until time.Time, problems components.FieldErrors) {
	day := func(field, text string) (t time.Time) {
		if text == "" {
			return t
		}
		t, err := i18n.ParseDay(text)
		if err != nil {
			problems = append(problems, components.FieldError{Field: field, Text: i18n.T(c.UserContext(), "problem.period_day")})
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

// filterPager is listPager for a list that is narrowed by a query.
func filterPager(address, query string, deep bool, next string) components.PagerProps {
	var out components.PagerProps
	if deep {
		out.Previous = strings.TrimSuffix(address+"?"+query, "?")
	}
	if next != "" {
		out.Next = address + "?" + strings.TrimPrefix(query+"&cursor="+next, "&")
	}
	return out
}
