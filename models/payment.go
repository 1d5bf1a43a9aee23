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

// InsertPayment writes p, unless a payment with its EndToEndID is there already:
// then it reports false. A concurrent twin is waited for.
func InsertPayment(tx *Tx, p *Payment) (inserted bool, err error) {
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		tag, err := conn.Exec(ctx, `INSERT INTO payments
			(id, livemode, end_to_end_id, txid, checkout_id, settles, amount, fee, paid_at, recorded_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (livemode, end_to_end_id) DO NOTHING`,
			p.ID, p.Livemode, p.EndToEndID, p.TxID, p.CheckoutID, p.Settles, p.Amount, p.Fee, p.PaidAt, p.RecordedAt)
		inserted = tag.RowsAffected() == 1
		return err
	})
	return inserted, err
}

// Settling is the payment that made a checkout PAID, and how far its money has come.
type Settling struct {
	EndToEndID       string
	Amount, Fee      money.Cents
	SettlementStatus SettlementStatus
}

// SettlingPayment returns the payment of a paid checkout of the scope, or ErrNotFound.
func SettlingPayment(ctx context.Context, q Querier, scope Scope, checkoutID string) (*Settling, error) {
	var p Settling
	err := q.QueryRow(ctx, `SELECT p.end_to_end_id, p.amount, p.fee, c.settlement_status
		FROM payments p JOIN checkouts c ON c.id = p.checkout_id
		WHERE p.checkout_id = $1 AND p.settles AND c.project_id = $2 AND c.livemode = $3`,
		checkoutID, scope.ProjectID, scope.Livemode).Scan(&p.EndToEndID, &p.Amount, &p.Fee, &p.SettlementStatus)
	if err != nil {
		return nil, notFound(err)
	}
	return &p, nil
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
