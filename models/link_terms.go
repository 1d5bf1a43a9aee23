package models

import (
	"context"
	"time"

	"garoupa/internal/money"
)

// BuyerData says what the page of a payment link asks of a buyer: name and email.
type BuyerData string

// The values of BuyerData.
const (
	BuyerDataOff      BuyerData = "OFF"      // the page does not ask
	BuyerDataOptional BuyerData = "OPTIONAL" // each may be left out
	BuyerDataRequired BuyerData = "REQUIRED" // both are needed
)

// BuyerDataKinds are all values of BuyerData.
var BuyerDataKinds = []BuyerData{BuyerDataOff, BuyerDataOptional, BuyerDataRequired}

// Range is an amount between bounds, both included.
type Range struct{ Min, Max money.Cents }

// LinkTerms are how a payment link sells (docs/rules.md, "Payment links").
type LinkTerms struct {
	BuyerData   BuyerData
	MaxQuantity int        // units that one charge may have
	OpenAmount  *Range     // from which the buyer chooses; nil for the product's price
	Stock       *int       // units that the link may sell, counted from its first limit on; nil for no limit
	EndsAt      *time.Time // from when on the link sells no more; nil for never
}

// Ended reports whether the link's time is over.
func (t *LinkTerms) Ended(now time.Time) bool { return t.EndsAt != nil && !now.Before(*t.EndsAt) }

const linkTermsColumns = `l.buyer_data, l.max_quantity, l.min_amount, l.max_amount, l.stock, l.ends_at`

// bounds returns the columns of OpenAmount.
func (t *LinkTerms) bounds() (least, most *money.Cents) {
	if t.OpenAmount == nil {
		return nil, nil
	}
	return &t.OpenAmount.Min, &t.OpenAmount.Max
}

// linkUnits counts the units of a link's stock that are paid, and those that open charges hold. Without a
// stock it reads nothing.
const linkUnits = `CASE WHEN l.stock IS NULL THEN 0 ELSE (SELECT coalesce(sum(c.units), 0) FROM checkouts c
		WHERE c.payment_link_id = l.id AND c.units IS NOT NULL AND c.status = 'PAID') END,
	CASE WHEN l.stock IS NULL THEN 0 ELSE (SELECT coalesce(sum(c.units), 0) FROM checkouts c
		WHERE c.payment_link_id = l.id AND c.units IS NOT NULL AND c.status = 'PENDING') END`

// LinkUnits counts the units of a link that the caller has locked: those that are paid, and those that open charges
// hold. Charges from before the link had a stock have none.
func LinkUnits(tx *Tx, id string) (sold, held int, err error) {
	_, err = within(tx, func(ctx context.Context, q Querier) (none struct{}, err error) {
		return none, q.QueryRow(ctx, `SELECT coalesce(sum(units) FILTER (WHERE status = 'PAID'), 0),
			coalesce(sum(units) FILTER (WHERE status = 'PENDING'), 0)
			FROM checkouts WHERE payment_link_id = $1 AND units IS NOT NULL AND status IN ('PAID', 'PENDING')`, id).
			Scan(&sold, &held)
	})
	return sold, held, err
}

// Left returns the units that a new charge may have, nil without a limit. Units that open charges hold are
// not among them.
func (l *PaymentLink) Left() *int {
	if l.Stock == nil {
		return nil
	}
	left := max(*l.Stock-l.Sold-l.Held, 0)
	return &left
}

// Oversold returns how many units were paid beyond the stock. A payment is never refused for lack of
// stock, so this happens when a charge is paid after its units went to others.
func (l *PaymentLink) Oversold() int {
	if l.Stock == nil {
		return 0
	}
	return max(l.Sold-*l.Stock, 0)
}
