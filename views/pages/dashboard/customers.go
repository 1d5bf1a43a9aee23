package dashboard

import (
	"context"
	"net/url"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// CustomersPath is the list of customers; below it is the page of each.
const CustomersPath = "/app/clientes"

// CustomersProps is GET /app/clientes?q=&cursor=. Field of its form: q. The same query at
// /app/clientes/clientes.csv is the list as a file.
type CustomersProps struct {
	Shell     layouts.Shell
	Text      string // what was looked for; "" lists all
	Customers []CustomerRow
	Pager     components.PagerProps
	CanExport bool
}

// file is the address of the list as a file.
func (p CustomersProps) file() string {
	const path = CustomersPath + "/clientes.csv"
	if p.Text == "" {
		return path
	}
	return path + "?" + url.Values{"q": {p.Text}}.Encode()
}

// CustomerRow is one customer in a list.
type CustomerRow struct {
	ID         string
	Name       string // what the latest charge does not say is ""
	Email      string
	Document   string // as people write it
	Charges    int
	More       bool // there are more charges than Charges, and PaidAmount is of some
	PaidAmount money.Cents
	LastPaid   *time.Time
}

// title is what the customer is called.
func (r CustomerRow) title(ctx context.Context) string {
	for _, text := range []string{r.Name, r.Email, r.Document} {
		if text != "" {
			return text
		}
	}
	return i18n.T(ctx, "customers.nameless")
}

// contact is what is known besides the title.
func (r CustomerRow) contact() string {
	if r.Name == "" {
		return ""
	}
	return r.Email
}

// charges is the number of charges.
func (r CustomerRow) charges(ctx context.Context) string {
	if r.More {
		return i18n.Number(ctx, r.Charges) + "+"
	}
	return i18n.Number(ctx, r.Charges)
}

// chargesInWords is charges for where no column says what is counted.
func (r CustomerRow) chargesInWords(ctx context.Context) string {
	if r.More {
		return i18n.T(ctx, "checkouts.sum_more", i18n.N(ctx, "checkouts.sum_ALL", r.Charges))
	}
	return i18n.N(ctx, "checkouts.sum_ALL", r.Charges)
}

// paid is the amount paid, or what is known of it.
func (r CustomerRow) paid(ctx context.Context) string {
	if r.More {
		return "> " + i18n.Money(ctx, r.PaidAmount)
	}
	return i18n.Money(ctx, r.PaidAmount)
}

// weight is how an amount looks, which stands back if nothing was paid.
func (r CustomerRow) weight() string {
	if r.PaidAmount == 0 {
		return "text-ink-3"
	}
	return "font-semibold"
}

// href is the customer's page.
func (r CustomerRow) href() string { return CustomersPath + "/" + r.ID }
