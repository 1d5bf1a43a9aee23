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

// CheckoutsProps is GET /app/cobrancas?status=&q=&cursor=.
type CheckoutsProps struct {
	Shell     layouts.Shell
	Status    string // the filter in force: "" or a Status constant
	Query     string // what the search field holds
	Checkouts []CheckoutRow
	Pager     components.PagerProps
	APIURL    string // for the example request of an empty account
}

// CheckoutRow is one checkout in a list.
type CheckoutRow struct {
	ID          string
	Status      string
	Amount      money.Cents
	Description string
	ExternalID  string
	CreatedAt   time.Time
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
	CreatedAt        time.Time
	ExpiresAt        time.Time
	PaidAt           *time.Time
	CancelledAt      *time.Time
	Settlement       *Settlement // nil until paid
	Metadata         []components.KeyValue
	Events           []EventRow // oldest first
	CanCancel        bool
	CanSimulate      bool
}

// Settlement is what became of a payment.
type Settlement struct {
	Status      string // PENDING, AVAILABLE, COMPLETED (contract 3.2)
	Fee         money.Cents
	Net         money.Cents
	AvailableAt *time.Time
}

// filtered tells an empty answer from an empty account.
func (p CheckoutsProps) filtered() bool { return p.Status != "" || p.Query != "" }

// tabs are the filters by status. They keep what was searched for.
func (p CheckoutsProps) tabs(ctx context.Context) []components.Tab {
	var tabs []components.Tab
	for _, status := range []string{"", StatusPaid, StatusPending, StatusExpired, StatusCancelled} {
		query := url.Values{}
		if status != "" {
			query.Set("status", status)
		}
		if p.Query != "" {
			query.Set("q", p.Query)
		}
		href := "/app/cobrancas"
		if len(query) > 0 {
			href += "?" + query.Encode()
		}
		name := cmp.Or(status, "ALL")
		tabs = append(tabs, components.Tab{Label: i18n.T(ctx, "checkouts.tab_"+name), Href: href, Current: status == p.Status})
	}
	return tabs
}

// dateTimeOrNone is "" for what has not happened, which leaves its row out.
func dateTimeOrNone(ctx context.Context, t *time.Time) string {
	if t == nil {
		return ""
	}
	return i18n.DateTime(ctx, *t)
}
