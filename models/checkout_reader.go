package models

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
)

// CheckoutReader reads checkouts by their ids. Those that are asked for at the same time are read by one statement
// (docs/decisions/0093). It is safe for concurrent use.
type CheckoutReader struct {
	q     Querier
	batch *Batch[checkoutKey, *Checkout]
	alone atomic.Bool // a caller reads by itself
}

// checkoutKey names one checkout of a scope.
type checkoutKey struct {
	scope Scope
	id    string
}

// NewCheckoutReader returns a reader from q, which reads up to 64 checkouts by one statement.
func NewCheckoutReader(q Querier) *CheckoutReader {
	read := func(ctx context.Context, keys []checkoutKey) ([]*Checkout, error) { return checkoutsOf(ctx, q, keys) }
	return &CheckoutReader{q: q, batch: NewBatch(64, 1, read)}
}

// ByID returns one checkout of the scope as it stands once ByID is called, or ErrNotFound. One caller reads by
// itself, at once; those who come meanwhile are read together. ByID fails with ErrOverloaded if too many wait.
func (r *CheckoutReader) ByID(ctx context.Context, scope Scope, id string) (*Checkout, error) {
	if !checkoutShape.fits(id) {
		return nil, ErrNotFound
	}
	if r.alone.CompareAndSwap(false, true) {
		defer r.alone.Store(false)
		return CheckoutByID(ctx, r.q, scope, id)
	}
	c, err := r.batch.Add(ctx, checkoutKey{scope, id})
	if err == nil && c == nil {
		err = ErrNotFound
	}
	return c, err
}

// checkoutsOf returns the checkout of each key, nil if the key's scope has none with this id. Callers that asked for
// the same checkout do not share it.
func checkoutsOf(ctx context.Context, q Querier, keys []checkoutKey) ([]*Checkout, error) {
	if len(keys) == 1 {
		c, err := CheckoutByID(ctx, q, keys[0].scope, keys[0].id)
		if errors.Is(err, ErrNotFound) {
			err = nil
		}
		return []*Checkout{c}, err
	}
	statement, ids := byIDs(keys)
	rows, err := q.Query(ctx, statement, ids...)
	if err != nil {
		return nil, err
	}
	found, err := collectCheckouts(rows, len(keys))
	if err != nil {
		return nil, err
	}
	of := make([]*Checkout, len(keys))
	for i, key := range keys {
		for j := range found {
			if c := &found[j]; c.ID == key.id && c.ProjectID == key.scope.ProjectID &&
				c.Environment == key.scope.Environment {
				own := *c
				of[i] = &own
				break
			}
		}
	}
	return of, nil
}

// byIDs returns a statement that reads checkouts by their ids, and its parameters. There are three such statements,
// for 4, 16 and 64 ids, of which the last may be repeated: with an array of any length, PostgreSQL would plan the
// statement anew each time.
func byIDs(keys []checkoutKey) (statement string, ids []any) {
	size := 4
	for size < len(keys) {
		size *= 4
	}
	ids = make([]any, size)
	for i := range ids {
		ids[i] = keys[min(i, len(keys)-1)].id
	}
	return checkoutsByID[size], ids
}

// checkoutsByID are the statements of byIDs by their numbers of ids.
var checkoutsByID = map[int]string{4: selectCheckouts(4), 16: selectCheckouts(16), 64: selectCheckouts(64)}

func selectCheckouts(ids int) string {
	places := make([]string, ids)
	for i := range places {
		places[i] = "$" + strconv.Itoa(i+1)
	}
	return "SELECT " + checkoutColumns + " FROM checkouts c WHERE c.id IN (" + strings.Join(places, ", ") + ")"
}
