package dashboard

import (
	"context"
	"net/url"

	"garoupa/views/components"
	"garoupa/views/i18n"
)

// Keys of the periods that people ask for most.
const (
	PeriodAll       = "all"
	PeriodToday     = "today"
	PeriodWeek      = "week"   // with today
	PeriodDays30    = "days30" // with today
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

// FiguresFilter is the period of a page of figures, as in its address: ?period= or ?from=&until=.
type FiguresFilter struct {
	Key         string // of a period that moves with the time, "" for days
	From, Until string // days, the last one included
	Periods     []Period
}

// address is path with the period.
func (f FiguresFilter) address(path string) string {
	if f.Key != "" {
		return path + "?period=" + f.Key
	}
	return path + "?" + url.Values{"from": {f.From}, "until": {f.Until}}.Encode()
}

// tabs are links to the periods at path.
func (f FiguresFilter) tabs(ctx context.Context, path string) []components.Tab {
	var tabs []components.Tab
	for _, period := range f.Periods {
		tabs = append(tabs, components.Tab{Label: i18n.T(ctx, "period."+period.Key),
			Href:    path + "?period=" + period.Key,
			Current: f.Key == period.Key})
	}
	if f.Key == "" {
		tabs = append(tabs, components.Tab{Label: i18n.T(ctx, "period.other"), Href: f.address(path), Current: true})
	}
	return tabs
}
