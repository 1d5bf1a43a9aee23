package pages

import (
	"garoupa/views/components"
	"garoupa/views/layouts"
)

// StepUpProps asks somebody to show once more who they are. Fields: those kept, and
// the proof.
type StepUpProps struct {
	layouts.AuthProps
	Email         string
	ByCode        bool          // of a generator, in place of the password
	ByPassword    bool          // neither: the person has passkeys alone
	Action        string        // where the form goes, with what was kept
	Fields        []HiddenField // what was typed already, or where they go on
	ProofField    string
	RecoveryField string // of a recovery code in its place
	KeyField      string // takes a proof by a passkey; "": the person has none
	Back          string // where whoever would rather not goes on
	Errors        components.FieldErrors
}

// HiddenField is a value that a form carries along.
type HiddenField struct {
	Name, Value string
}
