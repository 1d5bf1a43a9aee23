// Package account holds the pages by which people get in and keep what is theirs: sign-up and
// log-in, second factors and passkeys, passwords, email addresses, invitations.
package account

import (
	"garoupa/views/components"
	"garoupa/views/layouts"
)

// SignUpProps is GET and POST /cadastro. Fields: name, business, email, terms where the
// installation has some, and password or passkey.
type SignUpProps struct {
	layouts.AuthProps
	Name     string
	Business string // becomes the account's name, which buyers see
	Email    string
	Accepted bool // the terms of use, as ticked
	Taken    bool // another person has the email
	Errors   components.FieldErrors
	ByKey    bool // a passkey may be made in place of the password
}

// NoSignUpProps is /cadastro where not everyone may sign up.
type NoSignUpProps struct {
	layouts.AuthProps
	Invited bool // people who were invited may
}

// why begins the names of the page's texts.
func (p NoSignUpProps) why() string {
	if p.Invited {
		return "sign_up_invited"
	}
	return "sign_up_closed"
}

// LogInProps is GET and POST /entrar. Fields: email, password, next. A wrong
// password and an unknown email are the same error of the form as a whole.
type LogInProps struct {
	layouts.AuthProps
	Email   string
	Next    string // local path to go on to; the handler checks it
	Flash   *components.FlashProps
	Errors  components.FieldErrors
	ByKey   bool // a passkey logs in, too
	SignsUp bool // everyone may make an account
	SSO     SSO
}

// username is the value that browsers may fill in for the email.
func (p LogInProps) username() string {
	if p.ByKey {
		return "username webauthn"
	}
	return "username"
}
