package models

import (
	"context"
	"time"
)

// IdempotencyKey connects a client's key with the resource that its first request created.
// Keys never expire (contract 5).
type IdempotencyKey struct {
	OwnerID     string      // a project id; for withdrawals an account id
	Environment Environment `gorm:"column:livemode"`
	Operation   string
	Key         string
	RequestHash []byte
	ResourceID  string
	CreatedAt   time.Time
}

// IdempotencyKeyByName returns the key as its first request stored it, or ErrNotFound.
func IdempotencyKeyByName(ctx context.Context, q Querier, ownerID string, environment Environment, operation,
	key string) (*IdempotencyKey, error) {
	k := IdempotencyKey{OwnerID: ownerID, Environment: environment, Operation: operation, Key: key}
	err := q.QueryRow(ctx, `SELECT request_hash, resource_id, created_at FROM idempotency_keys
		WHERE owner_id = $1 AND livemode = $2 AND operation = $3 AND key = $4`,
		ownerID, environment, operation, key).Scan(&k.RequestHash, &k.ResourceID, &k.CreatedAt)
	if err != nil {
		return nil, notFound(err)
	}
	return &k, nil
}

// Bind writes k if the name is free, and reports whether it did. Bind is not part of the
// transaction that creates the resource: it is for creations that may fail half-way at an
// institution and be resumed.
func (k *IdempotencyKey) Bind(ctx context.Context, q Querier) (bound bool, err error) {
	tag, err := q.Exec(ctx, `INSERT INTO idempotency_keys
		(owner_id, livemode, operation, key, request_hash, resource_id, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
		k.OwnerID, k.Environment, k.Operation, k.Key, k.RequestHash, k.ResourceID, k.CreatedAt)
	return tag.RowsAffected() == 1, err
}
