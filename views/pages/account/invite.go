package account

import (
	"garoupa/views/components"
	"garoupa/views/layouts"
)

// InviteState says how the visitor of an invitation's link relates to it.
type InviteState string

// The states.
const (
	InviteNew    InviteState = "new"    // no user has the address: the page creates a log-in
	InviteKnown  InviteState = "known"  // a user has the address and must log in
	InviteMine   InviteState = "mine"   // that user is logged in
	InviteOthers InviteState = "others" // another person is logged in
	InviteClosed InviteState = "closed" // no person has the address, and the installation lets no one make a log-in
)

// InviteProps is GET and POST /convite/:token. Fields of a newcomer: name, terms where the
// installation has some, and password or passkey.
type InviteProps struct {
	layouts.AuthProps
	State                         InviteState
	Token                         string
	Account, Inviter, Email, Role string
	Visitor                       string // the address of who is logged in
	Name                          string
	Accepted                      bool // the terms of use, as ticked
	ByKey                         bool // a newcomer may make a passkey in place of the password
	SSO                           SSO
	Errors                        components.FieldErrors
}
