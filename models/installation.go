package models

import "context"

// KeyCheck returns what the installation's first start sealed with its secret key,
// after writing sealed if there was nothing yet.
func KeyCheck(ctx context.Context, q Querier, sealed []byte) (stored []byte, err error) {
	if _, err := q.Exec(ctx, "INSERT INTO installation (key_check) VALUES ($1) ON CONFLICT DO NOTHING", sealed); err != nil {
		return nil, err
	}
	err = q.QueryRow(ctx, "SELECT key_check FROM installation").Scan(&stored)
	return stored, err
}
