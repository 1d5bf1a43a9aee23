// Package requestid gives each request an id that its answer, its errors and its log lines
// share (contract 5, Request-Id).
package requestid

import (
	"context"
	"crypto/rand"
	"encoding/hex"
)

const maxLength = 128

// New returns a new id, req_ and 24 hex digits.
func New() string {
	var b [12]byte
	rand.Read(b[:]) // never fails since Go 1.24
	return "req_" + hex.EncodeToString(b[:])
}

// Valid reports whether a client's id can be the id of the request: 1 to 128 of
// A-Z a-z 0-9 . _ : - (docs/rules.md, "Order of checks").
func Valid(id string) bool {
	if id == "" || len(id) > maxLength {
		return false
	}
	for i := range len(id) {
		switch b := id[i]; {
		case b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b >= '0' && b <= '9':
		case b == '.', b == '_', b == ':', b == '-':
		default:
			return false
		}
	}
	return true
}

type key struct{}

// With returns a context that carries id.
func With(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, key{}, id)
}

// Of returns the id that ctx carries, or "".
func Of(ctx context.Context) string {
	id, _ := ctx.Value(key{}).(string)
	return id
}
