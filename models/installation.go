package models

import "context"

// KeyCheck returns the value that was sealed at the installation's first start or at the last
// change of the secret key. If there is none yet, it stores and returns sealed.
func KeyCheck(ctx context.Context, q Querier, sealed []byte) (stored []byte, err error) {
	if _, err := q.Exec(ctx, "INSERT INTO installation (key_check) VALUES ($1) ON CONFLICT DO NOTHING",
		sealed); err != nil {
		return nil, err
	}
	err = q.QueryRow(ctx, "SELECT key_check FROM installation").Scan(&stored)
	return stored, err
}

// ReplaceKeyCheck replaces the key check by one that is sealed with a new secret key. It
// reports false if old is no longer the stored value.
func ReplaceKeyCheck(ctx context.Context, q Querier, old, sealed []byte) (replaced bool, err error) {
	tag, err := q.Exec(ctx, "UPDATE installation SET key_check = $2 WHERE key_check = $1", old, sealed)
	return tag.RowsAffected() == 1, err
}
