package account

import (
	"garoupa/views/components"
	"garoupa/views/layouts"
)

// ForgotProps is GET and POST /esqueci-senha. Fields: email.
type ForgotProps struct {
	layouts.AuthProps
	Email  string
	Sent   bool // a mail was sent, if a user has the address
	Errors components.FieldErrors
}

// ResetProps is GET and POST /redefinir-senha. Fields: token, password.
type ResetProps struct {
	layouts.AuthProps
	Token            string
	ReplacesPasskeys bool // the person's passkeys are removed
	Errors           components.FieldErrors
}

// FirstPasswordProps is GET and POST /app/configuracoes/seguranca/senha for a person
// without a password. Fields: password.
type FirstPasswordProps struct {
	layouts.AuthProps
	Email  string
	Base   string // of the pages of their log-in
	Errors components.FieldErrors
}
