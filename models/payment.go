package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/money"
)

// Payment is a Pix that arrived at the institution.
type Payment struct {
	ID         string
	Livemode   bool
	EndToEndID string // the institution's, unique in its environment
	TxID       string
	CheckoutID *string // nil: no checkout has this TxID
	Settles    bool    // it made the checkout PAID
	Amount     money.Cents
	Fee        money.Cents
	PaidAt     time.Time // the institution's time
	RecordedAt time.Time
}

// InsertPayments writes payments, but for those whose EndToEndID is there already, and
// returns the ids of those it wrote. A concurrent twin is waited for.
func InsertPayments(tx *Tx, payments []Payment) (written map[string]bool, err error) {
	n := len(payments)
	ids, endToEnd, txIDs, checkouts := make([]string, n), make([]string, n), make([]string, n), make([]*string, n)
	live, settles := make([]bool, n), make([]bool, n)
	amounts, fees := make([]int64, n), make([]int64, n)
	paid, recorded := make([]time.Time, n), make([]time.Time, n)
	for i, p := range payments {
		ids[i], live[i], endToEnd[i], txIDs[i], checkouts[i], settles[i] = p.ID, p.Livemode, p.EndToEndID, p.TxID, p.CheckoutID, p.Settles
		amounts[i], fees[i], paid[i], recorded[i] = int64(p.Amount), int64(p.Fee), p.PaidAt, p.RecordedAt
	}
	written = make(map[string]bool, n)
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		// In one order, so that whoever writes the same ones waits and does not lock up.
		rows, err := conn.Query(ctx, `INSERT INTO payments (id, livemode, end_to_end_id, txid, checkout_id, settles, amount, fee, paid_at, recorded_at)
			SELECT * FROM unnest($1::text[], $2::boolean[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::bigint[], $8::bigint[],
				$9::timestamptz[], $10::timestamptz[])
				AS t (id, livemode, end_to_end_id, txid, checkout_id, settles, amount, fee, paid_at, recorded_at)
			ORDER BY end_to_end_id ON CONFLICT (livemode, end_to_end_id) DO NOTHING RETURNING id`,
			ids, live, endToEnd, txIDs, checkouts, settles, amounts, fees, paid, recorded)
		if err != nil {
			return err
		}
		var id string
		_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
			written[id] = true
			return nil
		})
		return err
	})
	return written, err
}

// ReceivedPayment is a payment with the account that it credited, for whoever acts
// on it.
type ReceivedPayment struct {
	Payment
	AccountID string
}

// LockPayment returns a payment that made its checkout PAID, of any account, and
// holds its row until tx ends; or ErrNotFound.
func LockPayment(tx *Tx, id string) (*ReceivedPayment, error) {
	if !wellFormed(id, "pay_", 20) {
		return nil, ErrNotFound
	}
	var p ReceivedPayment
	err := tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT p.id, p.livemode, p.end_to_end_id, p.txid, p.checkout_id, p.settles, p.amount, p.fee,
				p.paid_at, p.recorded_at, j.account_id
			FROM payments p JOIN checkouts c ON c.id = p.checkout_id JOIN projects j ON j.id = c.project_id
			WHERE p.id = $1 AND p.settles FOR NO KEY UPDATE OF p`, id).Scan(&p.ID, &p.Livemode, &p.EndToEndID, &p.TxID, &p.CheckoutID,
			&p.Settles, &p.Amount, &p.Fee, &p.PaidAt, &p.RecordedAt, &p.AccountID)
	})
	if err != nil {
		return nil, notFound(err)
	}
	return &p, nil
}

// PaymentsOf lists the payments that were meant for a checkout of any account, for
// staff, the oldest first.
func PaymentsOf(ctx context.Context, q Querier, checkoutID string) ([]Payment, error) {
	rows, err := q.Query(ctx, `SELECT id, livemode, end_to_end_id, txid, checkout_id, settles, amount, fee, paid_at, recorded_at
		FROM payments WHERE checkout_id = $1 ORDER BY recorded_at, id LIMIT 100`, checkoutID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Payment])
}
