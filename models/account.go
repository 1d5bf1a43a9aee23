package models

import (
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"garoupa/money"
)

// ProductionAccess is how far an account is from charging for real (contract 3.3).
type ProductionAccess string

const (
	AccessNotRequested  ProductionAccess = "NOT_REQUESTED"
	AccessPendingReview ProductionAccess = "PENDING_REVIEW"
	AccessApproved      ProductionAccess = "APPROVED"
	AccessRejected      ProductionAccess = "REJECTED"
)

// Account is a merchant.
type Account struct {
	ID                 string `gorm:"primaryKey"`
	Name               string // as buyers know it
	Document           *string
	City               string
	ProductionAccess   ProductionAccess
	Suspended          bool
	LiveBlocked        bool
	WithdrawalsBlocked bool
	FeeBasisPoints     int64
	FeeFixed           money.Cents
	// SettlementDelay is how many seconds after its payment a live checkout's money
	// becomes available; nil: as long as the installation's.
	SettlementDelay          *int64
	WithdrawalFeeBasisPoints int64
	WithdrawalFeeFixed       money.Cents
	MinAmount                money.Cents // of one charge
	MaxAmount                money.Cents
	CreatedAt                time.Time
}

const accountColumns = `a.id, a.name, a.document, a.city, a.production_access, a.suspended, a.live_blocked,
	a.withdrawals_blocked, a.fee_basis_points, a.fee_fixed, a.settlement_delay,
	a.withdrawal_fee_basis_points, a.withdrawal_fee_fixed, a.min_amount, a.max_amount, a.created_at`

func (a *Account) targets() []any {
	return []any{&a.ID, &a.Name, &a.Document, &a.City, &a.ProductionAccess, &a.Suspended, &a.LiveBlocked,
		&a.WithdrawalsBlocked, &a.FeeBasisPoints, &a.FeeFixed, &a.SettlementDelay,
		&a.WithdrawalFeeBasisPoints, &a.WithdrawalFeeFixed, &a.MinAmount, &a.MaxAmount, &a.CreatedAt}
}

// InsertAccount writes a new account; what the schema has defaults for may be zero.
func InsertAccount(tx *Tx, a *Account) error {
	return tx.Select("ID", "Name", "Document", "ProductionAccess", "CreatedAt").Create(a).Error
}

// AccountByID returns the account, or ErrNotFound.
func AccountByID(db *gorm.DB, id string) (*Account, error) {
	var a Account
	if err := db.Where("id = ?", id).Take(&a).Error; err != nil {
		return nil, notFound(err)
	}
	return &a, nil
}

// LockAccount returns the account and holds its row until tx ends; or ErrNotFound.
func LockAccount(tx *Tx, id string) (*Account, error) {
	var a Account
	if err := tx.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where("id = ?", id).Take(&a).Error; err != nil {
		return nil, notFound(err)
	}
	return &a, nil
}

// AccountCount returns how many accounts there are.
func AccountCount(db *gorm.DB) (int64, error) {
	var n int64
	return n, db.Model(&Account{}).Count(&n).Error
}

// SetProductionAccess writes how far the account is from charging for real. The hosted
// pages that are open look again when tx commits.
func SetProductionAccess(tx *Tx, id string, access ProductionAccess) error {
	if err := tx.Model(&Account{}).Where("id = ?", id).Update("production_access", access).Error; err != nil {
		return err
	}
	return notifyAll(tx)
}

// SetAccountName writes the name that buyers know the account by.
func SetAccountName(tx *Tx, id, name string) error {
	return tx.Model(&Account{}).Where("id = ?", id).Update("name", name).Error
}

// SetAccountDocument writes the CPF or CNPJ that buyers are shown.
func SetAccountDocument(tx *Tx, id, document string) error {
	return tx.Model(&Account{}).Where("id = ?", id).Update("document", document).Error
}

// AccountFee returns what the account pays on a payment, or ErrNotFound.
func AccountFee(tx *Tx, id string) (money.Fee, error) {
	a, err := AccountByID(tx.DB, id)
	if err != nil {
		return money.Fee{}, err
	}
	return money.Fee{BasisPoints: a.FeeBasisPoints, Fixed: a.FeeFixed}, nil
}

// Accounts lists accounts, the newest first, from those after the position.
func Accounts(db *gorm.DB, after *Position, limit int) ([]Account, error) {
	if after != nil {
		db = db.Where("(created_at, id) < (?, ?)", after.CreatedAt, after.ID)
	}
	var accounts []Account
	return accounts, db.Order("created_at DESC, id DESC").Limit(limit).Find(&accounts).Error
}
