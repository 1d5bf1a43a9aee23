package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// makeNeutral makes a table with a primary key and one index, and fills it with as many rows as there are checkouts,
// of about their size. A request for one row of it is what pgbench can do at most for a request; the ratio to the
// product's own statements hides what these cost.
func makeNeutral(ctx context.Context, conn *pgx.Conn, rows int) error {
	for _, sql := range []string{
		"CREATE SCHEMA bench",
		`CREATE TABLE bench.neutral (id text PRIMARY KEY, owner text NOT NULL, created_at timestamptz NOT NULL,
			amount bigint NOT NULL, body text NOT NULL)`,
		"CREATE INDEX ON bench.neutral (owner, created_at)",
		fmt.Sprintf("INSERT INTO bench.neutral SELECT "+checkoutIDSQL+neutralRow+" FROM generate_series(1, %d) n",
			"n", rows),
		"VACUUM (ANALYZE) bench.neutral",
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("make the neutral table: %w", err)
		}
	}
	return nil
}

// neutralRow are the values of a row after its id.
const neutralRow = ", 'prj_0123456789abcdef0123', now(), 4990, repeat('x', 600)"

// neutralCreation inserts one row.
func neutralCreation() script {
	return script{files: []file{{choose: `\set r random(1, 9223372036854775807)`, statements: []string{
		"INSERT INTO bench.neutral VALUES (" + hexSQL("chk_", 20) + neutralRow + ") RETURNING id"}}}}
}

// neutralRead reads one random row.
func neutralRead(d *dataset) script {
	return script{middle: d.rows / 2, files: []file{{choose: fmt.Sprintf(`\set n random(1, %d)`, d.rows),
		statements: []string{"SELECT * FROM bench.neutral WHERE id = " + fmt.Sprintf(checkoutIDSQL, ":n::integer")}}}}
}

// neutralTable returns the figures of the series that have a side on the neutral table in Markdown, "" if none has.
func neutralTable(cells []cell) string {
	var b strings.Builder
	for _, c := range cells {
		ratios := c.neutralRatios()
		if len(ratios) == 0 {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("\n| Neutral table | Connections | pgbench /s | Garoupa /s | Ratio | Rounds |\n" +
				"|---|--:|--:|--:|--:|---|\n")
		}
		var rates []float64
		for _, r := range c.rounds {
			rates = append(rates, r.neutral.rate)
		}
		_, product := c.medians()
		fmt.Fprintf(&b, "| %s | %d | %s | %s | **%.2f** | %s |\n", c.series, c.connections, rate(median(rates)),
			rate(product.rate), median(ratios), decimals(ratios))
	}
	return b.String()
}

// neutralRatios returns the product's rates divided by those of the neutral table in the same round.
func (c *cell) neutralRatios() (ratios []float64) {
	for _, r := range c.rounds {
		if r.neutral.rate > 0 {
			ratios = append(ratios, r.product.rate/r.neutral.rate)
		}
	}
	return ratios
}
