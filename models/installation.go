package models

import "context"

// KeyCheck returns what the installation's first start, or the last change of its
// secret key, sealed with it, after writing sealed if there was nothing yet.
func KeyCheck(ctx context.Context, q Querier, sealed []byte) (stored []byte, err error) {
	if _, err := q.Exec(ctx, "INSERT INTO installation (key_check) VALUES ($1) ON CONFLICT DO NOTHING", sealed); err != nil {
		return nil, err
	}
	err = q.QueryRow(ctx, "SELECT key_check FROM installation").Scan(&stored)
	return stored, err
}

// ReplaceKeyCheck writes what a new secret key sealed in place of what another did. It
// reports false if that does not stand any more.
func ReplaceKeyCheck(ctx context.Context, q Querier, old, sealed []byte) (replaced bool, err error) {
	tag, err := q.Exec(ctx, "UPDATE installation SET key_check = $2 WHERE key_check = $1", old, sealed)
	return tag.RowsAffected() == 1, err
}
