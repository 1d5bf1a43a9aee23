package account

import (
	"garoupa/views/components"
	"garoupa/views/layouts"
)

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
