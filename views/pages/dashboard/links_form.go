package dashboard

import (
	"context"
	"strconv"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// LinkFields are the fields of a link's form, as typed. Their names are expiresInSeconds, successUrl, returnUrl,
// buyerData, maxQuantity, open, openMin, openMax, stock, stockWas and endsAt.
type LinkFields struct {
	ExpiresIn   int // seconds
	SuccessURL  string
	ReturnURL   string
	BuyerData   string
	MaxQuantity string
	Open        bool
	OpenMin     string
	OpenMax     string
	Stock       string // units to sell; "" for no limit
	StockWas    string // what Stock was when the page was made: unchanged, it leaves the stock as it is
	EndsAt      string // of a date-time field; "" for never
}

// terms reports whether a term of the sale was chosen or is wrong, so that it has to be in sight.
func (f LinkFields) terms(errs components.FieldErrors) bool {
	for _, field := range []string{"buyerData", "maxQuantity", "openMin", "stock", "endsAt"} {
		if errs.For(field) != "" {
			return true
		}
	}
	return f.Open || f.Stock != "" || f.EndsAt != "" || f.MaxQuantity != "1" || f.BuyerData != "OPTIONAL"
}

// addresses is terms for the time to pay and the addresses.
func (f LinkFields) addresses(errs components.FieldErrors) bool {
	wrong := errs.For("expiresInSeconds") + errs.For("successUrl") + errs.For("returnUrl")
	return wrong != "" || f.SuccessURL != "" || f.ReturnURL != ""
}

// linkPreviewFields are the fields that the page beside the form shows.
const linkPreviewFields = "buyerData maxQuantity open openMin openMax stock endsAt"

// LinkFormProps is a link's form, without what it sells.
type LinkFormProps struct {
	Shell    layouts.Shell
	Fields   LinkFields
	Expiries []int    // offered, in seconds
	Kinds    []string // of BuyerData, offered
	Unfolded bool     // shows all fields
	Preview  string   // the address of the page beside the form; "" for none
	Errors   components.FieldErrors
}

func (p LinkFormProps) kinds(ctx context.Context) []components.SelectOption {
	var options []components.SelectOption
	for _, kind := range p.Kinds {
		options = append(options, components.SelectOption{Value: kind, Label: i18n.T(ctx, "links.buyer_data_"+kind)})
	}
	return options
}

func (p LinkFormProps) expiries(ctx context.Context) []components.SelectOption {
	var options []components.SelectOption
	for _, seconds := range p.Expiries {
		options = append(options, components.SelectOption{
			Value: strconv.Itoa(seconds), Label: i18n.Span(ctx, time.Duration(seconds)*time.Second),
		})
	}
	return options
}

// addressHint adds what live asks of an address.
func (p LinkFormProps) addressHint(ctx context.Context, hint string) string {
	if p.Shell.Live {
		return hint + " " + i18n.T(ctx, "links.https")
	}
	return hint
}

// EditLinkProps is GET /app/links/{id}/editar and POST /app/links/{id}.
type EditLinkProps struct {
	ID      string
	Product string // its name
	Form    LinkFormProps
}
