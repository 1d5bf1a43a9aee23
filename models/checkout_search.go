package models

import (
	"context"
	"regexp"
	"strconv"
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
	// a whole external id, or how the customer's name or e-mail begins, or some of the
	// description, see DescriptionsLookedThrough, in any case.
	Text   string
	Amount money.Cents // what Text says if it is read as an amount: found as well, see AmountsLookedThrough
	After  *Position   // the last row of the page before
	Limit  int
}

// CountedCheckouts is how many checkouts of a status are counted: so many are one
// more than a page shows as a number.
const CountedCheckouts = 1001

// fewMatches is how many beginnings of a name are gathered and put in order. Where
// there are more, they lie close enough together to be met while walking the list.
const fewMatches = 2000

// AmountsLookedThrough is how many charges are looked through for an amount, of the
// period the latest. An index by amount would be written with each of them, four times
// in its life.
const AmountsLookedThrough = 100_000

// DescriptionsLookedThrough is AmountsLookedThrough for descriptions. They stand in the
// table alone, so that each costs more.
const DescriptionsLookedThrough = 20_000

// minPrefix is the shortest beginning of a name or an e-mail, and part of a description,
// that is looked for.
const minPrefix = 3

// The texts that name a payment and a charge at the institution.
var (
	endToEndID = regexp.MustCompile(`^E[0-9A-Za-z]{31}$`)
	chargeTxID = regexp.MustCompile(`^[0-9A-Za-z]{26,35}$`)
)

// SearchCheckouts returns the checkouts of the scope that match, newest first, by
// keyset as ListCheckouts does. Each way of matching has an index of its own, but the
// amount and the description.
func SearchCheckouts(ctx context.Context, q Querier, scope Scope, s CheckoutSearch) ([]Checkout, error) {
	query := &checkoutQuery{eventQuery{args: []any{scope.ProjectID, scope.Livemode, s.Limit}}}
	const within = " FROM checkouts c WHERE c.project_id = $1 AND c.livemode = $2"
	const order = " ORDER BY c.created_at DESC, c.id DESC LIMIT "
	status, period := query.status(s), query.period(s)
	sql := "SELECT " + checkoutColumns + within + status + period
	if s.Text != "" {
		ways, err := query.ways(ctx, q, scope, s)
		if err != nil {
			return nil, err
		}
		var branches []string
		for _, way := range ways {
			branches = append(branches, "(SELECT c.id"+within+status+period+" AND "+way+order+"$3)")
		}
		if s.Amount > 0 { // from the list's index alone, until the status of those that match
			branches = append(branches, "(SELECT c.id FROM (SELECT c.id, c.amount, c.created_at"+within+period+order+strconv.Itoa(AmountsLookedThrough)+
				") c WHERE c.amount = "+query.arg(s.Amount)+" AND EXISTS (SELECT FROM checkouts m WHERE m.id = c.id"+strings.ReplaceAll(status, "c.", "m.")+")"+order+"$3)")
		}
		if describes(s.Text) {
			branches = append(branches, "(SELECT c.id FROM (SELECT c.id, c.description, c.status, c.created_at"+within+period+order+strconv.Itoa(DescriptionsLookedThrough)+
				") c WHERE strpos(lower(c.description), lower("+query.arg(s.Text)+"::text)) > 0"+status+order+"$3)")
		}
		sql = "SELECT " + checkoutColumns + " FROM checkouts c WHERE c.id IN (" + strings.Join(branches, " UNION ALL ") + ")"
	}
	rows, err := q.Query(ctx, sql+order+"$3", query.args...)
	if err != nil {
		return nil, err
	}
	return collectCheckouts(rows, s.Limit)
}

// describes reports whether a text may stand in a description: one that is too short
// stands in most, and an id is looked for by itself.
func describes(text string) bool {
	return len([]rune(text)) >= minPrefix && !wellFormed(text, "chk_", 20) && !wellFormed(text, "plink_", 16) && !endToEndID.MatchString(text)
}

// checkoutQuery gathers the arguments of a search.
type checkoutQuery struct{ eventQuery }

// status and period are the conditions that every match has to meet.
func (q *checkoutQuery) status(s CheckoutSearch) string {
	if s.Status == "" {
		return ""
	}
	return " AND c.status = " + q.arg(s.Status)
}

func (q *checkoutQuery) period(s CheckoutSearch) string {
	var sql strings.Builder
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

// ways are the conditions under which a checkout matches the text, but for the amount.
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
	period := query.period(CheckoutSearch{From: from, Until: until})
	rows, err := q.Query(ctx, `SELECT s.status, (SELECT count(*) FROM (SELECT FROM checkouts c
			WHERE c.project_id = $1 AND c.livemode = $2 AND c.status = s.status`+period+` LIMIT $3) few)
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
