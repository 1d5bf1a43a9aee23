package models

import (
	"context"
	"time"
)

// insertLogInPlaces ends a statement that inserts places, or notes that known ones were used again.
const insertLogInPlaces = `
	ON CONFLICT (user_id, place) DO UPDATE SET last_at = greatest(log_in_places.last_at, excluded.last_at)`

// RememberLogInPlaces records that the person of a session has logged in from places, which are
// digests. It does nothing if the session waits for a code or has ended.
func RememberLogInPlaces(ctx context.Context, q Querier, tokenHash []byte, places [][]byte, now time.Time) error {
	_, err := q.Exec(ctx, `INSERT INTO log_in_places (user_id, place, last_at)
		SELECT s.user_id, p.place, $3 FROM sessions s CROSS JOIN unnest($2::bytea[]) AS p (place)
		WHERE s.token_hash = $1 AND s.expires_at > $3 AND NOT s.awaits_code ORDER BY p.place`+insertLogInPlaces,
		tokenHash, places, now)
	return err
}

// InsertLogInPlaces records that a person is known at places, which are digests.
func InsertLogInPlaces(tx *Tx, userID string, places [][]byte, now time.Time) error {
	return tx.exec(`INSERT INTO log_in_places (user_id, place, last_at)
		SELECT $1, p.place, $3 FROM unnest($2::bytea[]) AS p (place) ORDER BY p.place`+insertLogInPlaces,
		userID, places, now)
}

// ForgetLogInPlaces lets a person be unknown at places, which are digests.
func ForgetLogInPlaces(tx *Tx, userID string, places [][]byte) error {
	return tx.exec("DELETE FROM log_in_places WHERE user_id = $1 AND place = ANY($2)", userID, places)
}

// IsLogInPlace reports whether the person with an address in lower case has logged in from one of
// the places after a time. It is false if there is no such person.
func IsLogInPlace(ctx context.Context, q Querier, email string, places [][]byte, after time.Time) (known bool,
	err error) {
	err = q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM users u JOIN log_in_places p ON p.user_id = u.id
		WHERE u.email = $1 AND p.place = ANY($2) AND p.last_at > $3)`, email, places, after).Scan(&known)
	return known, err
}

// DeleteLogInPlaces deletes places that were last used before a time, up to a limit, and reports
// whether more may be left.
func DeleteLogInPlaces(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return deleteSome(ctx, q, "log_in_places", "(user_id, place)",
		"SELECT user_id, place FROM log_in_places WHERE last_at < $1 ORDER BY last_at LIMIT $2", before)
}

// CountWrongCode counts a wrong code of a person on the day (UTC) of now, and returns how many
// there have been on that day.
func CountWrongCode(tx *Tx, userID string, now time.Time) (tries int, err error) {
	return within(tx, func(ctx context.Context, q Querier) (tries int, err error) {
		err = q.QueryRow(ctx, `INSERT INTO wrong_codes AS w (user_id, day, tries) VALUES ($1, $2, 1)
			ON CONFLICT (user_id) DO UPDATE SET day = excluded.day,
				tries = CASE WHEN w.day = excluded.day THEN w.tries + 1 ELSE 1 END
			RETURNING tries`, userID, now.UTC().Truncate(24*time.Hour)).Scan(&tries)
		return tries, err
	})
}

// DeleteWrongCodes deletes counts of days before a time, up to a limit, and reports whether more
// may be left.
func DeleteWrongCodes(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return deleteSome(ctx, q, "wrong_codes", "user_id",
		"SELECT user_id FROM wrong_codes WHERE day < $1 ORDER BY day LIMIT $2", before.UTC().Truncate(24*time.Hour))
}
