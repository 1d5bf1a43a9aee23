package models

import (
	"context"
	"time"
)

// CredentialStatus is the status of credentials at a bank.
type CredentialStatus string

const (
	CredentialNew     CredentialStatus = "NEW" // not yet approved
	CredentialActive  CredentialStatus = "ACTIVE"
	CredentialRetired CredentialStatus = "RETIRED"
)

// BankCredential is what proves to a bank who calls: the id and the secret of an OAuth client,
// and a client certificate. Secret, certificate and key are sealed, and nil some time after the
// credentials were retired.
type BankCredential struct {
	ID            string `gorm:"primaryKey"`
	BankAccountID string
	ClientID      string
	ClientSecret  []byte // sealed for SealedBankSecret
	AppKey        []byte // sealed for SealedAppKey; nil where the bank has none
	Certificate   []byte // PEM, the leaf first; sealed for SealedCertificate
	PrivateKey    []byte // PEM; sealed for SealedPrivateKey
	Subject       string // of the certificate, for people
	Fingerprint   string // SHA-256 of the certificate, lower-case hex
	ExpiresAt     time.Time
	Status        CredentialStatus
	CreatedBy     *string // a user id; nil if made on the server
	CreatedAt     time.Time
	ApprovedBy    *string // another user's id; nil before the approval, and if made on the server
	ApprovedAt    *time.Time
	AppliesAt     *time.Time // when approved credentials of an own account take effect; nil: at once
	RetiredAt     *time.Time
}

// InsertBankCredential writes new credentials. If the bank account has others that are NEW, it
// fails with a violation of BankCredentialsOneNew.
func InsertBankCredential(tx *Tx, c *BankCredential) error { return tx.Create(c).Error }

// BankCredentials lists the credentials of a bank account, newest first.
func BankCredentials(ctx context.Context, h Handle, bankAccountID string) (all []BankCredential, err error) {
	of := h.gorm(ctx).Where("bank_account_id = ?", bankAccountID)
	return all, of.Order("created_at DESC, id DESC").Find(&all).Error
}

// AllBankCredentials returns the credentials of all bank accounts by account, newest first.
func AllBankCredentials(ctx context.Context, h Handle) (byAccount map[string][]BankCredential, err error) {
	var all []BankCredential
	if err := h.gorm(ctx).Order("created_at DESC, id DESC").Find(&all).Error; err != nil {
		return nil, err
	}
	byAccount = map[string][]BankCredential{}
	for _, c := range all {
		byAccount[c.BankAccountID] = append(byAccount[c.BankAccountID], c)
	}
	return byAccount, nil
}

// BankCredentialOf returns the credentials of a bank account with this status, NEW or ACTIVE, or
// ErrNotFound.
func BankCredentialOf(ctx context.Context, h Handle, bankAccountID string, status CredentialStatus) (*BankCredential,
	error) {
	var c BankCredential
	err := h.gorm(ctx).Where("bank_account_id = ? AND status = ?", bankAccountID, status).Take(&c).Error
	if err != nil {
		return nil, notFound(err)
	}
	return &c, nil
}

// EndingBankCredentials lists the active credentials, of accounts that are in use, whose certificates
// end between two times.
func EndingBankCredentials(ctx context.Context, h Handle, from, until time.Time) (all []BankCredential, err error) {
	used := h.gorm(ctx).Model(&BankAccount{}).Select("id").Where("status IN ?",
		[]BankAccountStatus{BankAccountActive, BankAccountRetiring})
	return all, h.gorm(ctx).Where("status = ? AND expires_at > ? AND expires_at <= ? AND bank_account_id IN (?)",
		CredentialActive, from, until, used).Order("expires_at").Find(&all).Error
}

// SaveCredentialStatus writes the status of credentials, their approval and their end. The caller
// must have locked the bank accounts.
func SaveCredentialStatus(tx *Tx, c *BankCredential) error {
	return tx.Model(c).Select("status", "approved_by", "approved_at", "applies_at", "retired_at").Updates(c).Error
}

// EraseRetiredCredentials removes the secrets of credentials that were retired before a time. more
// is always false: there are few of them.
func EraseRetiredCredentials(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	_, err = q.Exec(ctx, `UPDATE bank_credentials SET client_secret = NULL, app_key = NULL, certificate = NULL,
			private_key = NULL
		WHERE retired_at < $1 AND private_key IS NOT NULL`, before)
	return false, err
}
