package console

import (
	"garoupa/views/components"
	"garoupa/views/layouts"
)

// DisputeFields are the fields of a new dispute as typed: payment, ref, amount, cause and answerBy.
type DisputeFields struct {
	Payment  string // its id
	Ref      string // the bank's id of the dispute
	Amount   string // "" for the whole payment
	Cause    string
	AnswerBy string // a day
}

// NewDisputeProps is GET and POST /ops/disputas/nova.
type NewDisputeProps struct {
	Shell  layouts.OpsShell
	Fields DisputeFields
	Errors components.FieldErrors
}
