package psp

import (
	"strings"
	"time"
)

// TransferStatus is what a bank says of money that it sends: a return or a payout.
type TransferStatus string

// The statuses of a transfer. Any other word of a bank is TransferUnknown, which is never final.
const (
	TransferUnknown    TransferStatus = ""
	TransferProcessing TransferStatus = "PROCESSING"
	TransferDone       TransferStatus = "DONE"
	TransferRefused    TransferStatus = "REFUSED" // the money has not left
)

// Return is money of a received Pix that goes back to its payer (devolução). Most are asked for by
// PutReturn. The bank adds others by itself: those made in its app, and those of the special
// mechanism for fraud and errors (MED).
type Return struct {
	ID        string // unique in its Pix
	RtrID     string // assigned by the payment system, unique in Brazil; "" if not known yet
	Nature    string // ORIGINAL, RETIRADA, MED_FRAUDE, MED_OPERACIONAL or what else the bank says
	Status    TransferStatus
	RawStatus string // the bank's word
	Reason    string // why it was refused, in the bank's words
	Amount    int64  // centavos

	AskedAt, EndedAt time.Time // zero where the bank does not say them
}

// Disputed reports whether the return was made by the special mechanism (MED), after the payer
// contested the Pix.
func (r Return) Disputed() bool { return strings.HasPrefix(r.Nature, "MED_") }
