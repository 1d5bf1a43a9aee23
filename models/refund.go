package models

import (
	"context"
	"time"

	"garoupa/internal/money"
)

// RefundStatus is the state of a refund.
type RefundStatus string

const (
	RefundRequested  RefundStatus = "REQUESTED"  // the bank is to be asked
	RefundProcessing RefundStatus = "PROCESSING" // the bank is at work
	RefundCompleted  RefundStatus = "COMPLETED"  // the buyer has the money
	RefundFailed     RefundStatus = "FAILED"     // the account has the money again
)

// RefundOrigin says who asked for a refund.
type RefundOrigin string

const (
	RefundByMember  RefundOrigin = "MEMBER"
	RefundByStaff   RefundOrigin = "STAFF"
	RefundByAPI     RefundOrigin = "API"
	RefundByBank    RefundOrigin = "BANK"    // made in the bank's app, and found there
	RefundByDispute RefundOrigin = "DISPUTE" // taken by the bank after the buyer contested the payment
)

// OperationRefund is the idempotency scope of refunds. Their keys belong to the project.
const OperationRefund = "refund"

// Refund is money of a payment that goes back to its buyer.
type Refund struct {
	ID          string
	PaymentID   string
	AccountID   string
	Environment Environment `gorm:"column:livemode" db:"livemode"`
	Number      int         // among the payment's refunds, from 1; 0 if older than the numbering
	Status      RefundStatus
	Origin      RefundOrigin
	Amount      money.Cents
	Reason      string
	// Where the amount came from, besides available money, and what went back to pending after a failure.
	FromPending, FromBlocked, BackToPending money.Cents
	FromPaidOut                             money.Cents // from the merchant's own bank account, after the settlement
	Short                                   money.Cents // what available money lacked for it
	ReturnID                                *string     // assigned by the payment system or noted by staff
	BankReturnID                            *string     // its id in its Pix at the bank
	Failure                                 string      // in the bank's words
	DisputeID                               *string     // that FromBlocked was blocked for
	CreatedBy                               *string     // a user id; nil for other origins than a person
	CreatedAt                               time.Time
	Tries                                   int        // how often the bank was asked
	NextTryAt                               *time.Time // nil if the bank need not be asked
	EndedAt                                 *time.Time

	// Of the payment and its checkout, when read.
	EndToEndID    string
	CheckoutID    string  // "" of a payment for none, which staff gave to the account
	ProjectID     string  // of the checkout
	BankAccountID *string // nil at the simulator
}

// FromAvailable is what came from the account's available money.
func (r *Refund) FromAvailable() money.Cents {
	return r.Amount - r.FromPending - r.FromBlocked - r.FromPaidOut
}

// Noted reports whether staff noted a return that they made by hand, and no return at the bank is known to be it.
func (r *Refund) Noted() bool {
	return r.Origin == RefundByStaff && r.Status == RefundCompleted && r.BankReturnID == nil
}

// Position is the refund's place in lists.
func (r Refund) Position() Position { return Position{r.CreatedAt, r.ID} }

// Refunded sums up the refunds of a payment that did not fail.
type Refunded struct {
	Sum         money.Cents
	FromPending money.Cents // less what went back there
	Short       money.Cents
	Count       int  // failed ones too
	UnderWay    bool // the bank is to be asked about one
}

// RefundedOf sums up the refunds of a payment. The result is complete if the caller has locked the
// payment.
func RefundedOf(tx *Tx, paymentID string) (r Refunded, err error) {
	err = tx.Scan(`SELECT coalesce(sum(amount) FILTER (WHERE status <> 'FAILED'), 0)::bigint,
			coalesce(sum(from_pending - back_to_pending), 0)::bigint,
			coalesce(sum(short) FILTER (WHERE status <> 'FAILED'), 0)::bigint, count(*), count(next_try_at) > 0
		FROM refunds WHERE payment_id = $1`, []any{paymentID}, &r.Sum, &r.FromPending, &r.Short, &r.Count, &r.UnderWay)
	return r, err
}

// RefundsNumberUnique is the index that makes the numbers of a payment's refunds unique.
const RefundsNumberUnique = "refunds_number_unique"

// RefundsWithinPayment is the constraint that limits the refunds of a payment to the amount
// that was paid.
const RefundsWithinPayment = "refunds_within_payment"

// RefundsReturnIDUnique is the constraint that makes ReturnIDs unique.
const RefundsReturnIDUnique = "refunds_return_id_unique"

// returnClass sets the locks of LockReturn apart from all others.
const returnClass = 0x67617274 // "gart"

// LockReturn keeps others from booking a return of the institution in the environment until
// tx ends, and reports whether a refund or an exception has booked the return.
func LockReturn(tx *Tx, environment Environment, returnID string) (booked bool, err error) {
	// Apart from the read: a statement that waited for the lock would not see what was booked.
	if err := tx.exec("SELECT pg_advisory_xact_lock($1, hashtext($2))", returnClass, returnID); err != nil {
		return false, err
	}
	err = tx.Scan(`SELECT EXISTS (SELECT FROM refunds WHERE livemode = $1 AND return_id = $2)
		OR EXISTS (SELECT FROM payment_exceptions x JOIN payments p ON p.id = x.payment_id
			WHERE p.livemode = $1 AND x.return_id = $2)`, []any{environment, returnID}, &booked)
	return booked, err
}

const refundColumns = `r.id, r.payment_id, r.account_id, r.livemode, coalesce(r.number, 0) AS number, r.status,
	r.origin, r.amount, r.reason, r.from_pending, r.from_blocked, r.back_to_pending,
	r.from_paid_out, r.short, r.return_id, r.bank_return_id, r.failure, r.dispute_id, r.created_by, r.created_at,
	r.tries, r.next_try_at, r.ended_at,
	p.end_to_end_id, coalesce(p.checkout_id, '') AS checkout_id, coalesce(c.project_id, '') AS project_id,
	p.bank_account_id`

const refundQuery = "SELECT " + refundColumns + ` FROM refunds r JOIN payments p ON p.id = r.payment_id
	LEFT JOIN checkouts c ON c.id = p.checkout_id `

// InsertRefund writes a refund. Too large an amount violates RefundsWithinPayment, and a
// number that the payment has already violates RefundsNumberUnique.
func InsertRefund(tx *Tx, r *Refund) error {
	return tx.exec(`INSERT INTO refunds (id, payment_id, account_id, livemode, number, status, origin, amount, reason,
			from_pending, from_blocked, short, return_id, bank_return_id, created_by, created_at,
			next_try_at, ended_at, dispute_id, from_paid_out)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
			$20)`,
		r.ID, r.PaymentID, r.AccountID, r.Environment, r.Number, r.Status, r.Origin, r.Amount, r.Reason,
		r.FromPending, r.FromBlocked, r.Short, r.ReturnID, r.BankReturnID, r.CreatedBy, r.CreatedAt,
		r.NextTryAt, r.EndedAt, r.DisputeID, r.FromPaidOut)
}

// SaveRefund writes what has become of a refund that the caller has locked.
func SaveRefund(tx *Tx, r *Refund) error {
	return tx.exec(`UPDATE refunds SET status = $2, back_to_pending = $3, return_id = $4, bank_return_id = $5,
			failure = left($6, 200), next_try_at = $7, ended_at = $8
		WHERE id = $1`,
		r.ID, r.Status, r.BackToPending, r.ReturnID, r.BankReturnID, r.Failure, r.NextTryAt, r.EndedAt)
}

// Refunds lists the refunds of a checkout's payments in the scope, oldest first.
func Refunds(ctx context.Context, q Querier, scope Scope, checkoutID string) ([]Refund, error) {
	return collect[Refund](ctx, q, refundQuery+`WHERE c.id = $1 AND c.project_id = $2 AND c.livemode = $3
		ORDER BY r.created_at, r.id`, checkoutID, scope.ProjectID, scope.Environment)
}

// RefundByID returns a refund of the scope, or ErrNotFound.
func RefundByID(ctx context.Context, q Querier, scope Scope, id string) (*Refund, error) {
	if !refundShape.fits(id) {
		return nil, ErrNotFound
	}
	return one[Refund](ctx, q, refundQuery+"WHERE r.id = $1 AND c.project_id = $2 AND c.livemode = $3",
		id, scope.ProjectID, scope.Environment)
}

// RefundFilter narrows a list of refunds.
type RefundFilter struct {
	CheckoutID string    // "" for all
	After      *Position // the last row of the previous page
	Limit      int
}

// ListRefunds lists the refunds of the scope, newest first, paged by keyset.
func ListRefunds(ctx context.Context, q Reader, scope Scope, f RefundFilter) ([]Refund, error) {
	query := where{args: []any{f.Limit, scope.ProjectID, scope.Environment}}
	if f.CheckoutID != "" {
		query.and("c.id = %s", f.CheckoutID)
	}
	query.after("r.created_at, r.id", "<", f.After)
	return collect[Refund](ctx, q, refundQuery+`WHERE c.project_id = $2 AND r.livemode = $3
		AND r.account_id = (SELECT account_id FROM projects WHERE id = $2)`+query.sql+
		" ORDER BY r.created_at DESC, r.id DESC LIMIT $1", query.args...)
}

// RefundAtBank returns the refund that a bank knows by an id in a Pix, or by the id that the payment
// system gave it, or ErrNotFound. A refund that was asked for here is known by its own id without the
// underscore, also before the bank's answer was stored. One that staff noted may have either id as its ReturnID. A
// failed one is returned only if no other is known.
func RefundAtBank(tx *Tx, paymentID, bankReturnID, returnID string) (*Refund, error) {
	return within(tx, func(ctx context.Context, q Querier) (*Refund, error) {
		return one[Refund](ctx, q, refundQuery+`WHERE r.payment_id = $1
			AND (r.bank_return_id = $2 OR replace(r.id, '_', '') = $2 OR r.return_id = nullif($3, '')
				OR r.bank_return_id IS NULL AND r.return_id = $2)
			ORDER BY r.status = 'FAILED', r.bank_return_id IS NULL, r.created_at, r.id`, paymentID, bankReturnID,
			returnID)
	})
}

// FreeReturn takes the ids of the return that a refund books from a failed refund of the payment that has them. The
// caller must have locked the payment.
func FreeReturn(tx *Tx, by *Refund) error {
	return tx.exec(`UPDATE refunds SET bank_return_id = NULL, return_id = NULL
		WHERE payment_id = $1 AND status = 'FAILED' AND (bank_return_id = $2 OR return_id = $3)`,
		by.PaymentID, by.BankReturnID, by.ReturnID)
}

// NotedRefund returns the oldest refund of an amount that staff noted of a payment, and of which no return at the
// bank is known, or ErrNotFound. Those with one of these ids, which other returns have, come last. The caller must
// have locked the payment.
func NotedRefund(tx *Tx, paymentID string, amount money.Cents, ofOthers []string) (*Refund, error) {
	return within(tx, func(ctx context.Context, q Querier) (*Refund, error) {
		return one[Refund](ctx, q, refundQuery+`WHERE r.payment_id = $1 AND r.amount = $2 AND r.origin = 'STAFF'
			AND r.status = 'COMPLETED' AND r.bank_return_id IS NULL
			ORDER BY coalesce(r.return_id = ANY($3), false), r.created_at, r.id LIMIT 1`, paymentID, amount, ofOthers)
	})
}

// LockRefund returns a refund of any account. The caller must have locked its checkout and its payment.
func LockRefund(tx *Tx, id string) (*Refund, error) {
	return within(tx, func(ctx context.Context, q Querier) (*Refund, error) {
		return one[Refund](ctx, q, refundQuery+"WHERE r.id = $1 FOR UPDATE OF r", id)
	})
}

// ClaimRefunds returns refunds that their institution is to be asked about: those of payments at a bank
// account, or, if bankAccountID is nil, those of the simulator. It puts their next try off until the lease
// is over, so that another process asks if this one ends.
func ClaimRefunds(ctx context.Context, q Querier, bankAccountID *string, now time.Time, lease time.Duration,
	limit int) ([]Refund, error) {
	return collect[Refund](ctx, q, `WITH due AS (
			SELECT r.id FROM refunds r JOIN payments p ON p.id = r.payment_id
			WHERE r.next_try_at <= $2 AND p.bank_account_id IS NOT DISTINCT FROM $1::text
			ORDER BY r.next_try_at LIMIT $4 FOR UPDATE OF r SKIP LOCKED
		), claimed AS (
			UPDATE refunds r SET next_try_at = $3, tries = r.tries + 1 FROM due WHERE r.id = due.id RETURNING r.*
		)
		SELECT `+refundColumns+` FROM claimed r JOIN payments p ON p.id = r.payment_id
			JOIN checkouts c ON c.id = p.checkout_id`, bankAccountID, now, now.Add(lease), limit)
}
