package models

import (
	"crypto/rand"
	"encoding/hex"
)

// Identifiers are a prefix that names the resource and lower-case hex from
// crypto/rand (contract 2.1, decisions 1). Clients treat them as opaque.

// NewAccountID names an account.
func NewAccountID() string { return "acc_" + randomHex(20) }

// NewProjectID names a project.
func NewProjectID() string { return "prj_" + randomHex(20) }

// NewUserID names a user.
func NewUserID() string { return "usr_" + randomHex(20) }

// NewAPIKeyID names an API key.
func NewAPIKeyID() string { return "key_" + randomHex(20) }

// NewCheckoutID names a checkout.
func NewCheckoutID() string { return "chk_" + randomHex(20) }

// NewPaymentID names a payment.
func NewPaymentID() string { return "pay_" + randomHex(20) }

// NewEndpointID names a webhook endpoint.
func NewEndpointID() string { return "we_" + randomHex(20) }

// NewEventID names an event.
func NewEventID() string { return "evt_" + randomHex(24) }

// NewAccessRequestID names a request for production access.
func NewAccessRequestID() string { return "acr_" + randomHex(20) }

// NewProductID names a product.
func NewProductID() string { return "prod_" + randomHex(20) }

// NewSessionID names a session.
func NewSessionID() string { return "ses_" + randomHex(20) }

// NewPasskeyID names a passkey.
func NewPasskeyID() string { return "pky_" + randomHex(20) }

// NewTokenID names what a link in a mail stands for.
func NewTokenID() string { return "tok_" + randomHex(20) }

// NewInviteID names an invitation.
func NewInviteID() string { return "inv_" + randomHex(20) }

func newMailID() string { return "mail_" + randomHex(20) }

// NewDestinationID names a destination of withdrawals.
func NewDestinationID() string { return "dst_" + randomHex(20) }

// NewWithdrawalID names a withdrawal.
func NewWithdrawalID() string { return "wdr_" + randomHex(20) }

// NewRefundID names a refund.
func NewRefundID() string { return "rfd_" + randomHex(20) }

// NewBlockID names an amount that staff hold back.
func NewBlockID() string { return "blk_" + randomHex(20) }

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
