package psp

import "time"

// ChargeStatus is what a bank says of a charge. A charge that was not paid in time stays
// ChargeActive at the bank: only PayableUntil tells.
type ChargeStatus string

// The statuses of a charge. Any other word of a bank is ChargeUnknown, which is never final.
const (
	ChargeUnknown ChargeStatus = ""
	ChargeActive  ChargeStatus = "ACTIVE"
	ChargePaid    ChargeStatus = "PAID"
	ChargeRemoved ChargeStatus = "REMOVED"
)

// ChargeState is a charge as its bank has it.
type ChargeState struct {
	Status    ChargeStatus
	RawStatus string // the bank's word
	Key       string // the receiver's Pix key, "" where the bank leaves it out
	CopyPaste string // the BR Code; "" if the bank gives none, or one that is not to be believed
	Amount    int64  // centavos

	// By the bank's clock, zero where the bank does not say them.
	CreatedAt, PayableUntil time.Time
	Revision                int
	Payments                []Payment // the Pix that paid it
}
