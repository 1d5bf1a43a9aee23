package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// ChallengePurpose is what a passkey signs a challenge for.
type ChallengePurpose string

const (
	ChallengeLogIn  ChallengePurpose = "LOG_IN"
	ChallengeProve  ChallengePurpose = "PROVE"   // who is logged in shows it once more
	ChallengeAdd    ChallengePurpose = "ADD"     // the passkey is new
	ChallengeSignUp ChallengePurpose = "SIGN_UP" // so is its person
)

// PasskeyChallenge is what one browser was asked to have signed. It counts once, for
// one purpose, in that browser.
type PasskeyChallenge struct {
	Challenge []byte
	Purpose   ChallengePurpose
	Browser   []byte // the SHA-256 of what only that browser keeps
	ExpiresAt time.Time
	NewUserID *string // whom a SIGN_UP makes; else nil
}

// InsertPasskeyChallenge writes a new challenge.
func InsertPasskeyChallenge(ctx context.Context, q Querier, c PasskeyChallenge) error {
	_, err := q.Exec(ctx, "INSERT INTO passkey_challenges (challenge, purpose, browser, expires_at, new_user_id) VALUES ($1, $2, $3, $4, $5)",
		c.Challenge, c.Purpose, c.Browser, c.ExpiresAt, c.NewUserID)
	return err
}

// TakePasskeyChallenge uses a challenge up. It reports false unless the browser was
// asked it for the purpose, and by now has neither answered nor waited for too long.
func TakePasskeyChallenge(ctx context.Context, q Querier, challenge []byte, purpose ChallengePurpose, browser []byte, now time.Time) (taken bool, err error) {
	tag, err := q.Exec(ctx, "DELETE FROM passkey_challenges WHERE challenge = $1 AND purpose = $2 AND browser = $3 AND expires_at > $4",
		challenge, purpose, browser, now)
	return tag.RowsAffected() == 1, err
}

// TakeSignUpChallenge is TakePasskeyChallenge for a sign-up, and returns whom it makes, or
// ErrNotFound. Another that takes the same challenge waits until tx ends.
func TakeSignUpChallenge(tx *Tx, challenge, browser []byte, now time.Time) (newUserID string, err error) {
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `DELETE FROM passkey_challenges WHERE challenge = $1 AND purpose = 'SIGN_UP' AND browser = $2 AND expires_at > $3
			RETURNING new_user_id`, challenge, browser, now).Scan(&newUserID)
	})
	return newUserID, notFound(err)
}

// DeleteEndedPasskeyChallenges deletes challenges that nobody answered until a time, and
// reports whether there may be more of them.
func DeleteEndedPasskeyChallenges(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return deleteSome(ctx, q, "passkey_challenges", "challenge",
		"SELECT challenge FROM passkey_challenges WHERE expires_at < $1 ORDER BY expires_at LIMIT $2", before)
}
