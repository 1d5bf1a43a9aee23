package pages

import (
	"time"

	"garoupa/views/components"
	"garoupa/views/layouts"
)

// ForgotProps is GET and POST /esqueci-senha. Fields: email.
type ForgotProps struct {
	layouts.AuthProps
	Email  string
	Sent   bool // if somebody has the address
	Errors components.FieldErrors
}

// ResetProps is GET and POST /redefinir-senha. Fields: token, password.
type ResetProps struct {
	layouts.AuthProps
	Token  string
	Errors components.FieldErrors
}

// FirstPasswordProps is GET and POST /app/configuracoes/seguranca/senha for somebody who
// has none. Fields: password.
type FirstPasswordProps struct {
	layouts.AuthProps
	Email  string
	Base   string // of the pages of their log-in
	Errors components.FieldErrors
}

// VerifyEmailProps is GET /verificar-email with a link's token. Fields: token.
type VerifyEmailProps struct {
	layouts.AuthProps
	Token string
	Email string // that is proven
}

// UnverifiedEmailProps is GET /verificar-email without one. Fields of its second form:
// email.
type UnverifiedEmailProps struct {
	layouts.AuthProps
	Flash  *components.FlashProps
	Email  string    // where the mail went
	Other  string    // the address typed in its place
	Again  time.Time // from when on the mail may be sent again
	Now    time.Time
	Errors components.FieldErrors
}

// NewEmailProps is GET and POST /trocar-email. Field: email.
type NewEmailProps struct {
	layouts.AuthProps
	Current string // the address that the person has
	Email   string // as typed
	Errors  components.FieldErrors
}

// ProveEmailProps is GET /confirmar-email with a link's token. Fields: token.
type ProveEmailProps struct {
	layouts.AuthProps
	Token string
	Email string // which becomes the person's
}

// DeadLinkKind is what a link that works no more was for.
type DeadLinkKind string

// The kinds; each has texts of its own.
const (
	DeadReset        DeadLinkKind = "reset"
	DeadVerification DeadLinkKind = "verification"
	DeadInvite       DeadLinkKind = "invite"
	DeadEmail        DeadLinkKind = "email"
	DeadEmailTaken   DeadLinkKind = "taken" // the address became somebody else's
)

// DeadLinkProps is a link of a mail that was used or is too old.
type DeadLinkProps struct {
	layouts.AuthProps
	Kind DeadLinkKind
}
