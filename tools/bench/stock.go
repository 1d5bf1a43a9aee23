package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// stockPerSecond is the number of unpaid checkouts for each second of payments. A client
// that pays faster runs out of them, which is an error.
const stockPerSecond = 6000

// stock holds live unpaid checkouts. Each half of a round has its own, so that none is paid
// twice.
type stock struct {
	site       *site
	first, end int          // their numbers, after those of the data set
	taken      atomic.Int64 // by the product; pgbench counts for itself
}

func newStock(s *site, d *dataset) *stock { return &stock{site: s, first: d.rows + 1, end: d.rows + 1} }

// take returns the number of an unused checkout.
func (s *stock) take() int { return s.first + int(s.taken.Add(1)) - 1 }

// fill creates checkouts for a number of seconds.
func (s *stock) fill(ctx context.Context, seconds int) error {
	conn, err := pgx.Connect(ctx, s.site.postgres.URL())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	s.first, s.end = s.end, s.end+seconds*stockPerSecond
	s.taken.Store(0)
	_, err = conn.Exec(ctx,
		fmt.Sprintf(`INSERT INTO checkouts (id, project_id, livemode, amount, description, external_id, customer_name,
			customer_email, customer_document, customer_phone, metadata, txid, copy_paste, created_at, expires_at)
		SELECT %s, project_id, true, amount, description, external_id, customer_name,
			customer_email, customer_document, customer_phone, metadata, %s, copy_paste, now(), now() + interval '1 day'
		FROM generate_series(%d, %d) n, (SELECT * FROM checkouts WHERE id = '%s') model`,
			fmt.Sprintf(checkoutIDSQL, "n"), fmt.Sprintf(txIDSQL, "n"), s.first, s.end-1, checkoutID(2)))
	if err != nil {
		return fmt.Errorf("make checkouts to pay: %w", err)
	}
	return nil
}

// check fails unless all payments of the product are recorded, because its answer does not
// show whether it could pay.
func (s *stock) check(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.site.postgres.URL())
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var paid int
	err = conn.QueryRow(ctx, fmt.Sprintf(`SELECT count(*) FROM checkouts WHERE status = 'PAID' AND id IN (
		SELECT %s FROM generate_series(%d, %d) n)`, fmt.Sprintf(checkoutIDSQL, "n"), s.first,
		s.first+int(s.taken.Load())-1)).Scan(&paid)
	if err == nil && paid != int(s.taken.Load()) {
		err = fmt.Errorf("%d checkouts of %d were paid", paid, s.taken.Load())
	}
	return err
}
