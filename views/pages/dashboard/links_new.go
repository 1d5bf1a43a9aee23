package dashboard

import (
	"context"
	"strconv"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// NewLinkProps is GET /app/links/novo and POST /app/links. Fields: productId,
// expiresInSeconds, successUrl, returnUrl, and key, which makes one link however
// often the form is sent.
type NewLinkProps struct {
	Shell      layouts.Shell
	Key        string
	Products   []ProductRow // to choose from; without any there is no form
	ProductID  string       // the chosen slug
	Expiries   []int        // offered, in seconds
	ExpiresIn  int
	SuccessURL string
	ReturnURL  string
	Errors     components.FieldErrors
}

// products are the options of the form, each with its price.
func (p NewLinkProps) products(ctx context.Context) []components.SelectOption {
	var options []components.SelectOption
	for _, product := range p.Products {
		options = append(options, components.SelectOption{Value: product.Slug,
			Label: product.Name + " · " + i18n.Money(ctx, product.Amount)})
	}
	return options
}

func (p NewLinkProps) expiries(ctx context.Context) []components.SelectOption {
	var options []components.SelectOption
	for _, seconds := range p.Expiries {
		options = append(options, components.SelectOption{
			Value: strconv.Itoa(seconds), Label: i18n.Span(ctx, time.Duration(seconds)*time.Second),
		})
	}
	return options
}

// addressHint adds what live asks of an address.
func (p NewLinkProps) addressHint(ctx context.Context, hint string) string {
	if p.Shell.Live {
		return hint + " " + i18n.T(ctx, "links.https")
	}
	return hint
}
