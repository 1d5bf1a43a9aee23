package models

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"garoupa/internal/money"
)

// BlockedAmount is money of an account that staff hold back, or held back until its release.
type BlockedAmount struct {
	ID            string `gorm:"primaryKey"`
	AccountID     string
	Environment   Environment `gorm:"column:livemode"`
	Amount        money.Cents
	Reason        string
	CreatedBy     string
	CreatedAt     time.Time
	ReleaseReason *string
	ReleasedBy    *string
	ReleasedAt    *time.Time // nil while the money is held back
}

// InsertBlockedAmount writes a new blocked amount.
func InsertBlockedAmount(tx *Tx, b *BlockedAmount) error { return tx.Create(b).Error }

// LockBlockedAmount returns a blocked amount of any account and locks its row until tx ends,
// or returns ErrNotFound.
func LockBlockedAmount(tx *Tx, id string) (*BlockedAmount, error) {
	if !blockShape.fits(id) {
		return nil, ErrNotFound
	}
	var b BlockedAmount
	if err := tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", id).Take(&b).Error; err != nil {
		return nil, notFound(err)
	}
	return &b, nil
}

// SaveRelease records the release of b, whose row the caller has locked.
func SaveRelease(tx *Tx, b *BlockedAmount) error {
	return tx.Model(b).Select("ReleaseReason", "ReleasedBy", "ReleasedAt").Updates(b).Error
}

// BlockedAmountCount returns how many amounts of an account were ever blocked, in both environments. The form that
// blocks another one uses it as a version.
func BlockedAmountCount(ctx context.Context, q Querier, accountID string) (n int, err error) {
	err = q.QueryRow(ctx, "SELECT count(*) FROM blocked_amounts WHERE account_id = $1", accountID).Scan(&n)
	return n, err
}

const blockedAmountQuery = `SELECT id, account_id, livemode AS environment, amount, reason, created_by, created_at,
		release_reason, released_by, released_at
	FROM blocked_amounts `

// BlockedAmountOf returns a blocked amount of an account, or ErrNotFound.
func BlockedAmountOf(ctx context.Context, q Querier, accountID, id string) (*BlockedAmount, error) {
	if !blockShape.fits(id) {
		return nil, ErrNotFound
	}
	return one[BlockedAmount](ctx, q, blockedAmountQuery+"WHERE id = $1 AND account_id = $2", id, accountID)
}

// BlockedAmounts lists an account's blocked amounts, newest first. current selects those that
// are not released.
func BlockedAmounts(ctx context.Context, q Querier, accountID string, environment Environment,
	current bool) ([]BlockedAmount, error) {
	return collect[BlockedAmount](ctx, q, blockedAmountQuery+
		`WHERE account_id = $1 AND livemode = $2 AND (NOT $3 OR released_at IS NULL)
		ORDER BY created_at DESC, id DESC`, accountID, environment, current)
}
