package pages

import (
	"garoupa/views/components"
	"garoupa/views/layouts"
)

// StepUpProps asks people to prove again who they are. Fields: those kept, and the proof.
type StepUpProps struct {
	layouts.AuthProps
	Email         string
	ByCode        bool          // of a generator, in place of the password
	ByPassword    bool          // of a person without a second factor
	ByRecovery    bool          // a recovery code serves where a passkey is lost
	Action        string        // where the form goes, with what was kept
	Download      bool          // what follows the proof is a file, so the page stays
	Fields        []HiddenField // what was typed already, or where they go on
	ProofField    string
	RecoveryField string // of a recovery code in its place
	KeyField      string // takes a proof by a passkey; "": the person has none
	Provider      string // the name of the company's provider, which proves it, too; "" if it does not
	Next          string // where the provider's proof leads; "" for a tab of its own, because a form is kept
	Back          string // the link for people who do not want to prove it
	Errors        components.FieldErrors
}

// HiddenField is a value that a form carries along.
type HiddenField struct {
	Name, Value string
}
