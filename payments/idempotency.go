package payments

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"garoupa/internal/refusal"
	"garoupa/models"
)

// resourceOf returns the id of the object that an earlier request with the same key created or
// was to create, or "" if there was none. The refusal is IdempotencyConflict if that request
// had another body.
func (s *Service) resourceOf(ctx context.Context, ownerID string, environment models.Environment, operation, key string,
	requestHash []byte) (id string, err error) {
	k, err := models.IdempotencyKeyByName(ctx, s.DB.Pool, ownerID, environment, operation, key)
	if errors.Is(err, models.ErrNotFound) {
		return "", nil
	} else if err != nil {
		return "", fmt.Errorf("payments: read idempotency key: %w", err)
	}
	if !bytes.Equal(k.RequestHash, requestHash) {
		return "", otherBody
	}
	return k.ResourceID, nil
}

var otherBody = refusal.New(refusal.IdempotencyConflict,
	"This Idempotency-Key was used with another body. Send the first body again, or use a new key.")
