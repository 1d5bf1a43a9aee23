package models

import (
	"context"
	"time"
)

// NoteKeyNetwork records that a key was used from a network, and reports whether that is the first
// time since the network was forgotten, if ever.
func NoteKeyNetwork(tx *Tx, keyID, network string, now time.Time) (first bool, err error) {
	err = tx.Scan(`INSERT INTO api_key_networks AS n (key_id, network, first_used_at, last_used_at)
		VALUES ($1, $2, $3, $3)
		ON CONFLICT (key_id, network) DO UPDATE SET last_used_at = greatest(n.last_used_at, $3)
		RETURNING xmax = 0`, []any{keyID, network, now}, &first)
	return first, err
}

// DeleteKeyNetworks forgets networks that no key has used since a time, up to a limit, and reports
// whether more may be left.
func DeleteKeyNetworks(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	return deleteSome(ctx, q, "api_key_networks", "ctid",
		"SELECT ctid FROM api_key_networks WHERE last_used_at < $1 ORDER BY last_used_at LIMIT $2", before)
}

// IsAPIKeyID reports whether id has the form of a key's id.
func IsAPIKeyID(id string) bool { return apiKeyShape.fits(id) }

// AccountOfKey returns the id of the account that a key belongs to, or ErrNotFound.
func AccountOfKey(tx *Tx, keyID string) (accountID string, err error) {
	err = tx.Scan(`SELECT p.account_id FROM api_keys k JOIN projects p ON p.id = k.project_id WHERE k.id = $1`,
		[]any{keyID}, &accountID)
	return accountID, err
}
