package dashboard

import (
	"context"
	"strings"
	"time"

	"garoupa/internal/money"
	"garoupa/views/i18n"
)

// releasesShown is how many days are shown; the others are folded.
const releasesShown = 7

// Releases are the days on which pending money becomes available, soonest first.
type Releases struct {
	Days []ReleaseRow
	Rest money.Cents // pending money that is in none of the days
	// Settled sales that no withdrawal or refund covers.
	Uncovered     money.Cents
	UncoveredMany int
	UncoveredMore bool // there are more than UncoveredMany; their money is unknown
}

// ReleaseRow is what becomes available on a day.
type ReleaseRow struct {
	Day                       time.Time
	Count                     int
	Gross, Fee, Refunded, Net money.Cents
}

// any reports whether there is anything to show.
func (r Releases) any() bool { return len(r.Days) > 0 || r.Rest != 0 || r.UncoveredMany > 0 }

// split returns the days that are shown, and those that are folded.
func (r Releases) split() (shown, folded []ReleaseRow) {
	if len(r.Days) <= releasesShown {
		return r.Days, nil
	}
	return r.Days[:releasesShown], r.Days[releasesShown:]
}

// name is "today", "tomorrow" or the weekday and the date.
func (r ReleaseRow) name(ctx context.Context, now time.Time) string {
	switch today := i18n.DayStart(now); i18n.Day(r.Day) {
	case i18n.Day(today):
		return i18n.T(ctx, "releases.today")
	case i18n.Day(today.AddDate(0, 0, 1)):
		return i18n.T(ctx, "releases.tomorrow")
	}
	weekday := strings.ToLower(i18n.Brasilia(r.Day).Format("Mon"))
	return i18n.T(ctx, "releases.day", i18n.T(ctx, "releases."+weekday), i18n.Date(ctx, r.Day))
}

// uncovered says how many settled sales are not covered.
func (r Releases) uncovered(ctx context.Context) string {
	count := i18n.N(ctx, "releases.sales", r.UncoveredMany)
	if r.UncoveredMore {
		return i18n.T(ctx, "checkouts.sum_more", count)
	}
	return count
}
