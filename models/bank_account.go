package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm/clause"
)

// BankAccountStatus is the status of a bank account.
type BankAccountStatus string

const (
	BankAccountDraft    BankAccountStatus = "DRAFT"    // proposed, and not yet approved
	BankAccountActive   BankAccountStatus = "ACTIVE"   // takes new live charges
	BankAccountRetiring BankAccountStatus = "RETIRING" // takes no new charges, and is still read
	BankAccountClosed   BankAccountStatus = "CLOSED"
)

// BankAccount is an account at a bank, with one Pix key: the installation's, or a merchant's own, whose
// money never is the installation's. Of the installation's, and of a merchant's, at most one is active.
type BankAccount struct {
	ID             string  `gorm:"primaryKey"`
	AccountID      *string // the merchant; nil for the installation's
	Name           string  // for people
	Profile        string  // the bank, see package pix/psp/bacen
	Overrides      string  // a JSON object of the profile's fields; {} for none
	Sandbox        bool    // at the bank's test environment
	PixKey         string
	AccountNumber  string // "" where the bank's calls do not name it
	HolderName     string
	HolderDocument string // CPF or CNPJ
	Status         BankAccountStatus
	Version        int     // grows with each change
	CreatedBy      *string // a user id; nil if made on the server
	CreatedAt      time.Time
	// NoticeToken is the secret in the address to which the bank posts notices, sealed for
	// SealedNoticeToken, and NoticeDigest its SHA-256. Both are nil for accounts of older programs until
	// SetNoticeToken.
	NoticeToken, NoticeDigest []byte
}

// The constraints that concurrent changes of bank accounts can violate.
const (
	BankAccountsOneActive = "bank_accounts_one_active_each"
	BankAccountsKeyOnce   = "bank_accounts_key_once"
	BankAccountsDraftOnce = "bank_accounts_draft_once_ours"
	BankAccountsOwnDraft  = "bank_accounts_own_draft"
	BankCredentialsOneNew = "bank_credentials_one_new"
	BankAccountsClosed    = "bank_accounts_closed" // by one of which something is open
)

// InsertBankAccount writes a new bank account. If another draft of the installation has its key, it fails with
// a violation of BankAccountsDraftOnce; if its merchant has another draft, of BankAccountsOwnDraft.
func InsertBankAccount(tx *Tx, b *BankAccount) error { return tx.Create(b).Error }

// BankAccountByID returns a bank account, or ErrNotFound.
func BankAccountByID(ctx context.Context, h Handle, id string) (*BankAccount, error) {
	if !bankAccountShape.fits(id) {
		return nil, ErrNotFound
	}
	var b BankAccount
	if err := h.gorm(ctx).Where("id = ?", id).Take(&b).Error; err != nil {
		return nil, notFound(err)
	}
	return &b, nil
}

// BankAccounts lists all bank accounts, newest first.
func BankAccounts(ctx context.Context, h Handle) (all []BankAccount, err error) {
	return all, h.gorm(ctx).Order("created_at DESC, id DESC").Find(&all).Error
}

// ActiveBankAccount returns the active bank account of the installation, or ErrNotFound.
func ActiveBankAccount(ctx context.Context, h Handle) (*BankAccount, error) {
	var b BankAccount
	if err := h.gorm(ctx).Where("status = ? AND account_id IS NULL", BankAccountActive).Take(&b).Error; err != nil {
		return nil, notFound(err)
	}
	return &b, nil
}

// ShareBankAccount returns the status of a bank account, and keeps it until tx ends.
func ShareBankAccount(tx *Tx, id string) (status BankAccountStatus, err error) {
	return status, tx.Scan("SELECT status FROM bank_accounts WHERE id = $1 FOR SHARE", []any{id}, &status)
}

// UsedBankAccounts returns the ids of the accounts that are active or retiring.
func UsedBankAccounts(ctx context.Context, q Querier) ([]string, error) {
	rows, err := q.Query(ctx, "SELECT id FROM bank_accounts WHERE status IN ('ACTIVE', 'RETIRING') ORDER BY id")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// SetNoticeToken gives a bank account its secret for notices, unless it has one.
func SetNoticeToken(ctx context.Context, q Querier, id string, sealed, digest []byte) error {
	_, err := q.Exec(ctx, `UPDATE bank_accounts SET notice_token = $2, notice_digest = $3
		WHERE id = $1 AND notice_digest IS NULL`, id, sealed, digest)
	return err
}

// ReceivingBankAccounts returns the accounts that are active or retiring and have a secret for notices.
func ReceivingBankAccounts(ctx context.Context, h Handle) (all []BankAccount, err error) {
	return all, h.gorm(ctx).Where("status IN ? AND notice_digest IS NOT NULL",
		[]BankAccountStatus{BankAccountActive, BankAccountRetiring}).Order("id").Find(&all).Error
}

// LockBankAccounts locks the bank accounts of one owner, the installation or a merchant, until tx ends. It
// returns the one with this id, or ErrNotFound, and the owner's active one, or nil.
func LockBankAccounts(tx *Tx, id string) (b, active *BankAccount, err error) {
	var all []BankAccount
	locked := tx.Clauses(clause.Locking{Strength: "NO KEY UPDATE"}).Where(`account_id IS NOT DISTINCT FROM
		(SELECT account_id FROM bank_accounts WHERE id = ?)`, id)
	if err := locked.Order("id").Find(&all).Error; err != nil {
		return nil, nil, err
	}
	for i := range all {
		if all[i].ID == id {
			b = &all[i]
		}
		if all[i].Status == BankAccountActive {
			active = &all[i]
		}
	}
	if b == nil {
		return nil, nil, ErrNotFound
	}
	return b, active, nil
}

// SetBankAccountStatus moves a bank account that the caller has locked to another status.
func SetBankAccountStatus(tx *Tx, b *BankAccount, status BankAccountStatus) error {
	b.Status = status
	b.Version++
	return tx.Model(b).Select("status", "version").Updates(b).Error
}
