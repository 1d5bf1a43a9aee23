package dashboard

import (
	"context"

	"garoupa/views/components"
	"garoupa/views/i18n"
)

// Keys of the periods that people ask for most.
const (
	PeriodAll       = "all"
	PeriodToday     = "today"
	PeriodWeek      = "week" // with today
	PeriodMonth     = "this_month"
	PeriodLastMonth = "last_month"
)

// Period is a period that one can choose without typing days.
type Period struct {
	Key         string
	From, Until string // days such as 2026-11-20, the last one included; "" is unbounded
}

// periodTabs links to the periods, and shows the chosen one even if it is none of them.
func periodTabs(ctx context.Context, periods []Period, from, until string,
	href func(from, until string) string) []components.Tab {
	var tabs []components.Tab
	known := false
	for _, period := range periods {
		current := period.From == from && period.Until == until
		known = known || current
		tabs = append(tabs, components.Tab{Label: i18n.T(ctx, "period."+period.Key),
			Href: href(period.From, period.Until), Current: current})
	}
	if !known {
		tabs = append(tabs, components.Tab{Label: i18n.T(ctx, "period.other"), Href: href(from, until), Current: true})
	}
	return tabs
}
