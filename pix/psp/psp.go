// Package psp is what the gateway needs of a payment institution (PSP, prestador de
// serviços de pagamento). Each connector is a package below it; psp/simulator serves
// test keys.
package psp

import (
	"context"
	"errors"
	"time"
)

// ErrUnavailable is the error of an institution that cannot be reached or refuses for
// now. No code was handed out, so nothing was promised to a buyer; the same charge may
// be asked for again.
var ErrUnavailable = errors.New("psp: the institution is unavailable")

// Charge asks for a Pix charge that is paid at most once (cob of BACEN's API Pix).
type Charge struct {
	TxID         string // 26 to 35 letters and digits, see pix.ChargeTxID; names the charge for ever
	Amount       int64  // centavos, more than 0
	ExpiresIn    time.Duration
	MerchantName string // any script and length: a connector makes it fit
	City         string // likewise
	Description  string // shown to the payer
}

// Issued is a charge the institution has accepted.
type Issued struct {
	CopyPaste string // the BR Code (pixCopiaECola)
}

// Payment is a Pix an institution has received.
type Payment struct {
	EndToEndID string // of the payment system, unique in Brazil; 32 characters from most institutions
	TxID       string // of the charge; "" or a stranger's if the payer typed the key
	Amount     int64  // centavos, whatever the charge asked for
	PaidAt     time.Time
}

// Provider is one institution, with one account there.
type Provider interface {
	// PutCharge creates the charge. It is idempotent on TxID: the same charge put again
	// is the same charge. It may take seconds and must not be called in a transaction.
	// An error that is not ErrUnavailable means that the charge is refused for good.
	PutCharge(ctx context.Context, c Charge) (Issued, error)
}

// None is the provider of an installation without an institution.
type None struct{}

// PutCharge answers ErrUnavailable.
func (None) PutCharge(context.Context, Charge) (Issued, error) {
	return Issued{}, ErrUnavailable
}
