// Package console holds the pages of the installation's staff, below /ops.
package console

import (
	"context"
	"time"

	"github.com/a-h/templ"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
)

// AccountHead describes the account that a case belongs to, at the head of the case's page.
type AccountHead struct {
	ID        string
	Name      string
	Document  string // with punctuation; "" before an approval
	State     string // of production access
	Switches  []string
	Flags     []string // risks, in words
	CreatedAt time.Time
	Totals    Totals
	Own       bool // the person is a member of the account and may not decide
}

// Totals are what an account did.
type Totals struct {
	PaidTest, PaidLive int         // checkouts, in 30 days
	Volume             money.Cents // live, in the last 30 days
	Withdrawals        int         // completed
	Withdrawn          money.Cents
	OpenExceptions     int
}

// Event is an act or a decision in the history of a case.
type Event struct {
	At     time.Time
	Who    string
	Badge  templ.Component
	Detail string // why, in words
}

// barredOwn bars members of the account.
const barredOwn = "own"

// barred is CaseProps.barred for what is about the account itself.
func (h AccountHead) barred() string {
	if h.Own {
		return barredOwn
	}
	return ""
}

// facts are the main facts about an account.
func (h AccountHead) facts(ctx context.Context) []components.KeyValue {
	return []components.KeyValue{
		{Key: i18n.T(ctx, "ops.account_id"), Value: h.ID, Mono: true, Href: "/ops/contas/" + h.ID},
		{Key: i18n.T(ctx, "access.document"), Value: h.Document},
		{Key: i18n.T(ctx, "ops.account_since"), Value: i18n.Date(ctx, h.CreatedAt)},
		{Key: i18n.T(ctx, "ops.account_paid"), Value: i18n.T(ctx, "ops.account_paid_counts",
			i18n.Number(ctx, h.Totals.PaidLive), i18n.Number(ctx, h.Totals.PaidTest))},
		{Key: i18n.T(ctx, "ops.account_volume"), Value: i18n.Money(ctx, h.Totals.Volume)},
		{Key: i18n.T(ctx, "ops.account_withdrawn"),
			Value: i18n.T(ctx, "ops.account_withdrawn_sum", i18n.Money(ctx, h.Totals.Withdrawn),
				i18n.N(ctx, "ops.account_withdrawals", h.Totals.Withdrawals))},
		{Key: i18n.T(ctx, "ops.account_exceptions"), Value: i18n.Number(ctx, h.Totals.OpenExceptions)},
	}
}
