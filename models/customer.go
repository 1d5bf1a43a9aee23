package models

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// Customer is who the charges of a scope name: the same document, otherwise the same email address, otherwise the
// same name (docs/decisions/0072). What is known of the person is what the latest of these charges says.
type Customer struct {
	CheckoutID     string // of the latest charge, by which ID names the customer
	Name, Email    *string
	Document       *string // nil if it is sealed
	SealedDocument []byte
	LastAt         time.Time // when the latest charge was created
	CustomerTotals
}

// CustomerTotals sum up the charges of a customer.
type CustomerTotals struct {
	Charges, Paid int
	PaidAmount    money.Cents
	LastPaid      *time.Time
	// More is set if there are more charges than Charges, because not all of them were read.
	More bool
}

// ListedCharges is the number of charges of a customer up to which a list of customers sums them up; the page of one
// customer reads SummedCheckouts.
const ListedCharges = 1000

// freshCharges limits the charges that a list of customers reads because they are not gathered yet.
const freshCharges = 10_000

// ID is the customer's id. It has the digits of one of the customer's charges, so it tells nothing about the person,
// and ends with the data of that charge.
func (c Customer) ID() string { return CustomerID(c.CheckoutID) }

// Position is the customer's place in lists.
func (c Customer) Position() Position { return Position{c.LastAt, c.CheckoutID} }

// CustomerID returns an id of the customer whom a checkout names.
func CustomerID(checkoutID string) string {
	return customerShape.prefix + checkoutID[len(checkoutShape.prefix):]
}

// customerKey is the key of the customer of a checkout c. It is NULL if the checkout names no one.
const customerKey = "customer_key(c.document_digest, c.customer_document, c.customer_email, c.customer_name)"

// ofCustomer selects the checkouts of the customer whom a checkout k names. Each part has its index, and finds
// nothing if k is known by something else.
const ofCustomer = `(
	SELECT m.id, m.status, m.amount, m.created_at, m.paid_at, m.payment_link_id FROM checkouts m
	WHERE m.project_id = k.project_id AND m.livemode = k.livemode AND m.document_digest = k.document_digest
	UNION ALL
	SELECT m.id, m.status, m.amount, m.created_at, m.paid_at, m.payment_link_id FROM checkouts m
	WHERE m.project_id = k.project_id AND m.livemode = k.livemode AND (lower(m.customer_email) COLLATE "C") =
			CASE WHEN k.document_digest IS NULL AND k.customer_document IS NULL THEN lower(k.customer_email) END
		AND m.document_digest IS NULL AND m.customer_document IS NULL
	UNION ALL
	SELECT m.id, m.status, m.amount, m.created_at, m.paid_at, m.payment_link_id FROM checkouts m
	WHERE m.project_id = k.project_id AND m.livemode = k.livemode AND (lower(m.customer_name) COLLATE "C") =
			CASE WHEN num_nonnulls(k.document_digest, k.customer_document, k.customer_email) = 0
				THEN lower(k.customer_name) END
		AND m.document_digest IS NULL AND m.customer_document IS NULL AND m.customer_email IS NULL)`

// customerColumns are those of a customer whose latest charge is a checkout k.
const customerColumns = `k.id, k.customer_name, k.customer_email, k.customer_document, k.sealed_document, k.created_at,
	t.charges, t.paid, t.paid_amount, t.last_paid`

// customerTotals joins the totals t of the customer of a checkout k, of at most a number of charges.
func customerTotals(summed int) string {
	return ` CROSS JOIN LATERAL (SELECT count(*) AS charges, count(*) FILTER (WHERE m.status = 'PAID') AS paid,
			coalesce(sum(m.amount) FILTER (WHERE m.status = 'PAID'), 0)::bigint AS paid_amount,
			greatest(k.paid_at, max(m.paid_at)) AS last_paid
		FROM (SELECT * FROM ` + ofCustomer + " m LIMIT " + strconv.Itoa(summed) + ") m) t "
}

// collectCustomers reads rows of customerColumns, in which summed charges at most are summed up.
func collectCustomers(rows pgx.Rows, summed int) ([]Customer, error) {
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (c Customer, err error) {
		err = row.Scan(&c.CheckoutID, &c.Name, &c.Email, &c.Document, &c.SealedDocument, &c.LastAt, &c.Charges, &c.Paid,
			&c.PaidAmount, &c.LastPaid)
		c.More = c.Charges == summed
		return c, err
	})
}

// CustomerSearch is a search of a member. A zero field does not narrow it.
type CustomerSearch struct {
	// Text is the beginning of a name, or of an email address if it has an at sign. Case does not matter.
	Text     string
	Document []byte    // the digest of Text as a document, or nil; matches too
	After    *Position // the last row of the previous page
	Limit    int
}

// SearchCustomers returns the customers of the scope that match, those with the latest charge first, paged by keyset.
// It reads the customers that are gathered, and of the charges since then freshCharges at most.
func SearchCustomers(ctx context.Context, q Reader, scope Scope, s CustomerSearch) ([]Customer, error) {
	query := &checkoutQuery{where{args: []any{scope.ProjectID, scope.Environment, s.Limit}}}
	var gathered time.Time // known to the planner, it shows that few charges are later
	err := q.QueryRow(ctx, "SELECT coalesce(until, '2000-01-01') FROM customers_until").Scan(&gathered)
	if err != nil {
		return nil, err
	}
	recent, ways, err := query.customers(ctx, q, scope, s)
	if err != nil {
		return nil, err
	}
	after := func(columns string) string {
		if s.After == nil {
			return ""
		}
		return " AND (" + columns + ") < (" + query.arg(s.After.CreatedAt) + ", " + query.arg(s.After.ID) + ")"
	}
	const order = " ORDER BY last_at DESC, checkout_id DESC LIMIT $3"
	listed := []string{"(SELECT c.checkout_id, c.last_at FROM fresh c WHERE true" + recent +
		after("c.last_at, c.checkout_id") + order + ")"}
	for _, way := range ways {
		listed = append(listed, "(SELECT c.checkout_id, c.last_at FROM customers c WHERE c.project_id = $1 AND "+
			"c.livemode = $2 AND c.key NOT IN (SELECT key FROM fresh)"+way+
			after("c.last_at, c.checkout_id")+order+")")
	}
	rows, err := q.Query(ctx, `WITH recent AS (
			SELECT `+customerKey+` AS key, c.id AS checkout_id, c.created_at AS last_at, c.customer_name AS name,
				c.customer_email AS email FROM checkouts c
			WHERE c.project_id = $1 AND c.livemode = $2 AND c.created_at >= `+query.arg(gathered)+`
			ORDER BY c.created_at DESC, c.id DESC LIMIT `+strconv.Itoa(freshCharges)+`
		), fresh AS MATERIALIZED (
			SELECT DISTINCT ON (key) * FROM recent WHERE key IS NOT NULL ORDER BY key, last_at DESC, checkout_id DESC
		), listed AS MATERIALIZED (`+strings.Join(listed, " UNION ")+order+`)
		SELECT `+customerColumns+" FROM listed JOIN checkouts k ON k.id = listed.checkout_id"+
		customerTotals(ListedCharges)+"ORDER BY k.created_at DESC, k.id DESC", query.args...)
	if err != nil {
		return nil, err
	}
	return collectCustomers(rows, ListedCharges)
}

// customers returns the condition that a fresh row must meet to match the search, and those of which a row c of
// customers must meet one.
func (q *checkoutQuery) customers(ctx context.Context, db Reader, scope Scope, s CustomerSearch) (fresh string,
	ways []string, err error) {
	if s.Text == "" {
		return "", []string{""}, nil
	}
	isDocument := "c.key = " + q.arg(s.Document)
	fresh, ways = isDocument, []string{" AND " + isDocument}
	if len([]rune(s.Text)) >= minPrefix {
		column, text := prefixColumn(s.Text), q.arg(s.Text)
		fresh += " OR left(lower(c." + column + "), char_length(" + text + "::text)) = lower(" + text + "::text)"
		begins, err := q.begins(ctx, db, scope, "customers", "key", column, s.Text)
		if err != nil {
			return "", nil, err
		}
		ways = append(ways, " AND "+begins)
	}
	return " AND (" + fresh + ")", ways, nil
}

// CustomerByID returns the customer whom the charge in an id names, or ErrNotFound.
func CustomerByID(ctx context.Context, q Querier, scope Scope, id string) (*Customer, error) {
	if !customerShape.fits(id) {
		return nil, ErrNotFound
	}
	rows, err := q.Query(ctx, "SELECT "+customerColumns+` FROM (
			SELECT coalesce((SELECT l.checkout_id FROM customers l WHERE l.project_id = $1 AND l.livemode = $2
				AND l.key = `+customerKey+` AND l.last_at > c.created_at), c.id) AS id
			FROM checkouts c WHERE c.id = $3 AND c.project_id = $1 AND c.livemode = $2 AND `+customerKey+` IS NOT NULL
		) latest JOIN checkouts k ON k.id = latest.id`+customerTotals(SummedCheckouts),
		scope.ProjectID, scope.Environment, checkoutShape.prefix+id[len(customerShape.prefix):])
	if err != nil {
		return nil, err
	}
	found, err := collectCustomers(rows, SummedCheckouts)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, ErrNotFound
	}
	return &found[0], nil
}
