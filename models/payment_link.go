package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
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
	Product          Product // the product's current state
}

// Position is the link's place in lists.
func (l PaymentLink) Position() Position { return Position{l.CreatedAt, l.ID} }

const paymentLinkQuery = `SELECT l.id, l.project_id, l.livemode, l.expires_in_seconds, l.success_url,
	l.return_url, l.active, l.created_at, l.updated_at, ` + productColumns + `
		FROM payment_links l JOIN products d ON d.id = l.product_id `

func (l *PaymentLink) targets() []any {
	return append([]any{&l.ID, &l.ProjectID, &l.Environment, &l.ExpiresInSeconds, &l.SuccessURL, &l.ReturnURL,
		&l.Active, &l.CreatedAt, &l.UpdatedAt}, l.Product.targets()...)
}

// InsertPaymentLink writes l and its idempotency key in one statement. It reports false if the
// key is taken. If a request in progress has the same key, it waits for that request.
func InsertPaymentLink(ctx context.Context, q Querier, l *PaymentLink, key string, requestHash []byte) (made bool,
	err error) {
	tag, err := q.Exec(ctx, `WITH claim AS (
			INSERT INTO idempotency_keys (owner_id, livemode, operation, key, request_hash, resource_id, created_at)
			VALUES ($2, $3, '`+OperationPaymentLink+`', $9, $10, $1, $8) ON CONFLICT DO NOTHING RETURNING key)
		INSERT INTO payment_links (id, project_id, livemode, product_id, expires_in_seconds, success_url, return_url,
			created_at, updated_at)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, $8 FROM claim`,
		l.ID, l.ProjectID, l.Environment, l.Product.ID, l.ExpiresInSeconds, l.SuccessURL, l.ReturnURL, l.CreatedAt, key,
		requestHash)
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
	if err := q.QueryRow(ctx, paymentLinkQuery+where, args...).Scan(l.targets()...); err != nil {
		return nil, notFound(err)
	}
	return &l, nil
}

// PaymentLinks lists the scope's links, newest first, paged by keyset.
func PaymentLinks(ctx context.Context, q Querier, scope Scope, after *Position, limit int) ([]PaymentLink, error) {
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
		return l, row.Scan(l.targets()...)
	})
}

// SetPaymentLinkActive turns a link of the scope on or off. It reports false if there is no
// such link or it already had this state.
func SetPaymentLinkActive(tx *Tx, scope Scope, id string, active bool, now time.Time) (changed bool, err error) {
	return tx.execOne(`UPDATE payment_links SET active = $4, updated_at = $5
		WHERE id = $1 AND project_id = $2 AND livemode = $3 AND active <> $4`,
		id, scope.ProjectID, scope.Environment, active, now)
}
