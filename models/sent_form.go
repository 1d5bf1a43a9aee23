package models

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"
)

// The operations of forms that create something and have no API call.
const (
	OperationNote     = "note"
	OperationKey      = "api_key"
	OperationEndpoint = "endpoint"
	OperationProduct  = "product"
)

// ErrFormReused reports that a form was sent before with other input.
var ErrFormReused = errors.New("models: the form was sent before with something else in it")

// SentForm is a form that creates one thing, however often it is sent. Its key, which was made
// when the form was shown, is an idempotency key of the owner.
type SentForm struct {
	OwnerID     string // the project or the account of the thing
	Environment Environment
	Operation   string
	Key         string   // "" if no form was sent
	Said        []string // the form's input
	ResourceID  string   // id of the thing it creates
	SentAt      time.Time
}

// ClaimForm binds the form to the thing that tx is about to create. If the form was sent
// before, it returns the id of the thing that was created then. It waits for a transaction in
// progress with the same form. It fails with ErrFormReused if the earlier input was different.
func ClaimForm(tx *Tx, f SentForm) (earlier string, err error) {
	if f.Key == "" {
		return "", nil
	}
	k := IdempotencyKey{
		OwnerID: f.OwnerID, Environment: f.Environment, Operation: f.Operation, Key: "form:" + f.Key,
		ResourceID: f.ResourceID, CreatedAt: f.SentAt,
	}
	said := sha256.Sum256(fmt.Appendf(nil, "%q", f.Said))
	k.RequestHash = said[:]
	err = tx.PGX(func(ctx context.Context, conn Querier) error {
		if claimed, err := k.Bind(ctx, conn); err != nil || claimed {
			return err
		}
		first, err := IdempotencyKeyByName(ctx, conn, k.OwnerID, k.Environment, k.Operation, k.Key)
		if err != nil {
			return err
		}
		if !bytes.Equal(first.RequestHash, k.RequestHash) {
			return ErrFormReused
		}
		earlier = first.ResourceID
		return nil
	})
	return earlier, err
}
