package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// SecondFactors reports what a user has to show besides the password: a code of a
// generator, a passkey.
func SecondFactors(ctx context.Context, q Querier, userID string) (code, passkey bool, err error) {
	err = q.QueryRow(ctx, "SELECT totp_since IS NOT NULL, EXISTS (SELECT FROM passkeys WHERE user_id = users.id) FROM users WHERE id = $1", userID).
		Scan(&code, &passkey)
	return code, passkey, notFound(err)
}

// SetTOTPSecret keeps the secret of a generator that was not shown to work yet. It
// reports false if one that works is there already.
func SetTOTPSecret(tx *Tx, userID string, sealed []byte) (set bool, err error) {
	done := tx.Exec("UPDATE users SET totp_secret = ? WHERE id = ? AND totp_since IS NULL", sealed, userID)
	return done.RowsAffected == 1, done.Error
}

// StartTOTP makes the secret count, from a code of the step on. It reports false if
// it counted already.
func StartTOTP(tx *Tx, userID string, step int64, now time.Time) (started bool, err error) {
	done := tx.Exec("UPDATE users SET totp_since = ?, totp_step = ? WHERE id = ? AND totp_since IS NULL AND totp_secret IS NOT NULL",
		now, step, userID)
	return done.RowsAffected == 1, done.Error
}

// StopTOTP forgets the secret and the recovery codes. It reports false if none counted.
func StopTOTP(tx *Tx, userID string) (stopped bool, err error) {
	done := tx.Exec("UPDATE users SET totp_secret = NULL, totp_since = NULL WHERE id = ? AND totp_since IS NOT NULL", userID)
	if done.Error != nil || done.RowsAffected == 0 {
		return false, done.Error
	}
	return true, tx.Exec("DELETE FROM recovery_codes WHERE user_id = ?", userID).Error
}

// TakeTOTPStep takes the code of a step. It reports false if that one, or a later
// one, was taken before: of two who bring one code, one wins.
func TakeTOTPStep(tx *Tx, userID string, step int64) (taken bool, err error) {
	done := tx.Exec("UPDATE users SET totp_step = ? WHERE id = ? AND totp_since IS NOT NULL AND totp_step < ?", step, userID, step)
	return done.RowsAffected == 1, done.Error
}

// ReplaceRecoveryCodes makes the digests the user's only recovery codes.
func ReplaceRecoveryCodes(tx *Tx, userID string, digests [][]byte) error {
	return tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		if _, err := conn.Exec(ctx, "DELETE FROM recovery_codes WHERE user_id = $1", userID); err != nil {
			return err
		}
		_, err := conn.Exec(ctx, "INSERT INTO recovery_codes (user_id, digest) SELECT $1, unnest($2::bytea[])", userID, digests)
		return err
	})
}

// TakeRecoveryCode uses a recovery code up. It reports false if the user has none
// with the digest, or used it before.
func TakeRecoveryCode(tx *Tx, userID string, digest []byte, now time.Time) (taken bool, err error) {
	done := tx.Exec("UPDATE recovery_codes SET used_at = ? WHERE user_id = ? AND digest = ? AND used_at IS NULL", now, userID, digest)
	return done.RowsAffected == 1, done.Error
}

// RecoveryCodesLeft counts the user's recovery codes that were not used.
func RecoveryCodesLeft(ctx context.Context, q Querier, userID string) (n int, err error) {
	err = q.QueryRow(ctx, "SELECT count(*) FROM recovery_codes WHERE user_id = $1 AND used_at IS NULL", userID).Scan(&n)
	return n, err
}
