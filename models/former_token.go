package models

import "time"

// A row of former_tokens is a token that a session had before the person proved who they are. It stands
// for the session for a few seconds, with the proofs that the session had until then.

// RenewSessionToken replaces the token of a session. The former token stands for the session until
// formerEnds, unless the session waited for a code. It reports false if the token is not the session's
// any more. What raises the session's rights must come after it in the transaction.
func RenewSessionToken(tx *Tx, id string, former, fresh []byte, formerEnds, now time.Time) (renewed bool, err error) {
	renewed, err = tx.execOne("UPDATE sessions SET token_hash = $3 WHERE id = $1 AND token_hash = $2",
		id, former, fresh)
	if err != nil || !renewed {
		return false, err
	}
	if err := tx.exec("DELETE FROM former_tokens WHERE session_id = $1 AND ends_at <= $2", id, now); err != nil {
		return false, err
	}
	return true, tx.exec(`INSERT INTO former_tokens (token_hash, session_id, ends_at, proven_at, second_factor)
		SELECT $2, id, $3, proven_at, second_factor FROM sessions WHERE id = $1 AND NOT awaits_code`,
		id, former, formerEnds)
}

// sessionOfToken selects the id of the session whose token, or former token, has the hash $1 at the
// time $2, with the proofs that the token stands for.
const sessionOfToken = `SELECT id, proven_at, second_factor FROM sessions WHERE token_hash = $1
	UNION ALL SELECT session_id, proven_at, second_factor FROM former_tokens WHERE token_hash = $1 AND ends_at > $2`
