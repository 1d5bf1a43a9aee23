package psp

import "time"

// DisputeStatus is what a bank says of a dispute.
type DisputeStatus string

// The statuses of a dispute. Any other word of a bank is DisputeUnknown, which is never final.
const (
	DisputeUnknown  DisputeStatus = ""
	DisputeOpen     DisputeStatus = "OPEN"     // an answer is awaited
	DisputeDefended DisputeStatus = "DEFENDED" // the bank has the answer
	DisputeWon      DisputeStatus = "WON"      // the receiver keeps the money
	DisputeLost     DisputeStatus = "LOST"     // the payer gets it back
)

// Dispute is a received Pix that its payer contests (MED).
type Dispute struct {
	Ref        string // the bank's id
	EndToEndID string // of the contested Pix
	Cause      string // in the bank's words
	Status     DisputeStatus
	RawStatus  string // the bank's word
	Amount     int64  // centavos contested

	OpenedAt, AnswerBy, ClosedAt time.Time // zero where the bank does not say them
}
