package models

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// CheckoutSearch is a search of a member. A zero field does not narrow it.
type CheckoutSearch struct {
	Status      CheckoutStatus
	From, Until time.Time // of the creation; Until is exclusive
	// Text is a whole id (of the checkout, of a payment link, an EndToEndID, a TxID), the beginning of
	// the customer's email address, or of words of the customer's name and of parts of the external
	// id, all of them (see areFrequent), or a part of the description (see LookedThrough). Case does
	// not matter, nor do accents in names and external ids.
	Text     string
	Amount   money.Cents // Text as an amount, or 0; matches too, see AmountsLookedThrough
	Document []byte      // the digest of Text as a customer's document, or nil; matches too
	After    *Position   // the last row of the previous page
	Limit    int
}

// CountedCheckouts caps the count per status; a page shows "1000+" at the cap.
const CountedCheckouts = 1001

// fewMatches is the number of rows with a prefix up to which a search finds all of them. If there are
// more, they are dense enough to find the latest by walking the list in order.
const fewMatches = 2000

// AmountsLookedThrough is the number of charges, the latest of the period, among which an
// amount is searched. An index by amount would be written with each charge, four times in its
// life.
const AmountsLookedThrough = 100_000

// LookedThrough is the same for descriptions, for words that very many charges have, and for charges
// whose words are not written yet. They are not in the index, so each costs more.
const LookedThrough = 20_000

// minPrefix is the shortest beginning of a word or an email address, and the shortest part of
// a description, that is searched for, in characters.
const minPrefix = 3

// maxTerms is the number of words of a text that are searched for.
const maxTerms = 5

// SearchCheckouts returns the checkouts of the scope that match, newest first, paged by keyset
// like ListCheckouts. Each way of matching has its own index, except the amount and the
// description.
func SearchCheckouts(ctx context.Context, q Reader, scope Scope, s CheckoutSearch) ([]Checkout, error) {
	query := &checkoutQuery{where{args: []any{scope.ProjectID, scope.Environment, s.Limit}}}
	sql, err := query.matches(ctx, q, scope, s)
	if err != nil {
		return nil, err
	}
	rows, err := q.Query(ctx, sql, query.args...)
	if err != nil {
		return nil, err
	}
	return collectCheckouts(rows, s.Limit)
}

// matches returns the query for the checkouts that match, newest first, $3 at most.
func (q *checkoutQuery) matches(ctx context.Context, db Reader, scope Scope, s CheckoutSearch) (string, error) {
	const within = " FROM checkouts c WHERE c.project_id = $1 AND c.livemode = $2"
	const order = " ORDER BY c.created_at DESC, c.id DESC LIMIT "
	status, period := q.status(s), q.period(s)
	sql := "SELECT " + checkoutColumns + within + status + period
	if s.Text != "" {
		ways, err := q.ways(ctx, db, scope, s)
		if err != nil {
			return "", err
		}
		var branches []string
		for _, way := range ways {
			branches = append(branches, "(SELECT c.id"+within+status+period+" AND "+way+order+"$3)")
		}
		if s.Amount > 0 { // reads only the list's index, except for the status of matches
			branches = append(branches, "(SELECT c.id FROM (SELECT c.id, c.amount, c.created_at"+within+period+order+
				strconv.Itoa(AmountsLookedThrough)+
				") c WHERE c.amount = "+q.arg(s.Amount)+" AND EXISTS (SELECT FROM checkouts m WHERE m.id = c.id"+
				strings.ReplaceAll(status, "c.", "m.")+")"+order+"$3)")
		}
		if describes(s.Text) {
			means := "strpos(lower(c.description), lower(" + q.arg(s.Text) + "::text)) > 0"
			if has := q.hasWords(terms(s.Text)); has != "" {
				means = "(" + means + " OR " + has + ")"
			}
			branches = append(branches, "(SELECT c.id FROM (SELECT c.id, c.description, c.customer_name,"+
				" c.external_id, c.status, c.created_at"+within+period+order+strconv.Itoa(LookedThrough)+
				") c WHERE "+means+status+order+"$3)")
		}
		sql = "SELECT " + checkoutColumns + " FROM checkouts c WHERE c.id IN (" +
			strings.Join(branches, " UNION ALL ") + ")"
	}
	return sql + order + "$3", nil
}

// describes reports whether text is searched for in descriptions. A short text would match
// most of them, and ids are searched separately.
func describes(text string) bool {
	known := checkoutShape.fits(text) || paymentLinkShape.fits(text) || endToEndID.MatchString(text)
	return !known && len([]rune(text)) >= minPrefix
}

// checkoutQuery gathers the arguments of a search.
type checkoutQuery struct{ where }

// status and period return conditions that every match must meet, or "".
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

// ways returns the conditions of which a checkout must meet one to match the text. The amount
// is not among them.
func (q *checkoutQuery) ways(ctx context.Context, db Reader, scope Scope, s CheckoutSearch) ([]string, error) {
	text := q.arg(s.Text)
	ways := []string{"c.external_id = " + text}
	switch {
	case checkoutShape.fits(s.Text):
		return []string{"c.id = " + text}, nil
	case paymentLinkShape.fits(s.Text):
		return []string{"c.payment_link_id = " + text}, nil
	case endToEndID.MatchString(s.Text):
		ways = append(ways,
			"c.id IN (SELECT p.checkout_id FROM payments p WHERE p.livemode = $2 AND p.end_to_end_id = "+text+")")
	}
	if s.Document != nil {
		ways = append(ways, "c.document_digest = "+q.arg(s.Document))
	}
	if chargeTxID.MatchString(s.Text) {
		ways = append(ways, "c.txid = "+text)
	}
	if len([]rune(s.Text)) < minPrefix {
		return ways, nil
	}
	if strings.Contains(s.Text, "@") {
		begins, err := q.begins(ctx, db, scope, "checkouts", "id", "customer_email", s.Text)
		return append(ways, begins), err
	}
	words, err := q.words(ctx, db, scope, s)
	if words != "" {
		ways = append(ways, words)
	}
	return ways, err
}

// prefixColumn returns whether text is the beginning of an email address or of a name.
func prefixColumn(text string) string {
	if strings.Contains(text, "@") {
		return "email"
	}
	return "name"
}

// begins returns the condition that a column of a row c of table begins with the text. If few rows do, it uses
// the column's index. Otherwise it keeps the order of the list, in which the next match is
// never far.
func (q *checkoutQuery) begins(ctx context.Context, db Reader, scope Scope, table, key, column,
	text string) (string, error) {
	value := "(lower(" + column + `) COLLATE "C")`
	within := func(first, last, limit string) string {
		return "SELECT " + key + " FROM " + table + " WHERE project_id = $1 AND livemode = $2 AND " + column +
			" IS NOT NULL AND " + value + " >= lower(" + first + "::text) AND " + value + " < lower(" + last +
			"::text) LIMIT " + limit
	}
	last := text + "\U0010FFFF"
	var found int
	err := db.QueryRow(ctx, "SELECT count(*) FROM ("+within("$3", "$4", "$5")+") few",
		scope.ProjectID, scope.Environment, text, last, fewMatches).Scan(&found)
	if err != nil {
		return "", err
	}
	first := q.arg(text)
	if found == fewMatches {
		return "left(lower(c." + column + "), char_length(" + first + "::text)) = lower(" + first + "::text)", nil
	}
	return "c." + key + " = ANY (ARRAY(" + within(first, q.arg(last), q.arg(fewMatches)) + "))", nil
}

// PendingHours counts the checkouts of the scope that were created from since to before until and are still
// pending, by the hours in which they were created, in seconds since 1970.
func PendingHours(ctx context.Context, q Reader, scope Scope, since, until time.Time) (map[int64]int, error) {
	rows, err := q.Query(ctx, `SELECT extract(epoch FROM date_trunc('hour', created_at))::bigint, count(*)
		FROM checkouts WHERE project_id = $1 AND livemode = $2 AND status = 'PENDING' AND created_at >= $3
			AND created_at < $4 GROUP BY 1`, scope.ProjectID, scope.Environment, since, until)
	if err != nil {
		return nil, err
	}
	hours := map[int64]int{}
	var hour int64
	var n int
	_, err = pgx.ForEachRow(rows, []any{&hour, &n}, func() error {
		hours[hour] = n
		return nil
	})
	return hours, err
}

// CheckoutCounts counts the checkouts of the scope by status, up to CountedCheckouts of each,
// created within a period. A zero bound is none.
func CheckoutCounts(ctx context.Context, q Reader, scope Scope, from,
	until time.Time) (map[CheckoutStatus]int, error) {
	query := &checkoutQuery{where{args: []any{scope.ProjectID, scope.Environment, CountedCheckouts}}}
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
