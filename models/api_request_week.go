package models

import (
	"context"
	"time"
)

// firstOfWeek returns the first moment, in UTC, of the week in which t lies, or of the week that is later by a number
// of weeks. Weeks begin on Monday.
func firstOfWeek(t time.Time, later int) time.Time {
	t = t.UTC()
	monday := t.Day() - int(t.Weekday()+6)%7
	return time.Date(t.Year(), t.Month(), monday+7*later, 0, 0, 0, 0, time.UTC)
}

// MakeCallWeeks creates the tables of API calls for this week and the next, unless they exist, and directs the calls of
// a new week to its table (docs/decisions/0089); until then they go to the table of the week before. If a table stays
// locked for too long, inUse is true and the next call tries again.
func MakeCallWeeks(ctx context.Context, q Querier, now time.Time) (inUse bool, err error) {
	for later := range 2 {
		_, err := q.Exec(ctx, "SELECT make_call_week($1, $2)", firstOfWeek(now, later), later == 0)
		if err != nil {
			return gaveUp(err)
		}
	}
	return false, nil
}

// DropCallWeeks drops the calls of the API of each week that ended before a time, unless one is of that time or later
// or the table is still written to, because no later one was made. It leaves those that are in use to the next call.
func DropCallWeeks(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	suffixes, err := partitions(ctx, q, "api_requests")
	if err != nil {
		return false, err
	}
	for _, suffix := range suffixes {
		week, err := time.Parse("2006_01_02", suffix)
		if suffix != "before" && (err != nil || firstOfWeek(week, 1).After(before)) {
			continue
		}
		_, err = q.Exec(ctx, "SELECT drop_call_week($1, $2)", suffix, before)
		if _, err := gaveUp(err); err != nil {
			return false, err
		}
	}
	return false, nil
}
