package dashboard

import (
	"context"
	"unicode"
	"unicode/utf8"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// ProductsProps is GET /app/produtos?cursor=: the products of the environment,
// newest first.
type ProductsProps struct {
	Shell    layouts.Shell
	Products []ProductRow
	CanEdit  bool
	Archived bool // shows those that are archived, instead of the others
	Pager    components.PagerProps
}

// ProductRow is one product in the list.
type ProductRow struct {
	Slug         string
	Name         string
	Amount       money.Cents
	PaymentCycle string
	Active       bool
	Archived     bool
	Picture      base.ProductPicture
}

// ProductFields are the fields of a product's form, as typed. Their names are
// name, slug, amount, description, paymentCycle, active, picture, which is a file, and
// removePicture.
type ProductFields struct {
	Key          string // of the form that makes one product, however often it is sent
	Name         string
	Slug         string // fixed once the product is made
	Amount       string // "1.234,50"
	Description  string
	PaymentCycle string // one of Cycles
	// Asked for once the product is made.
	Active, RemovePicture bool
}

// NewProductProps is GET /app/produtos/novo and POST /app/produtos.
type NewProductProps struct {
	Shell  layouts.Shell
	Fields ProductFields
	Cycles []string // offered, in order
	// Preview is the address of the page beside the form.
	Preview string
	Errors  components.FieldErrors
}

// ProductProps is GET and POST /app/produtos/{slug}. Members who may not edit see
// the same facts without a form.
type ProductProps struct {
	Shell  layouts.Shell
	Title  string // the product's name as it is kept
	Active bool   // as it is kept
	// Archived products can only be put back.
	Archived bool
	Picture  base.ProductPicture
	// Elsewhere is an address from before pictures were uploaded, "" for none.
	Elsewhere string
	Fields    ProductFields
	Cycles    []string
	CanEdit   bool
	CanLink   bool   // shows the way to a new link of this product
	Preview   string // the address of the page beside the form
	Errors    components.FieldErrors
}

// productStatus names the state of a product for its badge.
func productStatus(active, archived bool) string {
	switch {
	case archived:
		return "ARCHIVED"
	case active:
		return "ACTIVE"
	}
	return "INACTIVE"
}

// cycleName is a payment cycle in words that follow a price.
func cycleName(ctx context.Context, cycle string) string { return i18n.T(ctx, "cycle."+cycle) }

// sentence writes words as those that begin a line.
func sentence(words string) string {
	first, size := utf8.DecodeRuneInString(words)
	return string(unicode.ToUpper(first)) + words[size:]
}

func cycleOptions(ctx context.Context, cycles []string) []components.SelectOption {
	var options []components.SelectOption
	for _, cycle := range cycles {
		options = append(options, components.SelectOption{Value: cycle, Label: sentence(cycleName(ctx, cycle))})
	}
	return options
}

// facts are what members who may not edit see.
func (p ProductProps) facts(ctx context.Context) []components.KeyValue {
	return []components.KeyValue{
		{Key: i18n.T(ctx, "products.slug"), Value: p.Fields.Slug, Mono: true},
		{Key: i18n.T(ctx, "products.amount"), Value: i18n.Reais(ctx, p.Fields.Amount)},
		{Key: i18n.T(ctx, "products.description"), Value: p.Fields.Description},
		{Key: i18n.T(ctx, "products.elsewhere"), Value: p.Elsewhere, Mono: true},
		{Key: i18n.T(ctx, "products.cycle"), Value: sentence(cycleName(ctx, p.Fields.PaymentCycle))},
	}
}
