package console

import (
	"garoupa/views/components"
	"garoupa/views/layouts"
)

// ReasonsProps is GET /ops/motivos: the saved reasons of a kind of decision.
type ReasonsProps struct {
	Shell   layouts.OpsShell
	Kind    string // as in the name of a text "ops.reasons_<kind>"
	Kinds   components.TabsProps
	Rows    []ReasonRow
	Text    string // what was typed, in the form for one more, or in that of Editing
	Editing string // the id of the reason that was sent; "" for one more
	Errors  components.FieldErrors
	Changed string // who changed the reason since it was shown, and when; "" if no one did
}

// ReasonRow is one saved reason.
type ReasonRow struct {
	ID, Text string
	Typed    string // in the form that changes it
	Version  string
	Errors   components.FieldErrors
}

// SavedReason is one that a person may pick instead of writing one.
type SavedReason struct{ ID, Text string }

// text returns what was typed in the form for one more, and its error.
func (p ReasonsProps) text() (typed, problem string) {
	if p.Editing != "" {
		return "", ""
	}
	return p.Text, p.Errors.For("text")
}
