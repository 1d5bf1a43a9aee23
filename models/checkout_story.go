package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// CheckoutStory is the history of a checkout, beyond what the API returns.
type CheckoutStory struct {
	ClosedAt  *time.Time // when it expired or was canceled
	SettlesAt *time.Time // when its money becomes or became available; nil until paid
	Payments  []CheckoutPayment
}

// CheckoutPayment is a Pix payment for the charge of a checkout.
type CheckoutPayment struct {
	ID         string
	EndToEndID string
	Settles    bool // this payment made the checkout PAID
	Amount     money.Cents
	Fee        money.Cents
	PaidAt     time.Time
	Own        bool               // the money is at the merchant's own bank account
	Kind       *ExceptionKind     // why it did not change the checkout; nil if it settles
	Decision   *ExceptionDecision // what staff decided; nil before that
	BankStatus *BankAccountStatus // of the account that received it; nil without a bank. SettlingPayments leaves it out
}

// CheckoutStoryByID returns the story of a checkout of the scope, with its payments in the
// order of their arrival, or ErrNotFound.
func CheckoutStoryByID(ctx context.Context, q Querier, scope Scope, id string) (*CheckoutStory, error) {
	var story CheckoutStory
	err := q.QueryRow(ctx,
		"SELECT closed_at, settles_at FROM checkouts WHERE id = $1 AND project_id = $2 AND livemode = $3",
		id, scope.ProjectID, scope.Environment).Scan(&story.ClosedAt, &story.SettlesAt)
	if err != nil {
		return nil, notFound(err)
	}
	rows, err := q.Query(ctx,
		`SELECT p.id, p.end_to_end_id, p.settles, p.amount, p.fee + coalesce(x.fee, 0), p.paid_at,
			b.account_id IS NOT NULL, x.kind, x.decision, b.status
		FROM payments p LEFT JOIN payment_exceptions x ON x.payment_id = p.id
			LEFT JOIN bank_accounts b ON b.id = p.bank_account_id
		WHERE p.checkout_id = $1 ORDER BY p.recorded_at, p.id`, id)
	if err != nil {
		return nil, err
	}
	story.Payments, err = pgx.CollectRows(rows, pgx.RowToStructByPos[CheckoutPayment])
	return &story, err
}

// Refunded is how much of the payment that made the checkout PAID went back or is to go back, of the checkout's
// refunds.
func (s *CheckoutStory) Refunded(refunds []Refund) (sum money.Cents) {
	for _, p := range s.Payments {
		for _, r := range refunds {
			if p.Settles && r.PaymentID == p.ID && r.Status != RefundFailed {
				sum += r.Amount
			}
		}
	}
	return sum
}

// SettlingPayments returns the payments that made checkouts PAID, by checkout id. The caller
// must have found the checkouts within its scope.
func SettlingPayments(ctx context.Context, q Reader, checkoutIDs []string) (map[string]CheckoutPayment, error) {
	rows, err := q.Query(ctx, `SELECT p.checkout_id, p.id, p.end_to_end_id, p.amount, p.fee, p.paid_at,
			b.account_id IS NOT NULL
		FROM payments p LEFT JOIN bank_accounts b ON b.id = p.bank_account_id
		WHERE p.checkout_id = ANY($1) AND p.settles`, checkoutIDs)
	if err != nil {
		return nil, err
	}
	byCheckout := map[string]CheckoutPayment{}
	var checkout string
	p := CheckoutPayment{Settles: true}
	targets := []any{&checkout, &p.ID, &p.EndToEndID, &p.Amount, &p.Fee, &p.PaidAt, &p.Own}
	_, err = pgx.ForEachRow(rows, targets, func() error {
		byCheckout[checkout] = p
		return nil
	})
	return byCheckout, err
}
