package account

import (
	"time"

	"garoupa/views/components"
	"garoupa/views/layouts"
)

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
