package models

import (
	"context"
	"fmt"
	"strings"
	"time"

	"garoupa/internal/money"
)

// PayoutStatus is the state of a payout that a bank makes.
type PayoutStatus string

const (
	PayoutStored     PayoutStatus = "STORED"     // nothing has left
	PayoutSending    PayoutStatus = "SENDING"    // the bank may have it: from now on it is only read
	PayoutProcessing PayoutStatus = "PROCESSING" // the bank has it
	PayoutDone       PayoutStatus = "DONE"       // the receiver has the money
	PayoutRefused    PayoutStatus = "REFUSED"    // the money has not left and never will
)

// PayoutAttempt is a payout of a withdrawal that a bank makes.
type PayoutAttempt struct {
	ID            string // by which the bank knows it
	WithdrawalID  string
	BankAccountID string
	Amount        money.Cents // the withdrawal's net amount
	Status        PayoutStatus
	SendingAt     *time.Time // before the first byte left; nil if nothing did
	HeardAt       *time.Time // when the bank last said that it has it
	EndToEndID    *string
	Code          string     // the bank's, or of the staff, of a refusal
	Failure       string     // of the last look, or why it was refused, in the bank's words
	Looks         int        // since it last changed
	NextLookAt    *time.Time // nil if the bank need not be asked
	ToldAt        *time.Time // when the staff were told that its outcome is unknown
	DecidedBy     *string    // the person who said how it ended, in the bank's place
	CreatedAt     time.Time
	EndedAt       *time.Time
}

// UnknownSince returns when a payout may have left of which it is not known how it ended, or nil.
func (p *PayoutAttempt) UnknownSince() *time.Time {
	if p.EndedAt != nil || p.Status == PayoutStored {
		return nil
	}
	return p.SendingAt
}

// UnheardSince is UnknownSince for a payout of which the bank says nothing: it returns when the bank last said
// that it has it, or when it may have left if the bank never did.
func (p *PayoutAttempt) UnheardSince() *time.Time {
	since := p.UnknownSince()
	if since != nil && p.HeardAt != nil {
		return p.HeardAt
	}
	return since
}

const payoutColumns = `p.id, p.withdrawal_id, p.bank_account_id, p.amount, p.status, p.sending_at, p.heard_at,
	p.end_to_end_id, p.code, p.failure, p.looks, p.next_look_at, p.told_at, p.decided_by, p.created_at, p.ended_at`

// InsertPayoutAttempt writes the next payout of a withdrawal, whose row the caller has locked, at a bank account of the
// installation that is active. It reports false if the account is not. If the withdrawal has another payout that was
// not refused, it fails with a violation of the index payout_attempts_one.
func InsertPayoutAttempt(tx *Tx, w *Withdrawal, bankAccountID string, now time.Time) (made bool, err error) {
	return tx.execOne(`INSERT INTO payout_attempts (id, withdrawal_id, bank_account_id, amount, next_look_at,
			created_at)
		SELECT $1 || (SELECT count(*) + 1 FROM payout_attempts WHERE withdrawal_id = $2), $2, b.id, $4, $5, $5
		FROM (SELECT id FROM bank_accounts WHERE id = $3 AND status = 'ACTIVE' AND account_id IS NULL FOR SHARE) b`,
		fmt.Sprintf("%sn", strings.ReplaceAll(w.ID, "_", "")), w.ID, bankAccountID, w.Net(), now)
}

// PayoutAttempts lists the payouts of a withdrawal that banks made or make, oldest first.
func PayoutAttempts(ctx context.Context, q Querier, withdrawalID string) ([]PayoutAttempt, error) {
	return collect[PayoutAttempt](ctx, q, "SELECT "+payoutColumns+` FROM payout_attempts p
		WHERE p.withdrawal_id = $1 ORDER BY p.created_at, p.id`, withdrawalID)
}

// LockPayoutAttempt returns a payout and locks its row until tx ends. The caller must have locked its
// withdrawal.
func LockPayoutAttempt(tx *Tx, id string) (*PayoutAttempt, error) {
	return within(tx, func(ctx context.Context, q Querier) (*PayoutAttempt, error) {
		return one[PayoutAttempt](ctx, q, "SELECT "+payoutColumns+` FROM payout_attempts p
			WHERE p.id = $1 FOR UPDATE`, id)
	})
}

// LockOpenPayout is LockPayoutAttempt for the payout of a withdrawal that has not ended, or ErrNotFound.
func LockOpenPayout(tx *Tx, withdrawalID string) (*PayoutAttempt, error) {
	return within(tx, func(ctx context.Context, q Querier) (*PayoutAttempt, error) {
		return one[PayoutAttempt](ctx, q, "SELECT "+payoutColumns+` FROM payout_attempts p
			WHERE p.withdrawal_id = $1 AND p.ended_at IS NULL FOR UPDATE`, withdrawalID)
	})
}

// SavePayoutAttempt writes what has become of a payout that the caller has locked.
func SavePayoutAttempt(tx *Tx, p *PayoutAttempt) error {
	return tx.exec(`UPDATE payout_attempts SET status = $2, sending_at = $3, heard_at = $4, end_to_end_id = $5,
			code = left($6, 64), failure = left($7, 200), looks = $8, next_look_at = $9, told_at = $10,
			decided_by = $11, ended_at = $12
		WHERE id = $1`, p.ID, p.Status, p.SendingAt, p.HeardAt, p.EndToEndID, p.Code, p.Failure, p.Looks,
		p.NextLookAt, p.ToldAt, p.DecidedBy, p.EndedAt)
}

// ClaimPayoutAttempts returns payouts of a bank account that the bank is to be asked about, those that have
// not ended first. It puts their next look off until the lease is over, so that another process asks if this
// one ends.
func ClaimPayoutAttempts(ctx context.Context, q Querier, bankAccountID string, now time.Time, lease time.Duration,
	limit int) ([]PayoutAttempt, error) {
	return collect[PayoutAttempt](ctx, q, `WITH due AS (
			SELECT id FROM payout_attempts WHERE bank_account_id = $1 AND next_look_at <= $2
			ORDER BY ended_at IS NOT NULL, next_look_at LIMIT $4 FOR UPDATE SKIP LOCKED
		)
		UPDATE payout_attempts p SET next_look_at = $3, looks = p.looks + 1 FROM due WHERE p.id = due.id
		RETURNING `+payoutColumns, bankAccountID, now, now.Add(lease), limit)
}

// UntoldPayouts returns payouts that may have left by a time, of which it is not known how they ended, and of
// which the staff were not told yet.
func UntoldPayouts(ctx context.Context, q Querier, bankAccountID string, by time.Time) ([]PayoutAttempt, error) {
	return collect[PayoutAttempt](ctx, q, "SELECT "+payoutColumns+` FROM payout_attempts p
		WHERE p.bank_account_id = $1 AND p.next_look_at IS NOT NULL AND p.status IN ('SENDING', 'PROCESSING')
			AND p.told_at IS NULL AND p.sending_at <= $2`, bankAccountID, by)
}

// UnknownPayouts returns which of some withdrawals have a payout that may have left by a time, and of which it
// is not known how it ended.
func UnknownPayouts(ctx context.Context, q Querier, withdrawalIDs []string, by time.Time) (map[string]bool, error) {
	found, err := collect[struct{ WithdrawalID string }](ctx, q, `SELECT withdrawal_id FROM payout_attempts
		WHERE withdrawal_id = ANY($1) AND status IN ('SENDING', 'PROCESSING') AND sending_at <= $2`, withdrawalIDs, by)
	unknown := map[string]bool{}
	for _, f := range found {
		unknown[f.WithdrawalID] = true
	}
	return unknown, err
}

// LeasePayouts reserves the payouts of a bank account for one process, until the lease is over or released.
// It reports false if another process has it.
func LeasePayouts(ctx context.Context, q Querier, bankAccountID string, now, until time.Time) (bool, error) {
	tag, err := q.Exec(ctx, `UPDATE bank_sweeps SET payouts_leased_until = $3
		WHERE bank_account_id = $1 AND payouts_leased_until <= $2`, bankAccountID, now, until)
	return tag.RowsAffected() == 1, err
}

// ReleasePayouts ends a lease of LeasePayouts.
func ReleasePayouts(ctx context.Context, q Querier, bankAccountID string, now time.Time) error {
	_, err := q.Exec(ctx, "UPDATE bank_sweeps SET payouts_leased_until = $2 WHERE bank_account_id = $1",
		bankAccountID, now)
	return err
}
