package account

import (
	"cmp"
	"time"

	"garoupa/views/components"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// MaxPasskeyName bounds the name of a passkey in characters.
const MaxPasskeyName = 60

// PasskeyRow is one passkey of a person's.
type PasskeyRow struct {
	ID        string
	Name      string
	CreatedAt time.Time
	UsedAt    *time.Time // the last time; nil: never
}

// NewPasskeyProps is GET and POST /2fa/passkey. Fields: passkey_name, passkey, next.
type NewPasskeyProps struct {
	layouts.AuthProps
	Name        string
	Next        string    // local path to go on to; the handler checks it
	Need        base.Need // why the person must; the page offers each of the two ways
	HasPassword bool      // which will need the passkey after it
	Errors      components.FieldErrors
}

// back is where people go who do not want a passkey.
func (p NewPasskeyProps) back() string {
	return cmp.Or(wayBack(p.Need, p.Next), p.Next)
}

// PasskeyProps is one passkey's page, of the dashboard or of the console. Fields of its
// form: passkey_name.
type PasskeyProps struct {
	SecurityFrame
	Passkey PasskeyRow
	Name    string // as typed
	Last    bool   // the person could not log in without it
	Errors  components.FieldErrors
}
