package account

import "garoupa/views/layouts"

// DeadLinkKind is what a link that works no more was for.
type DeadLinkKind string

// The kinds; each has texts of its own.
const (
	DeadReset        DeadLinkKind = "reset"
	DeadVerification DeadLinkKind = "verification"
	DeadInvite       DeadLinkKind = "invite"
	DeadDevice       DeadLinkKind = "device"
	DeadEmail        DeadLinkKind = "email"
	DeadEmailTaken   DeadLinkKind = "taken" // the address became another person's
)

// DeadLinkProps is a link of a mail that was used or is too old.
type DeadLinkProps struct {
	layouts.AuthProps
	Kind DeadLinkKind
}
