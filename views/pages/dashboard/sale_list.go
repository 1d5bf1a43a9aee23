package dashboard

import (
	"context"
	"net/url"
	"strings"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// SalesPath is the address of the sales.
const SalesPath = "/app/saldo/vendas"

// SaleFiles are the kinds of files of sales, by the ends of their names.
var SaleFiles = []string{"csv", "xlsx"}

// SalesProps is GET /app/saldo/vendas?from=&until=&cursor=. Fields of its form: from, until. The same query at
// /app/saldo/vendas.csv is the list as a file.
type SalesProps struct {
	Shell layouts.Shell
	// NeedsAccess says that live money needs production access; then nothing else is shown.
	NeedsAccess bool
	Filter      SaleFilter
	Errors      components.FieldErrors
	Periods     []Period
	Sum         *SaleSum  // of the filter, on all pages; nil shows none
	Sales       []SaleRow // latest payment first
	Pager       components.PagerProps
}

// SaleFilter is the period of the sales, as in the address.
type SaleFilter struct {
	From  string // a day of payments such as 2026-11-20; "" is unbounded
	Until string // the last day, included
}

// SaleSum is how many sales there are, and their money.
type SaleSum struct {
	Count                     int
	Gross, Fee, Refunded, Net money.Cents
	More                      bool // there are more than Count; their money is unknown
}

// SaleRow is a paid charge.
type SaleRow struct {
	ID                        string
	Title                     string // who bought, or what
	Order                     string // the merchant's own
	PaidAt                    time.Time
	Gross, Fee, Refunded, Net money.Cents
	Settlement                string     // PENDING, AVAILABLE or COMPLETED
	FreeAt                    *time.Time // nil if unknown
	Own                       bool       // the money is at the merchant's own bank account
	Movements                 []SaleMovement
}

// SaleMovement is a movement of the ledger that a sale caused.
type SaleMovement struct {
	At       time.Time
	Kind     string // PAYMENT and the others of models.MovementKind
	Internal bool   // between the account's own books
	Amount   money.Cents
}

// amountClass is that of the statement.
func (m SaleMovement) amountClass() string {
	return MovementRow{Internal: m.Internal, Amount: m.Amount}.amountClass()
}

// Query is the filter as the query of an address, "" for none.
func (f SaleFilter) Query() string {
	return StatementFilter{From: f.From, Until: f.Until}.Query()
}

// address is path with the filter.
func (f SaleFilter) address(path string) string {
	return StatementFilter{From: f.From, Until: f.Until}.address(path)
}

// periods are links to periods.
func (p SalesProps) periods(ctx context.Context) []components.Tab {
	return periodTabs(ctx, p.Periods, p.Filter.From, p.Filter.Until, func(from, until string) string {
		return SaleFilter{From: from, Until: until}.address(SalesPath)
	})
}

// count says how many sales there are.
func (s SaleSum) count(ctx context.Context) string {
	count := i18n.Number(ctx, s.Count)
	if s.More {
		return i18n.T(ctx, "checkouts.sum_more", count)
	}
	return count
}

// href leads to the charge.
func (r SaleRow) href() string { return "/app/cobrancas/" + url.PathEscape(r.ID) }

// free says when the money is free, or since when it is.
func (r SaleRow) free(ctx context.Context, now time.Time) string {
	state := strings.ToLower(r.Settlement)
	if r.Own {
		state = "own"
	}
	if r.FreeAt == nil {
		return i18n.T(ctx, "status.settlement_"+r.Settlement)
	}
	return i18n.T(ctx, "sale.free_"+state, nearMoment(ctx, *r.FreeAt, now))
}

// nearMoment is a moment without the year, if that is now's.
func nearMoment(ctx context.Context, t, now time.Time) string {
	if i18n.Day(t)[:4] != i18n.Day(now)[:4] {
		return i18n.DateTime(ctx, t)
	}
	return i18n.ShortDay(ctx, t) + " " + i18n.Clock(ctx, t)
}

// balanceTabs are the two views of the account's money; current is the address of one.
func balanceTabs(ctx context.Context, current string) components.TabsProps {
	tabs := components.TabsProps{Label: i18n.T(ctx, "sale.views")}
	for _, tab := range []components.Tab{
		{Label: i18n.T(ctx, "sale.movements"), Href: "/app/saldo"}, {Label: i18n.T(ctx, "sale.title"), Href: SalesPath},
	} {
		tab.Current = tab.Href == current
		tabs.Tabs = append(tabs.Tabs, tab)
	}
	return tabs
}
