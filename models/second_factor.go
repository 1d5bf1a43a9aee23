package models

import (
	"context"
	"time"
)

// SecondFactors reports which second factors a user has besides the password: a code
// generator, a passkey.
func SecondFactors(ctx context.Context, q Querier, userID string) (code, passkey bool, err error) {
	err = q.QueryRow(ctx,
		`SELECT totp_since IS NOT NULL, EXISTS (SELECT FROM passkeys WHERE user_id = users.id) FROM users
		WHERE id = $1`, userID).
		Scan(&code, &passkey)
	return code, passkey, notFound(err)
}

// SetTOTPSecret stores the secret of a code generator that has not been confirmed yet. It
// reports false if the user has a confirmed one.
func SetTOTPSecret(tx *Tx, userID string, sealed []byte) (set bool, err error) {
	done := tx.Model(&User{}).Where("id = ? AND totp_since IS NULL", userID).Update("totp_secret", sealed)
	return done.RowsAffected == 1, done.Error
}

// StartTOTP confirms the secret; codes after the given step are valid. It reports false if it
// was already confirmed.
func StartTOTP(tx *Tx, userID string, step int64, now time.Time) (started bool, err error) {
	done := tx.Model(&User{}).Where("id = ? AND totp_since IS NULL AND totp_secret IS NOT NULL", userID).
		Updates(map[string]any{"totp_since": now, "totp_step": step})
	return done.RowsAffected == 1, done.Error
}

// StopTOTP deletes the secret. It reports false if the user had no confirmed secret.
func StopTOTP(tx *Tx, userID string) (stopped bool, err error) {
	done := tx.Model(&User{}).Where("id = ? AND totp_since IS NOT NULL", userID).
		Updates(map[string]any{"totp_secret": nil, "totp_since": nil})
	return done.RowsAffected == 1, done.Error
}

// DeleteRecoveryCodes deletes the user's recovery codes.
func DeleteRecoveryCodes(tx *Tx, userID string) error {
	return tx.exec("DELETE FROM recovery_codes WHERE user_id = $1", userID)
}

// DeleteIdleRecoveryCodes deletes the recovery codes of a user whose log-in has no second step:
// without a code generator, and without both a password and a passkey.
func DeleteIdleRecoveryCodes(tx *Tx, userID string) error {
	return tx.exec(`DELETE FROM recovery_codes WHERE user_id = $1 AND EXISTS (SELECT FROM users u
		WHERE u.id = $1 AND u.totp_since IS NULL AND (u.password_hash IS NULL
			OR NOT EXISTS (SELECT FROM passkeys WHERE user_id = u.id)))`, userID)
}

// HasRecoveryCodes reports whether recovery codes, used or not, belong to the user.
func HasRecoveryCodes(tx *Tx, userID string) (has bool, err error) {
	err = tx.Scan("SELECT EXISTS (SELECT FROM recovery_codes WHERE user_id = $1)", []any{userID}, &has)
	return has, err
}

// TakeTOTPStep marks the code of a step as used. It reports false if that code or a later one
// was used before, so of two concurrent calls one succeeds.
func TakeTOTPStep(tx *Tx, userID string, step int64) (taken bool, err error) {
	done := tx.Model(&User{}).Where("id = ? AND totp_since IS NOT NULL AND totp_step < ?", userID, step).
		Update("totp_step", step)
	return done.RowsAffected == 1, done.Error
}

// ReplaceRecoveryCodes replaces the user's recovery codes by those with the digests.
func ReplaceRecoveryCodes(tx *Tx, userID string, digests [][]byte) error {
	if err := DeleteRecoveryCodes(tx, userID); err != nil {
		return err
	}
	return tx.exec("INSERT INTO recovery_codes (user_id, digest) SELECT $1, unnest($2::bytea[])", userID, digests)
}

// TakeRecoveryCode marks a recovery code as used. It reports false if the user has no code
// with the digest, or has used it before.
func TakeRecoveryCode(tx *Tx, userID string, digest []byte, now time.Time) (taken bool, err error) {
	return tx.execOne("UPDATE recovery_codes SET used_at = $3 WHERE user_id = $1 AND digest = $2 AND used_at IS NULL",
		userID, digest, now)
}

// RecoveryCodesLeft returns the number of the user's unused recovery codes.
func RecoveryCodesLeft(ctx context.Context, q Querier, userID string) (n int, err error) {
	err = q.QueryRow(ctx, "SELECT count(*) FROM recovery_codes WHERE user_id = $1 AND used_at IS NULL", userID).Scan(&n)
	return n, err
}
