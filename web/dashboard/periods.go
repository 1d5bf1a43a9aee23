package dashboard

import (
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// presets returns the days of periods by their keys, those of pages.Period.
func presets(now time.Time, keys ...string) []pages.Period {
	today := i18n.DayStart(now)
	month := today.AddDate(0, 0, 1-today.Day())
	span := func(from, until time.Time) pages.Period {
		return pages.Period{From: i18n.Day(from), Until: i18n.Day(until)}
	}
	periods := map[string]pages.Period{
		pages.PeriodAll:       {},
		pages.PeriodToday:     span(today, today),
		pages.PeriodWeek:      span(today.AddDate(0, 0, -6), today),
		pages.PeriodDays30:    span(today.AddDate(0, 0, -29), today),
		pages.PeriodMonth:     span(month, month.AddDate(0, 1, -1)),
		pages.PeriodLastMonth: span(month.AddDate(0, -1, 0), month.AddDate(0, 0, -1)),
	}
	var list []pages.Period
	for _, key := range keys {
		period := periods[key]
		period.Key = key
		list = append(list, period)
	}
	return list
}

const (
	// longestPeriod is the most days of figures that a page shows at once.
	longestPeriod = 366
	// daily is the most days of which a chart shows each, and not their months.
	daily = 62
)

// readFigures reads the period that a page of figures is about: period is the key of one that
// moves with the time, from and until are days. Without any it is the last seven days, and so it
// is if there are problems.
func readFigures(c *fiber.Ctx, now time.Time) (chosen pages.FiguresFilter, span figures,
	problems components.FieldErrors) {
	moving := presets(now, pages.PeriodToday, pages.PeriodWeek, pages.PeriodDays30, pages.PeriodMonth,
		pages.PeriodLastMonth)
	chosen = pages.FiguresFilter{From: strings.TrimSpace(c.Query("from")), Until: strings.TrimSpace(c.Query("until")),
		Key: c.Query("period"), Periods: moving}
	if chosen.From != "" || chosen.Until != "" {
		chosen.Key = ""
		if chosen.From == "" {
			chosen.From = chosen.Until
		} else if chosen.Until == "" {
			chosen.Until = i18n.Day(now)
		}
		from, until, wrong := page.ReadPeriod(c, chosen.From, chosen.Until)
		if len(wrong) == 0 && until.After(from.AddDate(0, 0, longestPeriod)) {
			wrong = components.FieldErrors{{Field: "from", Text: i18n.T(c.UserContext(), "problem.period_long")}}
		}
		if len(wrong) == 0 {
			return chosen, newFigures("", from, until, now), nil
		}
		problems = wrong
	}
	known := func(p pages.Period) bool { return p.Key == chosen.Key }
	if !slices.ContainsFunc(moving, known) {
		chosen.Key = pages.PeriodWeek
	}
	period := moving[slices.IndexFunc(moving, known)]
	from, until, _ := page.ReadPeriod(c, period.From, period.Until) // presets writes days
	if len(problems) == 0 {
		chosen.From, chosen.Until = period.From, period.Until
	}
	return chosen, newFigures(chosen.Key, from, until, now), problems
}

// figures is the time that a page of figures is about: whole days from since to until, and those
// from before on, which they are compared with up to the same moment.
type figures struct {
	since, until, before time.Time
	versus               string // key of what they are compared with
	unit                 string // of the chart, one of pages.Unit…
}

// newFigures compares a day with the same day a week before, months with the month before, and
// other periods with as many days before them.
func newFigures(key string, since, until, now time.Time) figures {
	days := int(until.Sub(since) / (24 * time.Hour))
	f := figures{since: since, until: until, versus: "versus", unit: pages.UnitDay,
		before: since.AddDate(0, 0, -days)}
	switch {
	case key == pages.PeriodMonth || key == pages.PeriodLastMonth:
		f.before, f.versus = since.AddDate(0, -1, 0), "versus_month"
	case days == 1:
		f.before, f.versus, f.unit = since.AddDate(0, 0, -7), "versus_day", pages.UnitHour
		if i18n.Day(since) == i18n.Day(now) {
			f.versus = "weekday_" + string('0'+rune(since.Weekday()))
		}
	case days > daily:
		f.unit = pages.UnitMonth
	}
	return f
}

// slots returns when the parts of the chart begin.
func (f figures) slots() (starts []time.Time) {
	for t := f.since; t.Before(f.until); {
		starts = append(starts, t)
		switch f.unit {
		case pages.UnitHour:
			t = t.Add(time.Hour)
		case pages.UnitDay:
			t = t.AddDate(0, 0, 1)
		default:
			t = t.AddDate(0, 1, 1-t.Day())
		}
	}
	return starts
}
