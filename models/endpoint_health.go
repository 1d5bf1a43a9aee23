package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// The pages about an endpoint read at most this many deliveries of a day, so that a busy
// endpoint does not make them slow: to count them, and to time their answers.
const (
	CountedADay = 20_000
	timedADay   = 1_000
)

// DeliveryCounts count the deliveries of an hour that were attempted.
type DeliveryCounts struct {
	Delivered int
	Missed    int // failed, or waiting for another attempt
}

// DeliveryHours are 24 hours of an endpoint's deliveries, earliest first.
type DeliveryHours [24]DeliveryCounts

// Sum returns the sum of the hours.
func (h DeliveryHours) Sum() (sum DeliveryCounts) {
	for _, hour := range h {
		sum.Delivered += hour.Delivered
		sum.Missed += hour.Missed
	}
	return sum
}

// EndpointHours counts the latest CountedADay deliveries of each endpoint in the 24 hours that end
// at until, by endpoint id. The caller must have found the endpoints within its scope.
func EndpointHours(ctx context.Context, q Reader, endpointIDs []string,
	until time.Time) (map[string]DeliveryHours, error) {
	rows, err := q.Query(ctx,
		`SELECT e.id, floor(extract(epoch FROM d.created_at - $2::timestamptz) / 3600)::int,
			count(*) FILTER (WHERE d.status = 'DELIVERED'),
			count(*) FILTER (WHERE d.status = 'FAILED' OR d.status = 'PENDING' AND d.attempts > 0)
		FROM unnest($1::text[]) AS e (id) CROSS JOIN LATERAL (
			SELECT d.status, d.attempts, d.created_at FROM webhook_deliveries d
			WHERE d.endpoint_id = e.id AND d.created_at > $2::timestamptz - interval '24 hours' AND d.created_at <= $2
			ORDER BY d.created_at DESC, d.id DESC LIMIT $3) d
		GROUP BY 1, 2`, endpointIDs, until, CountedADay)
	if err != nil {
		return nil, err
	}
	days := map[string]DeliveryHours{}
	var id string
	var back int // whole hours before until, below 0
	var c DeliveryCounts
	_, err = pgx.ForEachRow(rows, []any{&id, &back, &c.Delivered, &c.Missed}, func() error {
		day := days[id]
		hour := &day[min(len(day)-1, len(day)+back)]
		hour.Delivered, hour.Missed = hour.Delivered+c.Delivered, hour.Missed+c.Missed
		days[id] = day
		return nil
	})
	return days, err
}

// EndpointDay counts the events of one day at an endpoint, each once.
type EndpointDay struct {
	Delivered int // delivered by the first attempt
	Retried   int // needed further attempts, or still does
	Failed    int
	Answers   Answers
}

// Answers are an endpoint's answer times; zero if it never answered.
type Answers struct {
	Median, Slow time.Duration // median and 95th percentile
}

// EndpointDays returns the counts of the endpoint for each of days, and its answer times over
// all of them. A day is given by its first moment and is 24 hours long. The latest CountedADay
// deliveries of each day count. The caller must have found the endpoint within its scope.
func EndpointDays(ctx context.Context, q Reader, endpointID string, days []time.Time) ([]EndpointDay, Answers, error) {
	out := make([]EndpointDay, len(days))
	rows, err := q.Query(ctx, `SELECT day.n, count(*) FILTER (WHERE d.status = 'DELIVERED' AND d.attempts = 1),
			count(*) FILTER (WHERE d.status IN ('DELIVERED', 'PENDING')
				AND d.attempts > (CASE d.status WHEN 'DELIVERED' THEN 1 ELSE 0 END)),
			count(*) FILTER (WHERE d.status = 'FAILED')
		FROM unnest($2::timestamptz[]) WITH ORDINALITY AS day (since, n) CROSS JOIN LATERAL (
			SELECT d.status, d.attempts FROM webhook_deliveries d
			WHERE d.endpoint_id = $1 AND d.created_at >= day.since AND d.created_at < day.since + interval '24 hours'
			ORDER BY d.created_at DESC, d.id DESC LIMIT $3) d
		GROUP BY day.n`, endpointID, days, CountedADay)
	if err != nil {
		return nil, Answers{}, err
	}
	var n int
	var day EndpointDay
	if _, err := pgx.ForEachRow(rows, []any{&n, &day.Delivered, &day.Retried, &day.Failed}, func() error {
		out[n-1] = day
		return nil
	}); err != nil {
		return nil, Answers{}, err
	}
	all, err := endpointAnswers(ctx, q, endpointID, days, out)
	return out, all, err
}

// endpointAnswers sets the answer times of the days and returns those of all days together.
func endpointAnswers(ctx context.Context, q Reader, endpointID string, days []time.Time,
	out []EndpointDay) (all Answers, err error) {
	rows, err := q.Query(ctx, `SELECT coalesce(day.n, 0), percentile_disc(0.5) WITHIN GROUP (ORDER BY a.duration_ms),
			percentile_disc(0.95) WITHIN GROUP (ORDER BY a.duration_ms)
		FROM unnest($2::timestamptz[]) WITH ORDINALITY AS day (since, n) CROSS JOIN LATERAL (
			SELECT d.id, d.month FROM webhook_deliveries d
			WHERE d.endpoint_id = $1 AND d.created_at >= day.since AND d.created_at < day.since + interval '24 hours'
			ORDER BY d.created_at DESC, d.id DESC LIMIT $3) d
		JOIN webhook_attempts a ON a.delivery_id = d.id AND a.month = d.month AND a.status_code IS NOT NULL
		GROUP BY ROLLUP (day.n)`, endpointID, days, timedADay)
	if err != nil {
		return all, err
	}
	var n int
	var median, slow *int64
	_, err = pgx.ForEachRow(rows, []any{&n, &median, &slow}, func() error {
		if median == nil || slow == nil {
			return nil
		}
		answers := Answers{Median: time.Duration(*median) * time.Millisecond,
			Slow: time.Duration(*slow) * time.Millisecond}
		if n == 0 {
			all = answers
		} else {
			out[n-1].Answers = answers
		}
		return nil
	})
	return all, err
}
