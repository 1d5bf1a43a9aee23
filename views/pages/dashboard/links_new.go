package dashboard

import (
	"context"

	"garoupa/views/components"
	"garoupa/views/i18n"
)

// NewLinkProps is GET /app/links/novo and POST /app/links. Fields: productId, those of
// LinkFields, and key, which makes one link however often the form is sent.
type NewLinkProps struct {
	Key       string
	Products  []ProductRow // to choose from; without any there is no form
	ProductID string       // the chosen slug
	Form      LinkFormProps
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
