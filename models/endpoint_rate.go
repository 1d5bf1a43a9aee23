package models

import (
	"context"
	"time"
)

// ratedDeliveries limits the deliveries of an endpoint from which its rate is computed.
const ratedDeliveries = 1_000

// EndpointRate is an endpoint of any account with the counts of its latest deliveries.
type EndpointRate struct {
	FailingEndpoint
	Delivered, Retrying, Failed int
}

// Position is the endpoint's place in lists.
func (e EndpointRate) Position() Position { return Position{e.CreatedAt, e.ID} }

// EndpointRateFilter narrows a list of endpoints. The zero value selects all.
type EndpointRateFilter struct {
	ID      string
	Failing bool // only those that FailingEndpoints lists
	After   *Position
	Limit   int
}

// EndpointRates lists endpoints of all accounts without deleted ones, newest first. For each
// it counts the latest ratedDeliveries deliveries since a time.
func EndpointRates(ctx context.Context, q Reader, f EndpointRateFilter, since time.Time) (list []EndpointRate,
	err error) {
	var at *time.Time
	var id string
	if f.After != nil {
		at, id = &f.After.CreatedAt, f.After.ID
	}
	rows, err := q.Query(ctx, "SELECT a.id, a.name, n.delivered, n.retrying, n.failed, "+endpointColumns+` FROM (
			SELECT * FROM webhook_endpoints
			WHERE deleted_at IS NULL AND ($3 = '' OR id = $3)
				AND (NOT $4 OR active AND troubled_at IS NOT NULL OR disabled_at IS NOT NULL)
				AND ($5::timestamptz IS NULL OR (created_at, id) < ($5, $6))
			ORDER BY created_at DESC, id DESC LIMIT $7) e
		JOIN projects p ON p.id = e.project_id JOIN accounts a ON a.id = p.account_id
		CROSS JOIN LATERAL (
			SELECT count(*) FILTER (WHERE status = 'DELIVERED') AS delivered,
				count(*) FILTER (WHERE status = 'PENDING' AND attempts > 0) AS retrying,
				count(*) FILTER (WHERE status = 'FAILED') AS failed
			FROM (SELECT status, attempts FROM webhook_deliveries WHERE endpoint_id = e.id AND created_at >= $1
				ORDER BY created_at DESC, id DESC LIMIT $2) latest) n
		ORDER BY e.created_at DESC, e.id DESC`, since, ratedDeliveries, f.ID, f.Failing, at, id, f.Limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r EndpointRate
		if err := rows.Scan(append([]any{&r.AccountID, &r.AccountName, &r.Delivered, &r.Retrying, &r.Failed},
			r.targets()...)...); err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, rows.Err()
}
