package models

import (
	"context"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// Sale is a paid checkout with its money, as payments and refunds were recorded and posted.
type Sale struct {
	CheckoutID, ExternalID, Description string
	CustomerName                        *string
	EndToEndID                          string
	Gross, Fee                          money.Cents
	Refunded                            money.Cents // by refunds that did not fail
	PaidAt                              time.Time
	Settlement                          SettlementStatus
	FreeAt                              *time.Time // when the money becomes or became available; nil for old checkouts
	Own                                 bool       // the money is at the merchant's own bank account
}

// Net is what the account keeps of the sale.
func (s Sale) Net() money.Cents { return s.Gross - s.Fee - s.Refunded }

// Position is the sale's place in lists.
func (s Sale) Position() Position { return Position{s.PaidAt, s.CheckoutID} }

// SaleFilter narrows a list of sales. The zero value selects everything.
type SaleFilter struct {
	From, Until time.Time // bounds of PaidAt: From is inclusive, Until exclusive; zero means no bound
	After       *Position // the last sale of the previous page
	Limit       int
}

// SaleSum is how many sales there are, and their money.
type SaleSum struct {
	Count                int
	Gross, Fee, Refunded money.Cents
	More                 bool // there are more than Count; their money is unknown
}

// Net is what the account keeps of the sales.
func (s SaleSum) Net() money.Cents { return s.Gross - s.Fee - s.Refunded }

// saleMoney adds the payment p and the sum r of its refunds to a paid checkout c. Each is looked up by index,
// whatever the planner expects.
const saleMoney = ` CROSS JOIN LATERAL (SELECT p.* FROM payments p WHERE p.checkout_id = c.id AND p.settles LIMIT 1) p
	CROSS JOIN LATERAL (SELECT coalesce(sum(r.amount), 0)::bigint AS refunded FROM refunds r
		WHERE r.payment_id = p.id AND r.status <> 'FAILED') r`

// soldBy returns a query of the ids of the paid checkouts that a filter selects, latest payment first.
func soldBy(scope Scope, f SaleFilter) where {
	w := where{args: []any{scope.ProjectID, scope.Environment}}
	if !f.From.IsZero() {
		w.and("c.paid_at >= %s", f.From)
	}
	if !f.Until.IsZero() {
		w.and("c.paid_at < %s", f.Until)
	}
	if f.After != nil { // the first condition makes it a range of the index, which has no ids
		w.and("c.paid_at <= %s", f.After.CreatedAt)
	}
	w.after("c.paid_at, c.id", "<", f.After)
	w.sql = ` FROM checkouts c WHERE c.project_id = $1 AND c.livemode = $2 AND c.status = 'PAID'` + w.sql +
		" ORDER BY c.paid_at DESC, c.id DESC LIMIT " + w.arg(f.Limit)
	return w
}

// Sales lists the paid checkouts of the scope, latest payment first, paged by keyset.
func Sales(ctx context.Context, q Reader, scope Scope, f SaleFilter) ([]Sale, error) {
	sold := soldBy(scope, f)
	rows, err := q.Query(ctx, `SELECT c.id, c.external_id, c.description, c.customer_name, p.end_to_end_id, p.amount,
			p.fee, r.refunded, c.paid_at, c.settlement_status, c.settles_at, b.account_id IS NOT NULL
		FROM (SELECT c.*`+sold.sql+`) c`+saleMoney+`
		LEFT JOIN bank_accounts b ON b.id = p.bank_account_id ORDER BY c.paid_at DESC, c.id DESC`, sold.args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Sale])
}

// CountSales counts the sales of the filter, up to its Limit.
func CountSales(ctx context.Context, q Reader, scope Scope, f SaleFilter) (count int, err error) {
	sold := soldBy(scope, f)
	err = q.QueryRow(ctx, "SELECT count(*) FROM (SELECT c.paid_at"+sold.sql+") c", sold.args...).Scan(&count)
	return count, err
}

// SumSales sums up the sales of the filter: all of them, or if Limit is not 0 up to Limit.
func SumSales(ctx context.Context, q Reader, scope Scope, f SaleFilter) (sum SaleSum, err error) {
	most := f.Limit
	if most == 0 {
		f.Limit = math.MaxInt
	} else {
		f.Limit++
	}
	sold := soldBy(scope, f)
	err = q.QueryRow(ctx, `SELECT count(*), coalesce(sum(p.amount), 0)::bigint, coalesce(sum(p.fee), 0)::bigint,
			coalesce(sum(r.refunded), 0)::bigint
		FROM (SELECT c.id`+sold.sql+`) c`+saleMoney, sold.args...).
		Scan(&sum.Count, &sum.Gross, &sum.Fee, &sum.Refunded)
	if most > 0 && sum.Count > most {
		sum = SaleSum{Count: most, More: true}
	}
	return sum, err
}
