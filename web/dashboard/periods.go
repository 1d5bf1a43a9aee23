package dashboard

import (
	"time"

	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
)

// presets returns the days of periods by their keys, those of pages.Period.
func presets(now time.Time, keys ...string) []pages.Period {
	today, _ := i18n.ParseDay(i18n.Day(now)) // cannot fail, because Day wrote it
	month := today.AddDate(0, 0, 1-today.Day())
	span := func(from, until time.Time) pages.Period {
		return pages.Period{From: i18n.Day(from), Until: i18n.Day(until)}
	}
	periods := map[string]pages.Period{
		pages.PeriodAll:       {},
		pages.PeriodToday:     span(today, today),
		pages.PeriodWeek:      span(today.AddDate(0, 0, -6), today),
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
