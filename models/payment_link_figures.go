package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// LinkFigures are what came of a payment link, or of the links of a product, in a period.
type LinkFigures struct {
	ID        string // the link's id, or the product's slug
	Name      string // the product's
	Visits    int    // of the page of the link
	Created   int    // charges created in the period
	Pending   int    // of the Created, those that can still be paid
	Converted int    // of the Created, those that are paid by now
	Paid      int    // charges paid in the period, whenever they were created
	Volume    money.Cents
}

// LinksFigures are the links, or the products, that sold the most in a period, and what all of them sold together.
type LinksFigures struct {
	Most   []LinkFigures
	Count  int // of those with any figure
	Paid   int
	Volume money.Cents
}

// linkDays are the days of the links of a scope ($1, $2) from $3 to before $4, at which days begin in Brasília. Days
// that are rolled up are read, later ones are counted, except visits, which are always read. link and charge narrow
// links l and charges c.
func linkDays(link, charge string) string {
	return `mark AS (SELECT coalesce(until, $3) AS until FROM payment_link_days_until),
	links AS (SELECT l.id, l.product_id FROM payment_links l WHERE l.project_id = $1 AND l.livemode = $2` + link + `),
	happened AS (
		SELECT d.payment_link_id AS id, d.visits, d.created, d.converted, 0 AS pending, d.paid, d.volume
		FROM links JOIN payment_link_days d ON d.payment_link_id = links.id
		WHERE d.day >= $3 AND d.day < $4
		UNION ALL
		SELECT c.payment_link_id, 0, count(*), count(*) FILTER (WHERE c.status = 'PAID'), 0, 0, 0
		FROM checkouts c WHERE c.project_id = $1 AND c.livemode = $2 AND c.payment_link_id IS NOT NULL` + charge + `
			AND c.created_at >= greatest($3, (SELECT until FROM mark)) AND c.created_at < $4 GROUP BY 1
		UNION ALL
		SELECT c.payment_link_id, 0, 0, 0, 0, count(*), sum(c.amount)::bigint
		FROM checkouts c WHERE c.project_id = $1 AND c.livemode = $2 AND c.payment_link_id IS NOT NULL` + charge + `
			AND c.status = 'PAID' AND c.paid_at >= greatest($3, (SELECT until FROM mark)) AND c.paid_at < $4 GROUP BY 1
		UNION ALL
		SELECT c.payment_link_id, 0, 0, 0, count(*), 0, 0
		FROM checkouts c WHERE c.project_id = $1 AND c.livemode = $2 AND c.payment_link_id IS NOT NULL` + charge + `
			AND c.status = 'PENDING' AND c.created_at >= $3 AND c.created_at < $4 GROUP BY 1
	)`
}

const linkSums = `sum(visits)::bigint AS visits, sum(created)::bigint AS created, sum(pending)::bigint AS pending,
	sum(converted)::bigint AS converted, sum(paid)::bigint AS paid, sum(volume)::bigint AS volume`

// FiguresOfLink returns the figures of one link of the scope from since to before until, at which days begin in
// Brasília. Its ID and Name are not set.
func FiguresOfLink(ctx context.Context, q Reader, scope Scope, id string, since, until time.Time) (f LinkFigures,
	err error) {
	err = q.QueryRow(ctx, "WITH "+linkDays(" AND l.id = $5", " AND c.payment_link_id = $5")+`
		SELECT coalesce(visits, 0), coalesce(created, 0), coalesce(pending, 0), coalesce(converted, 0),
			coalesce(paid, 0), coalesce(volume, 0) FROM (SELECT `+linkSums+` FROM happened) s`,
		scope.ProjectID, scope.Environment, since, until, id).
		Scan(&f.Visits, &f.Created, &f.Pending, &f.Converted, &f.Paid, &f.Volume)
	return f, err
}

// FiguresByLink returns the links of the scope that sold the most from since to before until, at most limit.
func FiguresByLink(ctx context.Context, q Reader, scope Scope, since, until time.Time,
	limit int) (LinksFigures, error) {
	return figuresOfLinks(ctx, q, "links.id, d.name", "links.id, d.name", scope, since, until, limit)
}

// FiguresByProduct returns the products of the scope that sold the most by links from since to before until, at most
// limit.
func FiguresByProduct(ctx context.Context, q Reader, scope Scope, since, until time.Time,
	limit int) (LinksFigures, error) {
	return figuresOfLinks(ctx, q, "d.slug, d.name", "d.id", scope, since, until, limit)
}

func figuresOfLinks(ctx context.Context, q Reader, named, by string, scope Scope, since, until time.Time,
	limit int) (all LinksFigures, err error) {
	rows, err := q.Query(ctx, "WITH "+linkDays("", "")+`, sums AS (
			SELECT `+named+`, `+linkSums+`
			FROM happened JOIN links USING (id) JOIN products d ON d.id = links.product_id GROUP BY `+by+`)
		SELECT s.*, count(*) OVER ()::bigint, sum(paid) OVER ()::bigint, sum(volume) OVER ()::bigint FROM sums s
		ORDER BY volume DESC, paid DESC, created DESC, visits DESC, 1 LIMIT $5`,
		scope.ProjectID, scope.Environment, since, until, limit)
	if err != nil {
		return all, err
	}
	var f LinkFigures
	_, err = pgx.ForEachRow(rows, []any{&f.ID, &f.Name, &f.Visits, &f.Created, &f.Pending, &f.Converted, &f.Paid,
		&f.Volume, &all.Count, &all.Paid, &all.Volume}, func() error {
		all.Most = append(all.Most, f)
		return nil
	})
	return all, err
}

// LinkCounts are the number of uses of a payment link, and the number of those that were paid.
type LinkCounts struct{ Uses, Paid int }

// PaymentLinkCounts counts the checkouts that payment links of the scope ever created, by link id. If the days of a
// link are rolled up since its beginning, they are read, and later checkouts are counted; otherwise all are counted.
func PaymentLinkCounts(ctx context.Context, q Reader, scope Scope, linkIDs ...string) (map[string]LinkCounts, error) {
	rows, err := q.Query(ctx, `SELECT l.id, coalesce(d.created, 0) + c.created, coalesce(d.converted, 0) + c.converted
		FROM payment_links l CROSS JOIN LATERAL (
			SELECT coalesce(max(until), '-infinity') AS until FROM payment_link_days_until WHERE since <= l.created_at
		) counted CROSS JOIN LATERAL (
			SELECT sum(created) AS created, sum(converted) AS converted FROM payment_link_days
			WHERE payment_link_id = l.id AND day < counted.until
		) d CROSS JOIN LATERAL (
			SELECT count(*) AS created, count(*) FILTER (WHERE status = 'PAID') AS converted FROM checkouts
			WHERE payment_link_id = l.id AND created_at >= counted.until
		) c
		WHERE l.id = ANY($1) AND l.project_id = $2 AND l.livemode = $3`, linkIDs, scope.ProjectID, scope.Environment)
	if err != nil {
		return nil, err
	}
	counts := map[string]LinkCounts{}
	var id string
	var n LinkCounts
	_, err = pgx.ForEachRow(rows, []any{&id, &n.Uses, &n.Paid}, func() error {
		counts[id] = n
		return nil
	})
	return counts, err
}
