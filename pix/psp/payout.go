package psp

import "time"

// Payout is a Pix to be sent.
type Payout struct {
	ID       string // of the caller, 1 to 35 letters and digits; a bank sends the same id once
	Key      string // the receiver's Pix key
	Document string // CPF or CNPJ that must own the key; "" if the bank should not compare
	Amount   int64  // centavos, more than 0
	Note     string // shown to the receiver
}

// Sent is a payout as the bank has it.
type Sent struct {
	ID         string
	EndToEndID string // "" if not known yet
	Status     TransferStatus
	RawStatus  string // the bank's word
	Reason     string // why it was refused, in the bank's words
	Amount     int64  // centavos

	AskedAt, EndedAt time.Time // zero where the bank does not say them

	// Returns are what the receiver gave back after the payout was done. Their sum may be less
	// than Amount, and may grow.
	Returns []Return
}
