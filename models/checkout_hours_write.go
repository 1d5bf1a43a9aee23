package models

import (
	"context"
	"time"
)

// writeHours writes the counted hours of the spans that follow, and hoursAgain replaces those that
// are there.
const (
	writeHours = `INSERT INTO checkout_hours (project_id, livemode, hour, created, paid, volume, converted,
		created_volume, converted_volume)
	SELECT span.project_id, span.livemode, h.hour, h.created, h.paid, h.volume, h.converted, h.created_volume,
		h.converted_volume FROM `
	hoursAgain = ` ON CONFLICT (project_id, livemode, hour) DO UPDATE
	SET created = EXCLUDED.created, paid = EXCLUDED.paid, volume = EXCLUDED.volume,
		converted = EXCLUDED.converted, created_volume = EXCLUDED.created_volume,
		converted_volume = EXCLUDED.converted_volume`
	// everySpan is the row of every project and environment for the time from $1 to $2.
	everySpan = `(SELECT p.id AS project_id, l.livemode, $1::timestamptz AS since, $2::timestamptz AS until
		FROM projects p CROSS JOIN (VALUES (true), (false)) l (livemode)) span`
)

// figure is what the roll-up writes of a span.
type figure struct {
	sql func(spans string) string
	// The columns of checkout_hours_until with the first hour that has the figure, and the end of the last.
	from, until string
}

// rolled are all figures.
var rolled = []figure{
	{func(spans string) string { return writeHours + spans + countHours + hoursAgain }, "summed_from", "summed_until"},
	{func(spans string) string { return writeLinkHours + spans + countLinkHours + linkHoursAgain }, "linked_from",
		"linked_until"},
}

// writeSpans counts the whole hours of spans (project_id, livemode, since, until), and writes all figures of them.
func writeSpans(ctx context.Context, conn Querier, spans string, args ...any) error {
	for _, f := range rolled {
		if _, err := conn.Exec(ctx, f.sql(spans), args...); err != nil {
			return err
		}
	}
	return nil
}

// writeBack extends the hours that have the figure: by those from until to next, which were just written, by at most
// a day that a program without the figure wrote, and by at most a day into the past, back to floor. It reports
// whether there is more to do.
func (f figure) writeBack(ctx context.Context, conn Querier, until, next, floor time.Time) (more bool, err error) {
	var from, to time.Time
	err = conn.QueryRow(ctx, "SELECT coalesce("+f.from+", $1), coalesce("+f.until+", $1) FROM checkout_hours_until",
		until).Scan(&from, &to)
	if err != nil {
		return false, err
	}
	count := func(since, until time.Time) error {
		if !since.Before(until) {
			return nil
		}
		_, err := conn.Exec(ctx, f.sql(everySpan), since, until)
		return err
	}
	if to.Equal(until) {
		to = next
	} else {
		day := earlier(to.Add(rolledUpAtOnce), next)
		if err := count(to, day); err != nil {
			return false, err
		}
		to = day
	}
	if from.After(floor) {
		day := later(from.Add(-rolledUpAtOnce), floor)
		if err := count(day, from); err != nil {
			return false, err
		}
		from = day
	}
	_, err = conn.Exec(ctx, "UPDATE checkout_hours_until SET "+f.from+" = $1, "+f.until+" = $2", from, to)
	return to.Before(next) || from.After(floor), err
}
