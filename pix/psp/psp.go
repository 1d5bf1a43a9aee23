// Package psp defines what the gateway needs from a payment institution (PSP, prestador de
// serviços de pagamento). Each connector is a package below it; psp/simulator serves test
// keys.
package psp

import (
	"context"
	"errors"
	"time"
)

// ErrUnavailable reports that the institution cannot be reached or refuses for now. No code
// was handed out, so nothing was promised to a buyer; the same charge may be requested
// again. Every *Error is ErrUnavailable: its Kind says whether to try again.
var ErrUnavailable = errors.New("psp: the institution is unavailable")

// Charge describes a Pix charge that is paid at most once (cob of BACEN's API Pix).
type Charge struct {
	TxID         string // 26 to 35 letters and digits, see pix.ChargeTxID; never changes
	Amount       int64  // centavos, more than 0
	ExpiresIn    time.Duration
	MerchantName string // any script and length: a connector shortens it
	City         string // any script and length
	Description  string // shown to the payer
	Payer        Person // optional: the zero value leaves it out
}

// Person is a natural person or a company.
type Person struct {
	Name     string
	Document string // CPF or CNPJ; a connector leaves out a person whose check digits are wrong
}

// Issued is a charge that the institution has accepted.
type Issued struct {
	CopyPaste string // the BR Code (pixCopiaECola)

	// By the institution's clock. They are zero where the institution does not say them.
	CreatedAt, PayableUntil time.Time
	Revision                int // grows when the charge is changed
}

// Payment is a Pix payment that an institution has received.
type Payment struct {
	EndToEndID string // assigned by the payment system, unique in Brazil; 32 characters at most institutions
	TxID       string // of the charge; "" or an unknown one if the payer typed the key
	Amount     int64  // centavos; may differ from the amount of the charge
	PaidAt     time.Time
	Key        string // the receiver's Pix key, "" where the institution leaves it out
	Returns    []Return
}

// Provider is one institution, with one account there.
type Provider interface {
	// PutCharge creates the charge. It is idempotent on TxID: repeating it with the same
	// charge returns the same charge. It may take seconds and must not be called in a
	// transaction. An error other than ErrUnavailable means that the charge is refused
	// permanently, as does an *Error whose Kind is Refused.
	PutCharge(ctx context.Context, c Charge) (Issued, error)
}

// None is the provider of an installation without an institution.
type None struct{}

// PutCharge implements Provider. It always fails with ErrUnavailable.
func (None) PutCharge(context.Context, Charge) (Issued, error) {
	return Issued{}, ErrUnavailable
}
