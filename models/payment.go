package models

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// Payment is a Pix payment that arrived at the institution.
type Payment struct {
	ID          string
	Environment Environment `gorm:"column:livemode"`
	EndToEndID  string      // assigned by an institution, unique in its environment
	TxID        string
	CheckoutID  *string // nil if no checkout has this TxID
	Settles     bool    // the payment made the checkout PAID
	Amount      money.Cents
	Fee         money.Cents
	PaidAt      time.Time // the institution's time
	RecordedAt  time.Time
	// BankAccountID is the account that received the payment, nil at the simulator.
	BankAccountID *string
}

// PaymentName identifies a payment at an institution.
type PaymentName struct {
	Environment Environment
	EndToEndID  string
}

// paymentClass is the class of advisory locks of payments.
const paymentClass = 0x67617270 // "garp"

// TakePaymentNames takes advisory locks on payments without a checkout to lock, until tx ends,
// and returns those that it locked. The others are locked by transactions that are writing
// these payments; it does not wait for them.
func TakePaymentNames(tx *Tx, names []PaymentName) (taken map[PaymentName]bool, err error) {
	const free = "SELECT livemode, id FROM given WHERE pg_try_advisory_xact_lock(%d, hashtext(id))"
	return filterPaymentNames(tx, fmt.Sprintf(free, paymentClass), names)
}

// RecordedPayments returns the names whose payments are recorded.
func RecordedPayments(tx *Tx, names []PaymentName) (recorded map[PaymentName]bool, err error) {
	return filterPaymentNames(tx, `SELECT p.livemode, p.end_to_end_id FROM payments p
		JOIN given ON p.livemode = given.livemode AND p.end_to_end_id = given.id`, names)
}

// KnownPayments returns the EndToEndIDs whose payments are recorded in an environment.
func KnownPayments(ctx context.Context, q Querier, environment Environment, ids []string) (map[string]bool, error) {
	rows, err := q.Query(ctx, "SELECT end_to_end_id FROM payments WHERE livemode = $1 AND end_to_end_id = ANY($2)",
		environment, ids)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	var id string
	_, err = pgx.ForEachRow(rows, []any{&id}, func() error {
		known[id] = true
		return nil
	})
	return known, err
}

func filterPaymentNames(tx *Tx, query string, names []PaymentName) (found map[PaymentName]bool, err error) {
	found = map[PaymentName]bool{}
	if len(names) == 0 {
		return found, nil
	}
	live, ids := make([]bool, len(names)), make([]string, len(names))
	for i, n := range names {
		live[i], ids[i] = bool(n.Environment), n.EndToEndID
	}
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		const given = "WITH given AS (SELECT * FROM unnest($1::boolean[], $2::text[]) AS t (livemode, id)) "
		rows, err := conn.Query(ctx, given+query, live, ids)
		if err != nil {
			return err
		}
		var n PaymentName
		_, err = pgx.ForEachRow(rows, []any{&n.Environment, &n.EndToEndID}, func() error {
			found[n] = true
			return nil
		})
		return err
	})
	return found, err
}

// InsertPayments writes payments, except those whose EndToEndID exists already, and returns
// the ids of those it wrote. It waits for a transaction that is writing the same payment.
func InsertPayments(tx *Tx, payments []Payment) (written map[string]bool, err error) {
	n := len(payments)
	ids, endToEnd, txIDs := make([]string, n), make([]string, n), make([]string, n)
	checkouts, banks := make([]*string, n), make([]*string, n)
	live, settles := make([]bool, n), make([]bool, n)
	amounts, fees := make([]int64, n), make([]int64, n)
	paid, recorded := make([]time.Time, n), make([]time.Time, n)
	for i, p := range payments {
		ids[i], live[i], endToEnd[i], txIDs[i] = p.ID, bool(p.Environment), p.EndToEndID, p.TxID
		checkouts[i], settles[i], banks[i] = p.CheckoutID, p.Settles, p.BankAccountID
		amounts[i], fees[i], paid[i], recorded[i] = int64(p.Amount), int64(p.Fee), p.PaidAt, p.RecordedAt
	}
	written = make(map[string]bool, n)
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		// One order for all transactions, so that those with the same payments wait and do not
		// deadlock.
		rows, err := conn.Query(ctx,
			`INSERT INTO payments (id, livemode, end_to_end_id, txid, checkout_id, settles, amount, fee, paid_at,
				recorded_at, bank_account_id)
			SELECT * FROM unnest($1::text[], $2::boolean[], $3::text[], $4::text[], $5::text[], $6::boolean[],
				$7::bigint[], $8::bigint[], $9::timestamptz[], $10::timestamptz[],
				$11::text[])
				AS t (id, livemode, end_to_end_id, txid, checkout_id, settles, amount, fee, paid_at, recorded_at,
				bank_account_id)
			ORDER BY end_to_end_id ON CONFLICT (livemode, end_to_end_id) DO NOTHING RETURNING id`,
			ids, live, endToEnd, txIDs, checkouts, settles, amounts, fees, paid, recorded, banks)
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

// ReceivedPayment is a payment with the account that it credited.
type ReceivedPayment struct {
	Payment
	AccountID string
	Own       bool // it arrived at the account's own bank account
}

// LockPayment returns a payment that made its checkout PAID, of any account, and locks its row
// until tx ends, or returns ErrNotFound.
func LockPayment(tx *Tx, id string) (*ReceivedPayment, error) {
	if !paymentShape.fits(id) {
		return nil, ErrNotFound
	}
	var p ReceivedPayment
	err := tx.PGX(func(ctx context.Context, conn Querier) error {
		return conn.QueryRow(ctx,
			`SELECT p.id, p.livemode, p.end_to_end_id, p.txid, p.checkout_id, p.settles, p.amount, p.fee,
				p.paid_at, p.recorded_at, p.bank_account_id, j.account_id, b.account_id IS NOT NULL
			FROM payments p JOIN checkouts c ON c.id = p.checkout_id JOIN projects j ON j.id = c.project_id
			LEFT JOIN bank_accounts b ON b.id = p.bank_account_id
			WHERE p.id = $1 AND p.settles FOR NO KEY UPDATE OF p`, id).Scan(&p.ID, &p.Environment, &p.EndToEndID,
			&p.TxID, &p.CheckoutID, &p.Settles, &p.Amount, &p.Fee, &p.PaidAt, &p.RecordedAt,
			&p.BankAccountID, &p.AccountID, &p.Own)
	})
	if err != nil {
		return nil, notFound(err)
	}
	return &p, nil
}

// CheckoutOfPayment returns the checkout that a payment made PAID, or ErrNotFound.
func CheckoutOfPayment(tx *Tx, paymentID string) (checkoutID string, err error) {
	if !paymentShape.fits(paymentID) {
		return "", ErrNotFound
	}
	return checkoutID, tx.Scan("SELECT checkout_id FROM payments WHERE id = $1 AND settles", []any{paymentID},
		&checkoutID)
}

// PaymentOfCheckout returns the payment that made a checkout of the scope PAID, or ErrNotFound.
func PaymentOfCheckout(tx *Tx, scope Scope, checkoutID string) (paymentID string, err error) {
	return paymentID, tx.Scan(`SELECT p.id FROM payments p JOIN checkouts c ON c.id = p.checkout_id
		WHERE c.id = $1 AND c.project_id = $2 AND c.livemode = $3 AND p.settles`,
		[]any{checkoutID, scope.ProjectID, scope.Environment}, &paymentID)
}

// SettlingPayment returns the payment with an EndToEndID if it made its checkout PAID, or ErrNotFound.
func SettlingPayment(tx *Tx, environment Environment, endToEndID string) (paymentID string, err error) {
	return paymentID, tx.Scan("SELECT id FROM payments WHERE livemode = $1 AND end_to_end_id = $2 AND settles",
		[]any{environment, endToEndID}, &paymentID)
}

// PaymentNamed returns the payment with an EndToEndID, or ErrNotFound.
func PaymentNamed(tx *Tx, environment Environment, endToEndID string) (paymentID string, err error) {
	return paymentID, tx.Scan("SELECT id FROM payments WHERE livemode = $1 AND end_to_end_id = $2",
		[]any{environment, endToEndID}, &paymentID)
}

// PaymentsOf lists the payments for a checkout of any account, for staff, oldest first.
func PaymentsOf(ctx context.Context, q Querier, checkoutID string) ([]Payment, error) {
	rows, err := q.Query(ctx,
		`SELECT id, livemode, end_to_end_id, txid, checkout_id, settles, amount, fee, paid_at, recorded_at,
			bank_account_id
		FROM payments WHERE checkout_id = $1 ORDER BY recorded_at, id LIMIT 100`, checkoutID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Payment])
}
