package payments

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"garoupa/fault"
	"garoupa/models"
)

// resourceOf returns the id of what an earlier request with the same key made or
// was to make, "" if there was none. The fault is IdempotencyConflict when the key
// came with another body.
func (s *Service) resourceOf(ctx context.Context, ownerID string, livemode bool, operation, key string, requestHash []byte) (id string, err error) {
	k, err := models.IdempotencyKeyByName(ctx, s.DB.Pool, ownerID, livemode, operation, key)
	if errors.Is(err, models.ErrNotFound) {
		return "", nil
	} else if err != nil {
		return "", fmt.Errorf("payments: read idempotency key: %w", err)
	}
	if !bytes.Equal(k.RequestHash, requestHash) {
		return "", fault.New(fault.IdempotencyConflict,
			"This Idempotency-Key was used with another body. Send the first body again, or use a new key.")
	}
	return k.ResourceID, nil
}
