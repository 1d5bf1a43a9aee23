package console

import (
	"garoupa/views/components"
	"garoupa/views/layouts"
)

// OpsLookUpFields are the fields of a search for charges, as typed. Their names are amount,
// from, until and at, a time of day on the day from.
type OpsLookUpFields struct {
	Amount, From, Until, At string
}

// OpsLookUpProps is GET /ops/cobrancas: charges of all merchants.
type OpsLookUpProps struct {
	Shell  layouts.OpsShell
	Fields OpsLookUpFields
	Errors components.FieldErrors
	Looked bool // there was something to look for
	Items  []OpsItem
	More   bool // there is more than is shown
}
