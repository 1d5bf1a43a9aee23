package dashboard

import (
	"context"
	"strings"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
)

// LinkFigures are what came of a payment link, or of the links of a product, in a period.
type LinkFigures struct {
	ID      string // shown to tell links of one product apart
	Name    string // the product's
	Href    string // of its page
	Visits  int
	Created int         // charges
	Pending int         // of the Created, those that can still be paid
	Paid    int         // of the Created, those paid by now
	Volume  money.Cents // of what was paid in the period
	Sales   int         // the payments of Volume
}

// LinksFigures are the links, or the products, that sold the most, and the volume of all.
type LinksFigures struct {
	Most   []LinkFigures
	Others int // links or products that are not among Most
	Volume money.Cents
}

// measures lists the most, what the others sold, and what was sold without a link.
func (f LinksFigures) measures(ctx context.Context, total money.Cents) []components.Measure {
	if len(f.Most) == 0 {
		return nil
	}
	total = max(total, f.Volume)
	measure := func(label string, volume money.Cents) components.Measure {
		return components.Measure{Label: label, Value: i18n.Money(ctx, volume), Share: thousandths(int64(volume),
			int64(total))}
	}
	named := map[string]int{}
	for _, link := range f.Most {
		named[link.Name]++
	}
	var all []components.Measure
	rest := f.Volume
	for _, link := range f.Most {
		m := measure(link.Name, link.Volume)
		m.Href, m.Detail = link.Href, link.detail(ctx)
		if named[link.Name] > 1 {
			m.Detail = components.ShortID(link.ID) + " · " + m.Detail
		}
		all = append(all, m)
		rest -= link.Volume
	}
	if f.Others > 0 {
		all = append(all, measure(i18n.N(ctx, "analytics.others", f.Others), rest))
	}
	if without := total - f.Volume; without > 0 {
		m := measure(i18n.T(ctx, "analytics.without_link"), without)
		m.Detail = i18n.T(ctx, "analytics.without_link_body")
		all = append(all, m)
	}
	return all
}

// detail says how the volume came about.
func (f LinkFigures) detail(ctx context.Context) string {
	return strings.Join([]string{i18n.N(ctx, "analytics.visits", f.Visits), i18n.N(ctx, "analytics.charges", f.Created),
		i18n.N(ctx, "analytics.paid", f.Paid)}, " · ")
}

// funnel is the way from visits to paid charges.
func (f LinkFigures) funnel(ctx context.Context) []components.Measure {
	widest := int64(max(f.Visits, f.Created))
	step := func(key string, n int, detail string) components.Measure {
		return components.Measure{Label: i18n.T(ctx, "links."+key), Value: i18n.Number(ctx, n), Detail: detail,
			Share: thousandths(int64(n), widest)}
	}
	visits, created := step("funnel_visits", f.Visits, ""), step("funnel_created", f.Created, "")
	if f.Created > 0 && f.Visits >= f.Created {
		created.Detail = i18n.T(ctx, "links.funnel_created_share", percent(ctx, f.Created, f.Visits))
	}
	paid := step("funnel_paid", f.Paid, "")
	if ended := max(f.Created-f.Pending, f.Paid); ended > 0 {
		paid.Detail = i18n.T(ctx, "links.funnel_paid_share", percent(ctx, f.Paid, ended))
	}
	if f.Pending > 0 {
		open := i18n.N(ctx, "links.funnel_open", f.Pending)
		paid.Detail = strings.TrimPrefix(paid.Detail+" · "+open, " · ")
	}
	return []components.Measure{visits, created, paid}
}

// thousandths returns how many of a thousand of the whole a part is, 0 of nothing.
func thousandths(part, whole int64) int {
	if whole == 0 {
		return 0
	}
	return int((part*1000 + whole/2) / whole)
}

// percent writes a part of a whole in per cent, with one decimal.
func percent(ctx context.Context, part, whole int) string {
	return i18n.Decimal(ctx, tenth(thousandths(int64(part), int64(whole)))) + "%"
}
