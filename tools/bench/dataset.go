package main

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/ledger"
	"garoupa/models"
)

// spacing is the time between two checkouts of the data set.
const spacing = 5 * time.Second

// dataset holds the checkouts for measuring reads and lists. They are numbered from 1,
// oldest first: even ones are live, odd ones test. Everything in which they differ follows
// from the number, so pgbench and the generator ask for the same rows.
type dataset struct {
	rows    int
	start   time.Time // the creation time of number 0
	cursors map[models.Environment][]string
}

// each returns the number of checkouts in each environment.
func (d *dataset) each() int { return d.rows / 2 }

// number returns the number of an environment's checkout at a place, from 0.
func (d *dataset) number(environment models.Environment, place int) int {
	if environment == models.Live {
		return 2*place + 2
	}
	return 2*place + 1
}

// checkoutID returns the id for a number, and checkoutIDSQL the SQL of the same for an
// expression.
func checkoutID(number int) string {
	sum := md5.Sum(strconv.AppendInt(nil, int64(number), 10))
	return "chk_" + hex.EncodeToString(sum[:])[:20]
}

const (
	checkoutIDSQL = `('chk_' || left(md5(%s::text), 20))`
	txIDSQL       = `md5(%s::text)`
)

// createdAtSQL returns the SQL of the creation time of a checkout.
func (d *dataset) createdAtSQL(number string) string {
	return fmt.Sprintf("to_timestamp(%d + %d * %s)", d.start.Unix(), int(spacing.Seconds()), number)
}

// load fills the merchant's project with copies of the newest checkout of each environment:
// six in ten paid and settled, the others expired, so that no sweep has work with them. The
// books get the live payments, and a snapshot.
func load(ctx context.Context, s *site, rows int) (*dataset, error) {
	rows -= rows % 2
	d := &dataset{rows: rows, start: time.Now().Add(-time.Duration(rows)*spacing - 24*time.Hour).Truncate(time.Second)}
	conn, err := pgx.Connect(ctx, s.postgres.URL())
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	created := d.createdAtSQL("n")
	_, err = conn.Exec(ctx, fmt.Sprintf(`WITH model AS (
			SELECT DISTINCT ON (livemode) * FROM checkouts ORDER BY livemode, created_at DESC
		), numbered AS (
			SELECT n, n / 2 %% 10 < 6 AS paid FROM generate_series(1, %d) n
		)
		INSERT INTO checkouts (id, project_id, livemode, status, amount, description, external_id, customer_name,
			customer_email,
			customer_document, customer_phone, metadata, txid, copy_paste, qr_png, created_at, expires_at, paid_at,
			settlement_status, settlement_amount)
		SELECT %s, project_id, livemode, CASE WHEN paid THEN 'PAID' ELSE 'EXPIRED' END, amount, description,
			'order-' || lpad(to_hex(n), 16, '0'),
			customer_name, customer_email, customer_document, customer_phone, metadata, md5(n::text),
			copy_paste, qr_png,
			%s, %s + interval '30 minutes', CASE WHEN paid THEN %s + interval '1 minute' END,
			CASE WHEN paid THEN 'AVAILABLE' ELSE 'PENDING' END, CASE WHEN paid THEN amount * 99 / 100 END
		FROM numbered JOIN model ON livemode = (n %% 2 = 0)`,
		rows, fmt.Sprintf(checkoutIDSQL, "n"), created, created, created))
	if err != nil {
		return nil, fmt.Errorf("load checkouts: %w", err)
	}
	if err := loadBooks(ctx, conn, s.merchant.AccountID); err != nil {
		return nil, fmt.Errorf("load the books: %w", err)
	}
	if err := makeNeutral(ctx, conn, rows); err != nil {
		return nil, err
	}
	for _, settle := range []string{"VACUUM (ANALYZE) checkouts", "VACUUM (ANALYZE) ledger_transfers", "CHECKPOINT"} {
		if _, err := conn.Exec(ctx, settle); err != nil {
			return nil, fmt.Errorf("load checkouts: %w", err)
		}
	}
	return d, nil
}

// loadBooks posts the live payments and settlements of the account, three lines each, and
// takes the snapshot that the product takes every minute.
func loadBooks(ctx context.Context, conn *pgx.Conn, accountID string) error {
	pending := ledger.Account(accountID, models.Live, ledger.Pending)
	_, err := conn.Exec(ctx, `INSERT INTO ledger_transfers (fact, line, from_book, to_book, amount, recorded_at)
		SELECT l.fact, l.line, l.giver, l.taker, l.amount, c.paid_at FROM checkouts c CROSS JOIN LATERAL (VALUES
			('payment/' || c.id, 0, $1, $2, c.amount), ('payment/' || c.id, 1, $2, $3, c.amount - c.settlement_amount),
			('payment/' || c.id, 2, $2, $4, c.settlement_amount)) l (fact, line, giver, taker, amount)
		WHERE c.livemode AND c.settlement_status = 'AVAILABLE' ORDER BY c.paid_at`,
		string(ledger.Clearing(models.Live)), string(pending), string(ledger.Fees(models.Live)),
		string(ledger.Account(accountID, models.Live, ledger.Available)))
	if err != nil {
		return err
	}
	taken, err := ledger.Snapshot(ctx, conn, time.Now())
	if err == nil && taken == 0 {
		err = errors.New("no snapshot was taken")
	}
	return err
}

// follow collects the cursors of all pages of both environments, as a client receives them.
func (d *dataset) follow(s *site) error {
	conn, err := dial(s.listen)
	if err != nil {
		return err
	}
	defer conn.Close()
	d.cursors = map[models.Environment][]string{}
	for _, environment := range []models.Environment{models.Live, models.Test} {
		seen := 0
		for cursor := ""; ; {
			body, err := conn.ask(s.get(s.secret(environment), "/v1/checkouts?limit=100"+cursor))
			if err != nil {
				return err
			}
			var page checkoutPage
			if err := json.Unmarshal(body, &page); err != nil {
				return err
			}
			seen += len(page.Data)
			if page.NextCursor == "" {
				break
			}
			d.cursors[environment] = append(d.cursors[environment], page.NextCursor)
			cursor = "&cursor=" + page.NextCursor
		}
		if seen < d.each() {
			return fmt.Errorf("the list ends after %d checkouts of %d", seen, d.each())
		}
	}
	return nil
}
