package models

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/money"
)

// CheckoutSearch is what a member looks for. Its zero fields do not narrow the list.
type CheckoutSearch struct {
	Status      CheckoutStatus
	From, Until time.Time // of the creation; Until is not included
	// Text is a whole id (of the checkout, of a payment link, an EndToEndID, a TxID),
	// a whole external id, or how the customer's name or e-mail begins, in any case.
	Text   string
	Amount money.Cents // what Text says if it is read as an amount: found as well
	After  *Position   // the last row of the page before
	Limit  int
}

// CountedCheckouts is how many checkouts of a status are counted: so many are one
// more than a page shows as a number.
const CountedCheckouts = 1001

// fewMatches is how many beginnings of a name are gathered and put in order. Where
// there are more, they lie close enough together to be met while walking the list.
const fewMatches = 2000

// minPrefix is the shortest beginning of a name or an e-mail that is looked for.
const minPrefix = 3

// The texts that name a payment and a charge at the institution.
var (
	endToEndID = regexp.MustCompile(`^E[0-9A-Za-z]{31}$`)
	chargeTxID = regexp.MustCompile(`^[0-9A-Za-z]{26,35}$`)
)

// SearchCheckouts returns the checkouts of the scope that match, newest first, by
// keyset as ListCheckouts does. Each way of matching has an index of its own.
func SearchCheckouts(ctx context.Context, q Querier, scope Scope, s CheckoutSearch) ([]Checkout, error) {
	query := &checkoutQuery{eventQuery{args: []any{scope.ProjectID, scope.Livemode, s.Limit}}}
	narrowed := query.narrow(s)
	const order = " ORDER BY c.created_at DESC, c.id DESC LIMIT $3"
	sql := "SELECT " + checkoutColumns + " FROM checkouts c WHERE c.project_id = $1 AND c.livemode = $2" + narrowed
	if s.Text != "" {
		ways, err := query.ways(ctx, q, scope, s)
		if err != nil {
			return nil, err
		}
		var branches []string
		for _, way := range ways {
			branches = append(branches, "(SELECT c.id FROM checkouts c WHERE c.project_id = $1 AND c.livemode = $2"+narrowed+" AND "+way+order+")")
		}
		sql = "SELECT " + checkoutColumns + " FROM checkouts c WHERE c.id IN (" + strings.Join(branches, " UNION ALL ") + ")"
	}
	rows, err := q.Query(ctx, sql+order, query.args...)
	if err != nil {
		return nil, err
	}
	return collectCheckouts(rows, s.Limit)
}

// checkoutQuery gathers the arguments of a search.
type checkoutQuery struct{ eventQuery }

// narrow are the conditions that every match has to meet.
func (q *checkoutQuery) narrow(s CheckoutSearch) string {
	var sql strings.Builder
	if s.Status != "" {
		sql.WriteString(" AND c.status = " + q.arg(s.Status))
	}
	if !s.From.IsZero() {
		sql.WriteString(" AND c.created_at >= " + q.arg(s.From))
	}
	if !s.Until.IsZero() {
		sql.WriteString(" AND c.created_at < " + q.arg(s.Until))
	}
	if s.After != nil {
		sql.WriteString(" AND (c.created_at, c.id) < (" + q.arg(s.After.CreatedAt) + ", " + q.arg(s.After.ID) + ")")
	}
	return sql.String()
}

// ways are the conditions under which a checkout matches the text.
func (q *checkoutQuery) ways(ctx context.Context, db Querier, scope Scope, s CheckoutSearch) ([]string, error) {
	text := q.arg(s.Text)
	ways := []string{"c.external_id = " + text}
	switch {
	case wellFormed(s.Text, "chk_", 20):
		return []string{"c.id = " + text}, nil
	case wellFormed(s.Text, "plink_", 16):
		return []string{"c.payment_link_id = " + text}, nil
	case endToEndID.MatchString(s.Text):
		ways = append(ways, "c.id IN (SELECT p.checkout_id FROM payments p WHERE p.livemode = $2 AND p.end_to_end_id = "+text+")")
	}
	if chargeTxID.MatchString(s.Text) {
		ways = append(ways, "c.txid = "+text)
	}
	if s.Amount > 0 {
		ways = append(ways, "c.amount = "+q.arg(s.Amount))
	}
	if len([]rune(s.Text)) < minPrefix {
		return ways, nil
	}
	column := "customer_name"
	if strings.Contains(s.Text, "@") {
		column = "customer_email"
	}
	begins, err := q.begins(ctx, db, scope, column, s.Text)
	return append(ways, begins), err
}

// begins is the condition that the column begins with the text. Where few do, they
// are fetched by the column's index; else the list's own order is kept, in which the
// next one is never far.
func (q *checkoutQuery) begins(ctx context.Context, db Querier, scope Scope, column, text string) (string, error) {
	value := "(lower(" + column + `) COLLATE "C")`
	within := func(first, last, limit string) string {
		return "SELECT id FROM checkouts WHERE project_id = $1 AND livemode = $2 AND " + column + " IS NOT NULL AND " +
			value + " >= lower(" + first + "::text) AND " + value + " < lower(" + last + "::text) LIMIT " + limit
	}
	last := text + "\U0010FFFF"
	var found int
	err := db.QueryRow(ctx, "SELECT count(*) FROM ("+within("$3", "$4", "$5")+") few",
		scope.ProjectID, scope.Livemode, text, last, fewMatches).Scan(&found)
	if err != nil {
		return "", err
	}
	first := q.arg(text)
	if found == fewMatches {
		return "left(lower(c." + column + "), char_length(" + first + "::text)) = lower(" + first + "::text)", nil
	}
	return "c.id IN (" + within(first, q.arg(last), q.arg(fewMatches)) + ")", nil
}

// CheckoutCounts counts the checkouts of the scope by status, up to
// CountedCheckouts of each, made in a period whose ends may be zero.
func CheckoutCounts(ctx context.Context, q Querier, scope Scope, from, until time.Time) (map[CheckoutStatus]int, error) {
	query := &checkoutQuery{eventQuery{args: []any{scope.ProjectID, scope.Livemode, CountedCheckouts}}}
	narrowed := query.narrow(CheckoutSearch{From: from, Until: until})
	rows, err := q.Query(ctx, `SELECT s.status, (SELECT count(*) FROM (SELECT FROM checkouts c
			WHERE c.project_id = $1 AND c.livemode = $2 AND c.status = s.status`+narrowed+` LIMIT $3) few)
		FROM unnest(ARRAY['PENDING', 'PAID', 'EXPIRED', 'CANCELLED']) s (status)`, query.args...)
	if err != nil {
		return nil, err
	}
	counts := map[CheckoutStatus]int{}
	var status CheckoutStatus
	var n int
	_, err = pgx.ForEachRow(rows, []any{&status, &n}, func() error {
		counts[status] = n
		return nil
	})
	return counts, err
}
