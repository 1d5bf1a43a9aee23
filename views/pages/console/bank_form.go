package console

import (
	"garoupa/views/components"
	"garoupa/views/layouts"
)

// BankFields are the fields of a new account as typed, without secrets and files: those are never
// sent back.
type BankFields struct {
	Name, Profile              string
	Sandbox                    bool
	PixKey, AccountNumber      string
	HolderName, HolderDocument string
	Overrides                  string
	ClientID                   string
}

// NewBankProps is GET and POST /ops/bancos/nova.
type NewBankProps struct {
	Shell    layouts.OpsShell
	Profiles []string // the banks to choose from
	Fields   BankFields
	Errors   components.FieldErrors
}

// NewCredentialProps is GET and POST /ops/bancos/{id}/credenciais.
type NewCredentialProps struct {
	Shell    layouts.OpsShell
	ID, Name string // of the account
	ClientID string
	Errors   components.FieldErrors
}

// advanced reports whether the part of the form that few need is open.
func (p NewBankProps) advanced() bool {
	return p.Fields.Overrides != "" || p.Errors.For("overrides") != ""
}
