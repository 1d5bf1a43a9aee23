package dashboard

import (
	"context"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// LinksProps is GET /app/links?cursor=: the payment links of the environment,
// newest first.
type LinksProps struct {
	Shell layouts.Shell
	Links []LinkRow
	// CanCreate shows the way to a new link. Roles that may not have none, and
	// neither has an account without production access in live.
	CanCreate bool
	Key       string // of the form that makes a link for the counter, once
	// NeedsAccess says that live links wait for production access.
	NeedsAccess bool
	NoUsage     bool // how often links were used could not be read
	Pager       components.PagerProps
}

// LinkRow is one payment link in the list.
type LinkRow struct {
	ID            string
	Product       string // its name
	Amount        money.Cents
	Active        bool
	ProductActive bool
	Uses          int
	Paid          int
	CreatedAt     time.Time
	Picture       base.ProductPicture
	Terms         LinkTerms
}

// LinkTerms are how a link sells, and what is left to sell.
type LinkTerms struct {
	BuyerData   string // one of models.BuyerData
	MaxQuantity int
	Open        bool // the buyer chooses an amount from Least to Most
	Least, Most money.Cents
	Stocked     bool
	Left        int       // units, if Stocked
	Oversold    int       // units paid beyond the stock
	EndsAt      time.Time // the zero time for never
	Ended       bool
}

// price is what the link asks, in words.
func (t LinkTerms) price(ctx context.Context, amount money.Cents) string {
	if t.Open {
		return i18n.T(ctx, "link.any_amount")
	}
	return i18n.Money(ctx, amount)
}

// left says what is left to sell, "" without a stock.
func (t LinkTerms) left(ctx context.Context) string {
	if !t.Stocked {
		return ""
	}
	return i18n.N(ctx, "links.left", t.Left)
}

// until says when the link ends, "" for never.
func (t LinkTerms) until(ctx context.Context) string {
	if t.EndsAt.IsZero() {
		return ""
	}
	return i18n.DateTime(ctx, t.EndsAt)
}

// amounts says which amounts a buyer may choose, "" at the product's price.
func (t LinkTerms) amounts(ctx context.Context) string {
	if !t.Open {
		return ""
	}
	return i18n.T(ctx, "link.amount_hint", i18n.Money(ctx, t.Least), i18n.Money(ctx, t.Most))
}

// LinkDetailProps is GET /app/links/{id}?period= or ?from=&until=. Its forms post to /app/links/{id}/ativar
// and …/desativar; the code is also at /app/links/{id}/qr.svg and …/qr.png.
type LinkDetailProps struct {
	Shell         layouts.Shell
	ID            string
	URL           string // to send to buyers
	QR            components.QRProps
	Product       string // its name
	ProductID     string // its slug
	ProductActive bool
	Amount        money.Cents
	Active        bool
	ExpiresIn     int // seconds
	SuccessURL    string
	ReturnURL     string
	CreatedAt     time.Time
	Figures       LinkFigures // of the period of Filter
	Filter        FiguresFilter
	Errors        components.FieldErrors
	Terms         LinkTerms
	Checkouts     []CheckoutRow // the latest of this link, newest first
	CanEdit       bool
	// What could not be read: Figures, and Checkouts.
	NoFigures, NoCheckouts bool
}

// linkStatus names the state of a link for its badge: one of a product that is off
// sells nothing, though it is on itself.
func linkStatus(active, productActive bool, terms LinkTerms) string {
	switch {
	case !active:
		return "INACTIVE"
	case !productActive:
		return "UNSOLD"
	case terms.Ended:
		return "OVER"
	case terms.Stocked && terms.Left == 0:
		return "SOLD_OUT"
	}
	return "ACTIVE"
}

// sells reports whether a visitor of the link can buy.
func (p LinkDetailProps) sells() bool { return p.Active && p.ProductActive }

// shareText is what a message to buyers says.
func (p LinkDetailProps) shareText(ctx context.Context) string {
	return i18n.T(ctx, "links.share_text", p.Product, p.Terms.price(ctx, p.Amount), p.URL)
}

// paidShare is how many of the uses were paid, in per cent.
func paidShare(ctx context.Context, uses, paid int) string {
	if uses == 0 {
		return "—"
	}
	return i18n.Number(ctx, paid*100/uses) + "%"
}
