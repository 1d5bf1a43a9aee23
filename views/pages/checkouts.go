package pages

import (
	"cmp"
	"context"
	"net/url"
	"time"

	"garoupa/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// CheckoutsProps is GET /app/cobrancas?status=&q=&from=&until=&cursor=. Fields of
// its form: q, from, until. The same query at /app/cobrancas/cobrancas.csv is the
// list as a file.
type CheckoutsProps struct {
	Shell     layouts.Shell
	Filter    CheckoutFilter
	Errors    components.FieldErrors
	Counts    map[string]int // by status, of the period; nil tells none
	Checkouts []CheckoutRow
	Pager     components.PagerProps
	CanCreate bool
	CanExport bool
	Empty     EmptyCheckouts
}

// EmptyCheckouts is what stands in place of charges before there are any.
type EmptyCheckouts struct {
	CanCreate   bool // the member may make charges here
	NeedsAccess bool // nobody may, before the account has access to live
	Livemode    bool
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
	if e.Livemode {
		return i18n.T(ctx, "checkouts.create")
	}
	return i18n.T(ctx, "checkouts.create_test")
}

// MostCounted is the largest count of a tab that is told as it is.
const MostCounted = 1000

// CheckoutFilter is what narrows the list, as it stands in the address.
type CheckoutFilter struct {
	Status string // "" or a Status constant
	Text   string // what is looked for
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
	Customer    string // "" if nobody was named
	ExternalID  string
	CreatedAt   time.Time
}

// summary is the description with whom it is for.
func (r CheckoutRow) summary() string {
	if r.Customer == "" {
		return r.Description
	}
	return r.Description + " · " + r.Customer
}

// CheckoutProps is GET /app/cobrancas/{id}. Its forms post to
// /app/cobrancas/{id}/cancelar and, in test, …/simular and …/expirar.
type CheckoutProps struct {
	Shell            layouts.Shell
	ID               string
	Status           string
	Amount           money.Cents
	Description      string
	ExternalID       string
	CheckoutURL      string
	CopyPaste        string
	QR               components.QRProps
	CustomerName     string // customer members are left out when ""
	CustomerEmail    string
	CustomerDocument string
	EndToEndID       string
	TxID             string
	PaymentLinkID    string // "" if no link made it
	RequestID        string // of the call of the API that made it; "" if none is known, or not for the visitor
	RequestHref      string // the call's page
	CreatedAt        time.Time
	ExpiresAt        time.Time
	PaidAt           *time.Time
	ClosedAt         *time.Time  // when it expired or was cancelled
	Settlement       *Settlement // nil until paid
	Refunds          []RefundRow
	Stray            []StrayPayment
	Metadata         []components.KeyValue
	Events           []EventRow // oldest first
	CanCancel        bool
	CanSimulate      bool
	Again            bool // nobody can pay it any more, and the visitor may make another
	// What could not be read.
	NoEvents, NoStory bool
}

// How far a payment's money has come (contract 3.2); between the two it is
// AVAILABLE.
const (
	SettlementPending   = "PENDING"
	SettlementCompleted = "COMPLETED"
)

// Settlement is what became of a payment.
type Settlement struct {
	Status      string
	Paid        money.Cents
	Fee         money.Cents
	Net         money.Cents
	AvailableAt *time.Time
}

// RefundRow is money of a payment that went back to its buyer.
type RefundRow struct {
	ID        string
	Amount    money.Cents
	ReturnID  string // the institution's; "" if it gave none
	CreatedAt time.Time
}

// StrayPayment is a Pix for a checkout that did not make it paid.
type StrayPayment struct {
	EndToEndID string
	Amount     money.Cents
	PaidAt     time.Time
	Kind       string // LATE, UNDERPAID, OVERPAID, DUPLICATE
	Decision   string // ACCEPTED, REFUNDED, WRITTEN_OFF; "" while it is looked into
}

// filtered tells an empty answer from an empty account.
func (p CheckoutsProps) filtered() bool { return p.Filter != CheckoutFilter{} }

// tabs are the filters by status. They keep what was searched for.
func (p CheckoutsProps) tabs(ctx context.Context) []components.Tab {
	var tabs []components.Tab
	for _, status := range []string{"", StatusPaid, StatusPending, StatusExpired, StatusCancelled} {
		filter := p.Filter
		filter.Status = status
		tab := components.Tab{Label: i18n.T(ctx, "checkouts.tab_"+cmp.Or(status, "ALL")), Href: filter.address("/app/cobrancas"), Current: status == p.Filter.Status}
		if p.Counts != nil {
			tab.Count = p.count(ctx, status)
		}
		tabs = append(tabs, tab)
	}
	return tabs
}

// count is how many have a status, "" being all, as far as they were counted.
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

// dateTimeOrNone is "" for what has not happened, which leaves its row out.
func dateTimeOrNone(ctx context.Context, t *time.Time) string {
	if t == nil {
		return ""
	}
	return i18n.DateTime(ctx, *t)
}
