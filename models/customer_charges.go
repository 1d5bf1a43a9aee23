package models

import (
	"context"
	"time"

	"garoupa/internal/money"
)

// CustomerCheckouts lists the checkouts of a customer, newest first, paged by keyset; with a status only those.
func CustomerCheckouts(ctx context.Context, q Reader, scope Scope, c *Customer, f CheckoutFilter) ([]Checkout, error) {
	query := &checkoutQuery{where{args: []any{scope.ProjectID, scope.Environment, f.Limit, c.CheckoutID}}}
	// The charges of a customer who has many are not far from each other in the list.
	of := customerKey + " = (SELECT " + customerKey + " FROM checkouts c WHERE c.id = $4)"
	if c.Charges < fewMatches {
		of = "c.id IN (SELECT m.id FROM checkouts k CROSS JOIN LATERAL " + ofCustomer + " m WHERE k.id = $4)"
	}
	search := CheckoutSearch{Status: f.Status, After: f.After}
	rows, err := q.Query(ctx, "SELECT "+checkoutColumns+` FROM checkouts c
		WHERE c.project_id = $1 AND c.livemode = $2 AND `+of+query.status(search)+query.period(search)+
		" ORDER BY c.created_at DESC, c.id DESC LIMIT $3", query.args...)
	if err != nil {
		return nil, err
	}
	return collectCheckouts(rows, f.Limit)
}

// CustomerLink is a payment link at which a customer bought.
type CustomerLink struct {
	PaymentLinkID string
	Product       string // its name
	Paid          int
	PaidAmount    money.Cents
	LastPaid      time.Time
}

// CustomerLinks returns the payment links at which the customer paid most often, a few at most, of the charges that
// CustomerByID reads.
func CustomerLinks(ctx context.Context, q Reader, c *Customer, limit int) ([]CustomerLink, error) {
	return collect[CustomerLink](ctx, q, `SELECT m.payment_link_id, p.name AS product, m.paid, m.paid_amount,
			m.last_paid
		FROM (SELECT m.payment_link_id, count(*) AS paid, sum(m.amount)::bigint AS paid_amount,
				max(m.paid_at) AS last_paid
			FROM (SELECT m.* FROM checkouts k CROSS JOIN LATERAL `+ofCustomer+` m WHERE k.id = $1 LIMIT $2) m
			WHERE m.status = 'PAID' AND m.payment_link_id IS NOT NULL
			GROUP BY m.payment_link_id ORDER BY paid DESC, last_paid DESC LIMIT $3) m
		JOIN payment_links l ON l.id = m.payment_link_id JOIN products p ON p.id = l.product_id
		ORDER BY m.paid DESC, m.last_paid DESC`, c.CheckoutID, SummedCheckouts, limit)
}

// CustomerRefunds lists the latest refunds of a customer, newest first, of the charges that a list sums up.
func CustomerRefunds(ctx context.Context, q Reader, c *Customer, limit int) ([]Refund, error) {
	return collect[Refund](ctx, q, refundQuery+`WHERE c.id IN (SELECT m.id FROM checkouts k CROSS JOIN LATERAL `+
		ofCustomer+` m WHERE k.id = $1 AND m.status = 'PAID' LIMIT $2) ORDER BY r.created_at DESC, r.id DESC LIMIT $3`,
		c.CheckoutID, ListedCharges, limit)
}
