package models

import (
	"context"
	"errors"
	"time"
)

// BankSweep says how far the list of received Pix of a bank account was read. Its times are by the
// bank's clock.
type BankSweep struct {
	Watermark   time.Time  // Pix until then are recorded
	SweptAt     *time.Time // when the last complete sweep began; nil before the first
	SweptDeepAt *time.Time // the last that went back further
	StartedAt   time.Time  // Pix before are not the gateway's
	OldFrom     *time.Time // the old day that is read next for returns; nil is the oldest
	OldReadAt   *time.Time // when an old day was read last
	Hurries     int        // how often HurryBankSweep was called since the last sweep began
}

// LeaseBankSweep reserves the work on a bank account for one process, until the lease is over or
// released. It returns nil if another process has it. The first sweep begins a minute before the account
// became active.
func LeaseBankSweep(ctx context.Context, q Querier, bankAccountID string, now, until time.Time) (*BankSweep, error) {
	sweeps, err := collect[BankSweep](ctx, q, `INSERT INTO bank_sweeps AS s
			(bank_account_id, leased_until, watermark, started_at)
		SELECT $1, $3, start.at, start.at FROM (
			SELECT coalesce(min(coalesce(applies_at, approved_at)), $2) - interval '1 minute' AS at
			FROM bank_credentials WHERE bank_account_id = $1) start
		ON CONFLICT (bank_account_id) DO UPDATE SET leased_until = $3 WHERE s.leased_until <= $2
		RETURNING watermark, swept_at, swept_deep_at, started_at, old_from, old_read_at, hurries`,
		bankAccountID, now, until)
	if err != nil || len(sweeps) == 0 {
		return nil, err
	}
	return &sweeps[0], nil
}

// BankWatermark returns until when the Pix of a bank account are recorded, or nil if its list was not read yet.
func BankWatermark(ctx context.Context, q Querier, bankAccountID string) (watermark *time.Time, err error) {
	err = notFound(q.QueryRow(ctx, "SELECT watermark FROM bank_sweeps WHERE bank_account_id = $1",
		bankAccountID).Scan(&watermark))
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return watermark, err
}

// ReleaseBankSweep ends a lease.
func ReleaseBankSweep(ctx context.Context, q Querier, bankAccountID string, now time.Time) error {
	_, err := q.Exec(ctx, "UPDATE bank_sweeps SET leased_until = $2 WHERE bank_account_id = $1", bankAccountID, now)
	return err
}

// SaveBankSweep writes how far a sweep came, unless another sweep has moved the watermark from seen. Calls of
// HurryBankSweep after seen was read still count.
func SaveBankSweep(ctx context.Context, q Querier, bankAccountID string, seen, s BankSweep) error {
	_, err := q.Exec(ctx, `UPDATE bank_sweeps SET watermark = greatest(watermark, $3), swept_at = $4,
			swept_deep_at = $5, hurries = greatest(hurries - $6, 0)
		WHERE bank_account_id = $1 AND watermark = $2`, bankAccountID, seen.Watermark, s.Watermark, s.SweptAt,
		s.SweptDeepAt, seen.Hurries)
	return err
}

// SaveOldDay writes which old day is read next, nil for the oldest.
func SaveOldDay(ctx context.Context, q Querier, bankAccountID string, next *time.Time, readAt time.Time) error {
	_, err := q.Exec(ctx, "UPDATE bank_sweeps SET old_from = $2, old_read_at = $3 WHERE bank_account_id = $1",
		bankAccountID, next, readAt)
	return err
}

// HurryBankSweep makes the next sweep of a bank account due at once.
func HurryBankSweep(ctx context.Context, q Querier, bankAccountID string) error {
	_, err := q.Exec(ctx, "UPDATE bank_sweeps SET hurries = hurries + 1 WHERE bank_account_id = $1",
		bankAccountID)
	return err
}
