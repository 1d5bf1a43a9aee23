package dashboard

import (
	"context"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// NewCheckoutProps is GET /app/cobrancas/nova and POST /app/cobrancas. Fields:
// amount, description, externalId, expiry (one of Expiries), minutes (with
// ExpiryOther), customer_name, customer_email, customer_document, customer_phone,
// metadata_key_0, metadata_value_0 and so on, and key, which makes one charge
// however often the form is sent. The button metadata_more asks for further rows of
// metadata and makes none; the button send makes the charge and then sends its address.
// GET ?like=chk_… fills the form in with another charge of the project.
type NewCheckoutProps struct {
	Shell       layouts.Shell
	Key         string
	Amount      string // as typed
	Description string
	ExternalID  string
	Expiry      string
	Minutes     string // as typed
	Customer    CustomerFields
	Metadata    []components.KeyValueRow
	MoreRows    bool   // further rows of metadata can be added
	Preview     string // the address of the page beside the form
	Errors      components.FieldErrors
}

// CustomerFields are the customer's fields, as typed.
type CustomerFields struct{ Name, Email, Document, Phone string }

// given reports whether any field of the customer is filled in.
func (f CustomerFields) given() bool { return f != CustomerFields{} }

// ExpiryOther means that the time to pay is typed.
const ExpiryOther = "other"

// Expiries are the times to pay that the form offers, in seconds, and ExpiryOther.
var Expiries = []string{"1800", "3600", "86400", ExpiryOther}

func (p NewCheckoutProps) expiries(ctx context.Context) []components.RadioOption {
	var options []components.RadioOption
	for _, value := range Expiries {
		options = append(options, components.RadioOption{Value: value, Label: i18n.T(ctx, "checkouts.expiry_"+value)})
	}
	return options
}

// metadataGiven reports whether the form's metadata is used.
func (p NewCheckoutProps) metadataGiven() bool {
	for _, row := range p.Metadata {
		if row.Key != "" || row.Value != "" {
			return true
		}
	}
	return len(p.Metadata) > FirstRows
}

// FirstRows is how many rows of metadata the form begins with.
const FirstRows = 3

func (p NewCheckoutProps) more(ctx context.Context) string {
	if !p.MoreRows {
		return ""
	}
	return i18n.T(ctx, "checkouts.metadata_more")
}
