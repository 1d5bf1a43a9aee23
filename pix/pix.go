// Package pix reads and writes the BR Code, the text behind a Pix QR code, and the
// identifiers that travel with a Pix payment.
//
// A BR Code is a sequence of fields, each a two-digit tag, a two-digit length in
// characters and a value; the value of a template is such a sequence itself. The
// last field, tag 63, is a CRC-16 of all the bytes before it. A code is one of:
//
//   - static: names a Pix key and, if wanted, an amount. Anyone can pay it, any
//     number of times, and the receiver tells payments apart by TxID.
//   - dynamic: names a location at the receiver's institution, where the payer's
//     app fetches a signed charge that is paid at most once.
//   - recurrence: names a location where the payer agrees to recurring charges (Pix
//     Automático), alone or on top of one of the other two.
//
// The package does no I/O and knows no institution; those are in pix/psp. Tags are
// cited as in the EMV QR Code Specification, Merchant-Presented Mode, with a dot
// between a template and its field: 26.01 is the Pix key.
package pix

// Limits of the Pix profile, in characters.
const (
	MaxName     = 25 // merchant name, tag 59
	MaxCity     = 15 // merchant city, tag 60
	MaxLocation = 77 // 26.25 and 80.25
)

// Initiation says how often a code may be shown (tag 01). It is only a hint, and institutions
// set it inconsistently: the content of the account makes a code static or dynamic, never this
// field.
type Initiation string

// The two values of tag 01; "" leaves the tag out.
const (
	Reusable  Initiation = "11"
	SingleUse Initiation = "12"
)

// Code is the content of a BR Code. At least one of Key, Location and Recurrence is set,
// and not both Key and Location.
type Code struct {
	Initiation   Initiation
	Key          string // 26.01, the receiver's Pix key; makes the code static
	Info         string // 26.02, shown to the payer of a static code
	Location     string // 26.25, host and path without scheme; makes the code dynamic
	Recurrence   string // 80.25, host and path without scheme
	Amount       int64  // 54, in centavos; 0 if the code names none and the payer or the charge decides
	MerchantName string // 59
	MerchantCity string // 60
	PostalCode   string // 61, eight digits; "" for none
	TxID         string // 62.05; "" for none. On a dynamic code only a label: the charge has the TxID
}

const (
	gui           = "br.gov.bcb.pix" // compared without regard to case
	noTxID        = "***"            // fills the mandatory field 62.05 when there is no TxID
	maxCode       = 357              // the length when all fields are at their limits
	maxValue      = 99               // a length has two digits
	maxKey        = 77
	maxInfo       = 72
	maxAmount     = 9_999_999_999_99 // centavos; the most that 13 characters of tag 54 can express
	maxAmountText = 13
	accountGUI    = 4 + len(gui) // the length of the GUI field in a template
)
