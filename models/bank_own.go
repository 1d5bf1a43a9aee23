package models

import (
	"context"
	"time"
)

// Own reports whether the account is a merchant's own.
func (b *BankAccount) Own() bool { return b.AccountID != nil }

// Used reports whether the account has taken charges: it is active or retiring.
func (b *BankAccount) Used() bool {
	return b.Status == BankAccountActive || b.Status == BankAccountRetiring
}

// OwnBankAccounts lists the own bank accounts of a merchant, newest first.
func OwnBankAccounts(ctx context.Context, h Handle, accountID string) (all []BankAccount, err error) {
	return all, h.gorm(ctx).Where("account_id = ?", accountID).Order("created_at DESC, id DESC").Find(&all).Error
}

// OwnBankAccountByID returns an own bank account of a merchant, or ErrNotFound.
func OwnBankAccountByID(ctx context.Context, h Handle, accountID, id string) (*BankAccount, error) {
	b, err := BankAccountByID(ctx, h, id)
	if err == nil && (b.AccountID == nil || *b.AccountID != accountID) {
		return nil, ErrNotFound
	}
	return b, err
}

// PixKeyInUse reports whether another bank account that is active or retiring has the key of b. The owner of b
// may have moved the key from another bank.
func PixKeyInUse(tx *Tx, b *BankAccount) (used bool, err error) {
	return used, tx.Scan(`SELECT EXISTS (SELECT FROM bank_accounts WHERE status IN ('ACTIVE', 'RETIRING')
		AND pix_key = $1 AND sandbox = $2 AND id <> $3 AND (account_id IS DISTINCT FROM $4 OR profile = $5))`,
		[]any{b.PixKey, b.Sandbox, b.ID, b.AccountID, b.Profile}, &used)
}

// DueBankCredentials lists the approved credentials of own bank accounts that take effect by now.
func DueBankCredentials(ctx context.Context, h Handle, now time.Time) (due []BankCredential, err error) {
	return due, h.gorm(ctx).Where("status = ? AND applies_at <= ?", CredentialNew, now).Order("applies_at, id").
		Find(&due).Error
}
