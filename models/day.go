package models

import "time"

// behindUTC is how far the clocks of Brasília are behind UTC, in summer too.
const behindUTC = 3 * time.Hour

// dayOf returns when the day of Brasília began in which t is. It is in UTC, so equal days are equal keys of a map.
func dayOf(t time.Time) time.Time {
	return t.UTC().Add(-behindUTC).Truncate(24 * time.Hour).Add(behindUTC)
}

// sqlDayOf is dayOf for an expression of SQL.
func sqlDayOf(moment string) string {
	return "(date_trunc('day', " + moment + " - interval '3 hours', 'UTC') + interval '3 hours')"
}
