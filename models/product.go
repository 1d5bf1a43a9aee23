package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/money"
)

// PaymentCycles are the intervals at which a product is meant to be paid (docs/rules.md,
// "Fields"). Each use of a link charges once, whatever the cycle.
var PaymentCycles = []string{"ONE_TIME", "WEEKLY", "MONTHLY", "QUARTERLY", "SEMIANNUALLY", "ANNUALLY"}

// Product is what a merchant sells through payment links.
type Product struct {
	ID           string
	ProjectID    string
	Environment  Environment `gorm:"column:livemode"`
	Slug         string      // its public id, which never changes
	Name         string
	Description  *string
	ImageURL     *string        // an external URL, from before pictures were uploaded; nil with a Picture
	Picture      ProductPicture `gorm:"-"` // written by SetProductPicture
	Amount       money.Cents
	PaymentCycle string // one of PaymentCycles
	Active       bool
	CreatedAt    time.Time
	UpdatedAt    time.Time
	ArchivedAt   *time.Time // an archived product is not Active and stands in no list
}

// Position is the product's place in lists.
func (p Product) Position() Position { return Position{p.CreatedAt, p.ID} }

// ProductsSlugUnique is the constraint that makes slugs unique in a scope.
const ProductsSlugUnique = "products_slug_unique"

const productColumns = `d.id, d.project_id, d.livemode, d.slug, d.name, d.description, d.image_url, d.amount,
	d.payment_cycle, d.active, d.created_at, d.updated_at, coalesce(d.picture_hash, ''), coalesce(d.picture_width, 0),
	coalesce(d.picture_height, 0), d.archived_at`

func (p *Product) targets() []any {
	return []any{&p.ID, &p.ProjectID, &p.Environment, &p.Slug, &p.Name, &p.Description, &p.ImageURL, &p.Amount,
		&p.PaymentCycle,
		&p.Active, &p.CreatedAt, &p.UpdatedAt, &p.Picture.Hash, &p.Picture.Width, &p.Picture.Height,
		&p.ArchivedAt}
}

// InsertProduct writes a new product. If its slug is taken, it fails with a violation of
// ProductsSlugUnique.
func InsertProduct(tx *Tx, p *Product) error { return tx.Create(p).Error }

// UpdateProduct writes the fields that a member may change of a product that the caller has
// locked: all but its slug and its picture.
func UpdateProduct(tx *Tx, p *Product) error {
	return tx.Model(p).Where("id = ?", p.ID).
		Select("Name", "Description", "ImageURL", "Amount", "PaymentCycle", "Active", "UpdatedAt", "ArchivedAt").
		UpdateColumns(p).Error // Updates would set UpdatedAt with another clock
}

// LockProduct is ProductBySlug and locks the row until tx ends. The lock does not block links
// that refer to the product.
func LockProduct(tx *Tx, scope Scope, slug string) (*Product, error) {
	return within(tx, func(ctx context.Context, q Querier) (*Product, error) {
		return product(ctx, q, scope, slug, " FOR NO KEY UPDATE")
	})
}

// ProductBySlug returns one product of the scope, active or not, or ErrNotFound.
func ProductBySlug(ctx context.Context, q Querier, scope Scope, slug string) (*Product, error) {
	return product(ctx, q, scope, slug, "")
}

func product(ctx context.Context, q Querier, scope Scope, slug, locking string) (*Product, error) {
	var p Product
	err := q.QueryRow(ctx, "SELECT "+productColumns+
		" FROM products d WHERE d.slug = $1 AND d.project_id = $2 AND d.livemode = $3"+locking,
		slug, scope.ProjectID, scope.Environment).Scan(p.targets()...)
	if err != nil {
		return nil, notFound(err)
	}
	return &p, nil
}

// Products lists the scope's products, either those that are archived or the others, newest first, paged by keyset.
func Products(
	ctx context.Context, q Querier, scope Scope, archived bool, after *Position, limit int,
) ([]Product, error) {
	sql, args := "SELECT "+productColumns+" FROM products d WHERE d.project_id = $1 AND d.livemode = $2 AND "+
		map[bool]string{true: "d.archived_at IS NOT NULL", false: "d.archived_at IS NULL"}[archived],
		[]any{scope.ProjectID, scope.Environment, limit}
	if after != nil {
		sql += " AND (d.created_at, d.id) < ($4, $5)"
		args = append(args, after.CreatedAt, after.ID)
	}
	rows, err := q.Query(ctx, sql+" ORDER BY d.created_at DESC, d.id DESC LIMIT $3", args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (p Product, err error) {
		return p, row.Scan(p.targets()...)
	})
}
