package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// OperationPaymentLink is the idempotency scope of POST /v1/payment-links.
const OperationPaymentLink = "payment_link"

// PaymentLink is a URL that creates a checkout of a product at each use.
type PaymentLink struct {
	ID               string
	ProjectID        string
	Environment      Environment `gorm:"column:livemode"`
	ExpiresInSeconds int         // of its checkouts
	SuccessURL       *string
	ReturnURL        *string
	Active           bool
	CreatedAt        time.Time
	UpdatedAt        time.Time
	LinkTerms        `gorm:"-"`
	Sold, Held       int     `gorm:"-"` // units of Stock that are paid, and that open charges hold; 0 without Stock
	Product          Product // the product's current state
}

// Position is the link's place in lists.
func (l PaymentLink) Position() Position { return Position{l.CreatedAt, l.ID} }

const paymentLinkQuery = `SELECT l.id, l.project_id, l.livemode, l.expires_in_seconds, l.success_url,
	l.return_url, l.active, l.created_at, l.updated_at, ` + linkTermsColumns + `, ` + linkUnits + `, ` +
	productColumns + `
		FROM payment_links l JOIN products d ON d.id = l.product_id `

// scan reads a row of paymentLinkQuery.
func (l *PaymentLink) scan(row pgx.Row) error {
	var least, most *money.Cents
	err := row.Scan(append([]any{&l.ID, &l.ProjectID, &l.Environment, &l.ExpiresInSeconds, &l.SuccessURL, &l.ReturnURL,
		&l.Active, &l.CreatedAt, &l.UpdatedAt, &l.BuyerData, &l.MaxQuantity, &least, &most, &l.Stock, &l.EndsAt,
		&l.Sold, &l.Held}, l.Product.targets()...)...)
	if least != nil && most != nil {
		l.OpenAmount = &Range{Min: *least, Max: *most}
	}
	return err
}

// InsertPaymentLink writes l and its idempotency key in one statement. It reports false if the
// key is taken. If a request in progress has the same key, it waits for that request.
func InsertPaymentLink(ctx context.Context, q Querier, l *PaymentLink, key string, requestHash []byte) (made bool,
	err error) {
	least, most := l.bounds()
	tag, err := q.Exec(ctx, `WITH claim AS (
			INSERT INTO idempotency_keys (owner_id, livemode, operation, key, request_hash, resource_id, created_at)
			VALUES ($2, $3, '`+OperationPaymentLink+`', $9, $10, $1, $8) ON CONFLICT DO NOTHING RETURNING key)
		INSERT INTO payment_links (id, project_id, livemode, product_id, expires_in_seconds, success_url, return_url,
			created_at, updated_at, buyer_data, max_quantity, min_amount, max_amount, stock, ends_at)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, $8, $11, $12, $13, $14, $15, $16 FROM claim`,
		l.ID, l.ProjectID, l.Environment, l.Product.ID, l.ExpiresInSeconds, l.SuccessURL, l.ReturnURL, l.CreatedAt, key,
		requestHash, l.BuyerData, l.MaxQuantity, least, most, l.Stock, l.EndsAt)
	return tag.RowsAffected() == 1, err
}

// PaymentLinkByID returns one link of the scope, or ErrNotFound.
func PaymentLinkByID(ctx context.Context, q Querier, scope Scope, id string) (*PaymentLink, error) {
	return paymentLink(ctx, q, id, "WHERE l.id = $1 AND l.project_id = $2 AND l.livemode = $3", id, scope.ProjectID,
		scope.Environment)
}

// PublicPaymentLink is a link with its merchant.
type PublicPaymentLink struct {
	PaymentLink
	Account Account
	Brand   Brand
}

// PublicPaymentLinkByID returns a link of any merchant for its hosted page, or ErrNotFound.
func PublicPaymentLinkByID(ctx context.Context, q Querier, id string) (*PublicPaymentLink, error) {
	l, err := paymentLink(ctx, q, id, "WHERE l.id = $1", id)
	if err != nil {
		return nil, err
	}
	public := PublicPaymentLink{PaymentLink: *l}
	err = q.QueryRow(ctx, "SELECT "+accountColumns+", "+brandColumns+
		` FROM accounts a JOIN projects p ON p.account_id = a.id
		LEFT JOIN brands b ON b.account_id = a.id WHERE p.id = $1`, l.ProjectID).
		Scan(append(public.Account.targets(), public.Brand.targets()...)...)
	if err != nil {
		return nil, notFound(err)
	}
	return &public, nil
}

func paymentLink(ctx context.Context, q Querier, id, where string, args ...any) (*PaymentLink, error) {
	if !paymentLinkShape.fits(id) {
		return nil, ErrNotFound
	}
	var l PaymentLink
	if err := l.scan(q.QueryRow(ctx, paymentLinkQuery+where, args...)); err != nil {
		return nil, notFound(err)
	}
	return &l, nil
}

// LockPaymentLink is PaymentLinkByID and locks the row until tx ends: neither the link's terms change, nor what it
// has sold and holds. Sales wait.
func LockPaymentLink(tx *Tx, scope Scope, id string) (*PaymentLink, error) {
	return lockLink(tx, scope, id, " FOR NO KEY UPDATE", "")
}

// LockLinkForSale is LockPaymentLink for a sale, which also keeps the product as it is. Sales of links that are not
// stocked do not wait for each other; then the units of the result may change.
func LockLinkForSale(tx *Tx, scope Scope, id string, stocked bool) (*PaymentLink, error) {
	locking := map[bool]string{true: " FOR NO KEY UPDATE", false: " FOR SHARE"}[stocked]
	return lockLink(tx, scope, id, locking, " FOR SHARE OF d")
}

// lockLink locks first and reads after that: a statement that waits for a lock would count units as they were before.
func lockLink(tx *Tx, scope Scope, id, locking, ofProduct string) (*PaymentLink, error) {
	if !paymentLinkShape.fits(id) {
		return nil, ErrNotFound
	}
	return within(tx, func(ctx context.Context, q Querier) (*PaymentLink, error) {
		const own = "WHERE l.id = $1 AND l.project_id = $2 AND l.livemode = $3"
		tag, err := q.Exec(ctx, "SELECT FROM payment_links l "+own+locking, id, scope.ProjectID, scope.Environment)
		switch {
		case err != nil:
			return nil, err
		case tag.RowsAffected() == 0:
			return nil, ErrNotFound
		}
		return paymentLink(ctx, q, id, own+ofProduct, id, scope.ProjectID, scope.Environment)
	})
}

// UpdatePaymentLink writes the fields that a member may change of a link that the caller has locked.
func UpdatePaymentLink(tx *Tx, l *PaymentLink) error {
	least, most := l.bounds()
	_, err := tx.execOne(`UPDATE payment_links SET expires_in_seconds = $2, success_url = $3, return_url = $4,
		buyer_data = $5, max_quantity = $6, min_amount = $7, max_amount = $8, stock = $9, ends_at = $10,
		updated_at = $11
		WHERE id = $1`, l.ID, l.ExpiresInSeconds, l.SuccessURL, l.ReturnURL, l.BuyerData, l.MaxQuantity, least,
		most, l.Stock, l.EndsAt, l.UpdatedAt)
	return err
}

// PaymentLinks lists the scope's links, newest first, paged by keyset.
func PaymentLinks(ctx context.Context, q Reader, scope Scope, after *Position, limit int) ([]PaymentLink, error) {
	sql, args := paymentLinkQuery+"WHERE l.project_id = $1 AND l.livemode = $2", []any{scope.ProjectID,
		scope.Environment, limit}
	if after != nil {
		sql += " AND (l.created_at, l.id) < ($4, $5)"
		args = append(args, after.CreatedAt, after.ID)
	}
	rows, err := q.Query(ctx, sql+" ORDER BY l.created_at DESC, l.id DESC LIMIT $3", args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (l PaymentLink, err error) {
		return l, l.scan(row)
	})
}

// SetPaymentLinkActive turns a link of the scope on or off. It reports false if there is no
// such link or it already had this state.
func SetPaymentLinkActive(tx *Tx, scope Scope, id string, active bool, now time.Time) (changed bool, err error) {
	return tx.execOne(`UPDATE payment_links SET active = $4, updated_at = $5
		WHERE id = $1 AND project_id = $2 AND livemode = $3 AND active <> $4`,
		id, scope.ProjectID, scope.Environment, active, now)
}
