package models

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// ProductionAccess says whether an account may create live charges (contract 3.3).
type ProductionAccess string

const (
	AccessNotRequested  ProductionAccess = "NOT_REQUESTED"
	AccessPendingReview ProductionAccess = "PENDING_REVIEW"
	AccessApproved      ProductionAccess = "APPROVED"
	AccessRejected      ProductionAccess = "REJECTED"
)

// AccountSwitches say what staff have allowed and stopped for an account (docs/rules.md,
// "Account switches").
type AccountSwitches struct {
	ProductionAccess   ProductionAccess
	Suspended          bool
	LiveBlocked        bool
	WithdrawalsBlocked bool
}

// Account is a merchant.
type Account struct {
	ID       string `gorm:"primaryKey"`
	Name     string // shown to buyers
	Document *string
	City     string
	AccountSwitches
	CreatedAt time.Time
	Limits    LimitsHistory `gorm:"->;type:jsonb"` // read-only
}

// Position is the account's place in lists.
func (a Account) Position() Position { return Position{a.CreatedAt, a.ID} }

const accountColumns = `a.id, a.name, a.document, a.city, a.production_access, a.suspended, a.live_blocked,
	a.withdrawals_blocked, a.created_at, ` + limitsOf

func (a *Account) targets() []any {
	return []any{&a.ID, &a.Name, &a.Document, &a.City, &a.ProductionAccess, &a.Suspended, &a.LiveBlocked,
		&a.WithdrawalsBlocked, &a.CreatedAt, &a.Limits}
}

// InsertAccount writes a new account. Fields with a default in the schema may be zero.
func InsertAccount(tx *Tx, a *Account) error {
	return tx.Select("ID", "Name", "Document", "ProductionAccess", "CreatedAt").Create(a).Error
}

// accounts returns a query of accounts, each with its limits.
func accounts(db *gorm.DB) *gorm.DB {
	return db.Table("accounts AS a").Select("a.*, " + limitsOf + " AS limits")
}

// AccountByID returns the account, or ErrNotFound.
func AccountByID(ctx context.Context, h Handle, id string) (*Account, error) {
	var a Account
	if err := accounts(h.gorm(ctx)).Where("a.id = ?", id).Take(&a).Error; err != nil {
		return nil, notFound(err)
	}
	return &a, nil
}

// LockAccount returns the account and locks its row until tx ends, or returns ErrNotFound.
func LockAccount(tx *Tx, id string) (*Account, error) {
	var row, a Account
	locked := tx.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Select("id")
	if err := locked.Where("id = ?", id).Take(&row).Error; err != nil {
		return nil, notFound(err)
	}
	// The limits are rows of another table. The statement that waited for the lock would read
	// them as they were before the wait, so this is a second statement.
	if err := accounts(tx.DB).Where("a.id = ?", id).Take(&a).Error; err != nil {
		return nil, notFound(err)
	}
	return &a, nil
}

// ShareAccount returns the account, or ErrNotFound. Until tx ends, other transactions may
// share the account too, but cannot change its switches and its access.
func ShareAccount(tx *Tx, id string) (*Account, error) {
	var a Account
	if err := tx.Clauses(clause.Locking{Strength: "SHARE"}).Where("id = ?", id).Take(&a).Error; err != nil {
		return nil, notFound(err)
	}
	return &a, nil
}

// AccountCount returns the number of accounts.
func AccountCount(ctx context.Context, h Handle) (int64, error) {
	var n int64
	return n, h.gorm(ctx).Model(&Account{}).Count(&n).Error
}

// SetProductionAccess writes the account's production access. Open hosted pages are notified
// when tx commits.
func SetProductionAccess(tx *Tx, id string, access ProductionAccess) error {
	if err := tx.Model(&Account{}).Where("id = ?", id).Update("production_access", access).Error; err != nil {
		return err
	}
	return notifyAll(tx)
}

// SetAccountName writes the name that buyers see.
func SetAccountName(tx *Tx, id, name string) error {
	return tx.Model(&Account{}).Where("id = ?", id).Update("name", name).Error
}

// SetAccountDocument writes the CPF or CNPJ that buyers see.
func SetAccountDocument(tx *Tx, id, document string) error {
	return tx.Model(&Account{}).Where("id = ?", id).Update("document", document).Error
}

// Accounts lists accounts, newest first, starting after the position.
func Accounts(ctx context.Context, h Handle, after *Position, limit int) ([]Account, error) {
	query := accounts(h.gorm(ctx))
	if after != nil {
		query = query.Where("(a.created_at, a.id) < (?, ?)", after.CreatedAt, after.ID)
	}
	var list []Account
	return list, query.Order("a.created_at DESC, a.id DESC").Limit(limit).Find(&list).Error
}

// RequireSecondFactor stores whether all members of an account must have a second factor. It reports
// false if that was so before.
func RequireSecondFactor(tx *Tx, id string, required bool) (changed bool, err error) {
	return tx.execOne("UPDATE accounts SET second_factor_required = $2 WHERE id = $1 AND second_factor_required <> $2",
		id, required)
}
