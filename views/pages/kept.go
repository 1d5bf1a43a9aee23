package pages

import "garoupa/views/layouts"

// Why a form was held up.
const (
	KeptLoggedOut   = "logged_out"  // its session is over
	KeptEnvironment = "environment" // another window has gone to the other environment
	KeptAccount     = "account"     // another window has gone to another account
)

// Why a form is held up until its sender has set up a second factor.
const (
	KeptSecondFactor  = "second_factor"  // it moves live money
	KeptAccountFactor = "account_factor" // the owner of the account requires it
)

// KeptProps holds what was typed until its sender has decided.
type KeptProps struct {
	layouts.AuthProps
	Reason   string
	Live     bool   // the environment that the form was shown in
	Account  string // that the sender looks at now, of KeptAccount
	Section  string // where to continue without sending; "" for the start page
	Open     string // what the sender must do first, in another window; "" if nothing
	Action   string // where the form goes
	Fields   []HiddenField
	Files    bool // it had files, which cannot be kept
	Download bool // it is answered with a file, so the page stays
}

// environmentName is the key of an environment's name.
func environmentName(live bool) string {
	if live {
		return "layout.live"
	}
	return "layout.test"
}

// The names of the fields with secrets at banks. Forms that are kept, to be sent again, are kept
// without them.
const (
	BankSecret      = "clientSecret"
	BankAppKey      = "appKey"
	BankKeyPassword = "certificatePassword"
)
