package models

import (
	"context"
	"time"
)

// ChallengePurpose is the purpose for which a passkey signs a challenge.
type ChallengePurpose string

const (
	ChallengeLogIn  ChallengePurpose = "LOG_IN"
	ChallengeProve  ChallengePurpose = "PROVE"   // a logged-in person proves their identity
	ChallengeAdd    ChallengePurpose = "ADD"     // adds a new passkey
	ChallengeSignUp ChallengePurpose = "SIGN_UP" // creates a new user
)

// PasskeyChallenge is a challenge that was sent to one browser. It is valid once, for one
// purpose, in that browser.
type PasskeyChallenge struct {
	Challenge []byte
	Purpose   ChallengePurpose
	Browser   []byte // SHA-256 of a secret that only that browser has
	ExpiresAt time.Time
	NewUserID *string // id of the user that a SIGN_UP creates; otherwise nil
}

// InsertPasskeyChallenge writes a new challenge.
func InsertPasskeyChallenge(ctx context.Context, q Querier, c PasskeyChallenge) error {
	_, err := q.Exec(ctx,
		"INSERT INTO passkey_challenges (challenge, purpose, browser, expires_at, new_user_id) VALUES ($1, $2, $3, "+
			"$4, $5)",
		c.Challenge, c.Purpose, c.Browser, c.ExpiresAt, c.NewUserID)
	return err
}

// TakePasskeyChallenge deletes a challenge when it is answered. It reports false unless the
// challenge was sent to the browser for the purpose and has neither been answered nor expired.
func TakePasskeyChallenge(ctx context.Context, q Querier, challenge []byte, purpose ChallengePurpose, browser []byte,
	now time.Time) (taken bool, err error) {
	tag, err := q.Exec(ctx,
		"DELETE FROM passkey_challenges WHERE challenge = $1 AND purpose = $2 AND browser = $3 AND expires_at > $4",
		challenge, purpose, browser, now)
	return tag.RowsAffected() == 1, err
}

// TakeSignUpChallenge is TakePasskeyChallenge for a sign-up, and returns the id of the new
// user, or ErrNotFound. A concurrent call for the same challenge waits until tx ends.
func TakeSignUpChallenge(tx *Tx, challenge, browser []byte, now time.Time) (newUserID string, err error) {
	err = tx.Scan(`DELETE FROM passkey_challenges
		WHERE challenge = $1 AND purpose = 'SIGN_UP' AND browser = $2 AND expires_at > $3 RETURNING new_user_id`,
		[]any{challenge, browser, now}, &newUserID)
	return newUserID, err
}

// DeleteEndedPasskeyChallenges deletes challenges that expired before a time, up to a limit,
// and reports whether more may be left.
func DeleteEndedPasskeyChallenges(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return deleteSome(ctx, q, "passkey_challenges", "challenge",
		"SELECT challenge FROM passkey_challenges WHERE expires_at < $1 ORDER BY expires_at LIMIT $2", before)
}
