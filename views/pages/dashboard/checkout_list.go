package dashboard

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/a-h/templ"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// CheckoutsProps is GET /app/cobrancas?status=&q=&from=&until=&cursor=. Fields of
// its form: q, from, until. The same query at /app/cobrancas/cobrancas.csv is the
// list as a file.
type CheckoutsProps struct {
	Shell     layouts.Shell
	Filter    CheckoutFilter
	Errors    components.FieldErrors
	Counts    map[string]int // by status, in the period; nil shows none
	Sum       *CheckoutSum   // of the filter, on all pages; nil shows none
	Periods   []Period
	Checkouts []CheckoutRow
	Pager     components.PagerProps
	CanCreate bool
	CanExport bool
	Empty     EmptyCheckouts
}

// CheckoutSum is how many charges there are, and what they amount to.
type CheckoutSum struct {
	Count  int
	Amount money.Cents
	More   bool // there are more than Count; what they amount to is unknown
}

// sum says how many charges the filter finds.
func (p CheckoutsProps) sum(ctx context.Context) string {
	count := i18n.N(ctx, "checkouts.sum_"+cmp.Or(p.Filter.Status, "ALL"), p.Sum.Count)
	if p.Sum.More {
		return i18n.T(ctx, "checkouts.sum_more", count)
	}
	return count
}

// periods are links to periods, which keep the rest of the filter.
func (p CheckoutsProps) periods(ctx context.Context) []components.Tab {
	return periodTabs(ctx, p.Periods, p.Filter.From, p.Filter.Until, func(from, until string) string {
		filter := p.Filter
		filter.From, filter.Until = from, until
		return filter.address("/app/cobrancas")
	})
}

// typed reports whether the filter has what only the form can say.
func (p CheckoutsProps) typed() bool {
	preset := slices.ContainsFunc(p.Periods, func(period Period) bool {
		return period.From == p.Filter.From && period.Until == p.Filter.Until
	})
	return p.Filter.Text != "" || !preset || len(p.Errors) > 0
}

// EmptyCheckouts is shown when there are no charges yet.
type EmptyCheckouts struct {
	CanCreate   bool // the member may create charges here
	NeedsAccess bool // live charges need production access first
	Live        bool
	Second      bool   // the page has a more urgent step, which gets the primary button
	APIURL      string // base address of the example request
}

func (e EmptyCheckouts) button() string {
	if e.Second {
		return "btn-secondary"
	}
	return "btn-primary"
}

func (e EmptyCheckouts) action(ctx context.Context) string {
	if e.Live {
		return i18n.T(ctx, "checkouts.create")
	}
	return i18n.T(ctx, "checkouts.create_test")
}

// MostCounted is the largest count that a tab shows as a number.
const MostCounted = 1000

// CheckoutFilter is the filter of the list, as in the address.
type CheckoutFilter struct {
	Status string // "" or a Status constant
	Text   string // searched text
	From   string // a day such as 2026-11-20; "" is unbounded
	Until  string // the last day, included
}

// Query is the filter as the query of an address, "" for none.
func (f CheckoutFilter) Query() string {
	values := url.Values{}
	for name, value := range map[string]string{"status": f.Status, "q": f.Text, "from": f.From, "until": f.Until} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return values.Encode()
}

// address is path with the filter.
func (f CheckoutFilter) address(path string) string {
	if query := f.Query(); query != "" {
		return path + "?" + query
	}
	return path
}

// CheckoutRow is one checkout in a list.
type CheckoutRow struct {
	ID          string
	Status      string
	Amount      money.Cents
	Description string
	Customer    string // "" if the charge names no customer
	ExternalID  string
	CreatedAt   time.Time
	PaidAt      *time.Time // nil if it is not paid
}

// paid says when the charge was paid.
func (r CheckoutRow) paid(ctx context.Context, now time.Time) string {
	return i18n.T(ctx, "checkouts.paid_when", i18n.Relative(ctx, *r.PaidAt, now))
}

// summary returns the description with the customer.
func (r CheckoutRow) summary() string {
	if r.Customer == "" {
		return r.Description
	}
	return r.Description + " · " + r.Customer
}

// news marks the row of a paid charge for the script that keeps the page current. It announces the text when the
// row becomes one.
func (r CheckoutRow) news(ctx context.Context) templ.Attributes {
	if r.Status != base.StatusPaid {
		return nil
	}
	return templ.Attributes{"data-paid": i18n.T(ctx, "checkouts.just_paid", i18n.Money(ctx, r.Amount))}
}

// filtered distinguishes a search without results from an account without charges.
func (p CheckoutsProps) filtered() bool { return p.Filter != CheckoutFilter{} }

// tabs are the filters by status. They keep what was searched for.
func (p CheckoutsProps) tabs(ctx context.Context) []components.Tab {
	var tabs []components.Tab
	for _, status := range []string{"", base.StatusPaid, base.StatusPending, base.StatusExpired, base.StatusCancelled} {
		filter := p.Filter
		filter.Status = status
		tab := components.Tab{Label: i18n.T(ctx, "checkouts.tab_"+cmp.Or(status, "ALL")),
			Href: filter.address("/app/cobrancas"), Current: status == p.Filter.Status}
		if p.Counts != nil {
			tab.Count = p.count(ctx, status)
		}
		tabs = append(tabs, tab)
	}
	return tabs
}

// count returns the number with a status ("" is all), as far as they were counted.
func (p CheckoutsProps) count(ctx context.Context, status string) string {
	n := p.Counts[status]
	if status == "" {
		for _, of := range p.Counts {
			n += of
		}
	}
	if n > MostCounted {
		return i18n.Number(ctx, MostCounted) + "+"
	}
	return i18n.Number(ctx, n)
}
