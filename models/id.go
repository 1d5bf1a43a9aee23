package models

import (
	"crypto/rand"
	"encoding/hex"
)

// Identifiers are a prefix that names the resource and lower-case hex from
// crypto/rand (contract 2.1, decisions 1). Clients treat them as opaque.

func NewAccountID() string  { return "acc_" + randomHex(20) }
func NewProjectID() string  { return "prj_" + randomHex(20) }
func NewUserID() string     { return "usr_" + randomHex(20) }
func NewAPIKeyID() string   { return "key_" + randomHex(20) }
func NewCheckoutID() string { return "chk_" + randomHex(20) }
func NewPaymentID() string  { return "pay_" + randomHex(20) }
func NewEndpointID() string { return "we_" + randomHex(20) }
func NewEventID() string    { return "evt_" + randomHex(24) }

func randomHex(digits int) string {
	b := make([]byte, digits/2)
	rand.Read(b) // never fails since Go 1.24
	return hex.EncodeToString(b)
}

// wellFormed reports whether id is the prefix and that many hex digits. Whatever
// else a client sends is an unknown id, and never reaches a query.
func wellFormed(id, prefix string, digits int) bool {
	if len(id) != len(prefix)+digits || id[:len(prefix)] != prefix {
		return false
	}
	for _, b := range []byte(id[len(prefix):]) {
		if (b < '0' || b > '9') && (b < 'a' || b > 'f') {
			return false
		}
	}
	return true
}
