package models

import (
	"context"
	"errors"
	"time"
)

// BankRegistration says where a bank was told to post the notices of an account.
type BankRegistration struct {
	Address      string     // without the token; "" if the bank was never told
	RegisteredAt *time.Time // with this address
	ConfirmedAt  *time.Time // when the bank was told last
	Tries        int        // since the bank took it last, with the try under way
	Failure      string     // of the last try; "" if the bank took it
}

const bankRegistrationColumns = "r.address, r.registered_at, r.confirmed_at, r.tries, r.failure"

// ClaimBankRegistration reserves the registration of a bank account for one process, until the lease is
// over. It returns nil if another process has it, or if it is not due. It is due if the bank was not told
// this address since a time.
func ClaimBankRegistration(ctx context.Context, q Querier, bankAccountID, address string,
	since, now, until time.Time) (*BankRegistration, error) {
	claimed, err := collect[BankRegistration](ctx, q, `INSERT INTO bank_registrations AS r
			(bank_account_id, tries, next_try_at) VALUES ($1, 1, $5)
		ON CONFLICT (bank_account_id) DO UPDATE SET tries = r.tries + 1, next_try_at = $5
			WHERE r.next_try_at <= $4 AND (r.address <> $2 OR r.confirmed_at < $3)
		RETURNING `+bankRegistrationColumns, bankAccountID, address, since, now, until)
	if err != nil || len(claimed) == 0 {
		return nil, err
	}
	return &claimed[0], nil
}

// ConfirmBankRegistration writes that the bank took the address. It is not told again before next.
func ConfirmBankRegistration(ctx context.Context, q Querier, bankAccountID, address string, now,
	next time.Time) error {
	_, err := q.Exec(ctx, `UPDATE bank_registrations SET address = $2, confirmed_at = $3,
			registered_at = CASE WHEN address = $2 THEN registered_at ELSE $3 END, tries = 0, failure = '',
			next_try_at = $4
		WHERE bank_account_id = $1`, bankAccountID, address, now, next)
	return err
}

// FailBankRegistration writes why the bank did not take the address, and when it is told again.
func FailBankRegistration(ctx context.Context, q Querier, bankAccountID, failure string, next time.Time) error {
	_, err := q.Exec(ctx, `UPDATE bank_registrations SET failure = left($2, 200), next_try_at = $3
		WHERE bank_account_id = $1`, bankAccountID, failure, next)
	return err
}

// BankRegistrationOf returns the registration of a bank account. It has no address if the bank was never
// told one.
func BankRegistrationOf(ctx context.Context, q Querier, bankAccountID string) (BankRegistration, error) {
	found, err := one[BankRegistration](ctx, q, "SELECT "+bankRegistrationColumns+
		" FROM bank_registrations r WHERE r.bank_account_id = $1", bankAccountID)
	if errors.Is(err, ErrNotFound) {
		return BankRegistration{}, nil
	} else if err != nil {
		return BankRegistration{}, err
	}
	return *found, nil
}
