package console

import (
	"garoupa/views/components"
	"garoupa/views/layouts"
)

// LookUpFields are the fields of a search for charges, as typed. Their names are amount,
// from, until and at, a time of day on the day from.
type LookUpFields struct {
	Amount, From, Until, At string
}

// LookUpProps is GET /ops/cobrancas: charges of all merchants.
type LookUpProps struct {
	Shell  layouts.OpsShell
	Fields LookUpFields
	Errors components.FieldErrors
	Looked bool // there was something to look for
	Items  []Item
	More   bool // there is more than is shown
}
