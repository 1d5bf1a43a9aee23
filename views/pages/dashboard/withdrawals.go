package dashboard

import (
	"cmp"
	"context"
	"time"

	"github.com/a-h/templ"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// The rails of withdrawals (contract 2.7).
const (
	RailPix  = "BRL_PIX"
	RailUSDT = "USDT_WALLET"
)

// WithdrawalTabs are the groups of statuses that the list is filtered by.
var WithdrawalTabs = []string{"review", "sent", "completed", "ended"}

// What an account waits for that could withdraw otherwise.
const (
	WaitsDestination = "destination" // one that may already receive
	WaitsMoney       = "money"
)

// Gate is why there are no withdrawals where the visitor looks; "" if there may be.
type Gate string

const (
	GateTest     Gate = "test"     // the environment is test
	GateApproved Gate = "approved" // it is test, and the account may use live
	GateAccess   Gate = "access"   // the account has no production access
)

// InTest reports whether the reason is that the environment is test.
func (g Gate) InTest() bool { return g == GateTest || g == GateApproved }

// WithdrawalsProps is GET /app/saques?status=&cursor=.
type WithdrawalsProps struct {
	Shell       layouts.Shell
	Gate        Gate
	Switches    []SwitchNotice // what staff stopped; with any, nothing can be asked for
	Status      string         // the filter in force: "" or one of WithdrawalTabs
	Available   money.Cents
	Waits       string          // one of the Waits constants; "" if a withdrawal may be asked for
	Withdrawals []WithdrawalRow // newest first
	Pager       components.PagerProps
}

// WithdrawalRow is one withdrawal in the list.
type WithdrawalRow struct {
	ID          string
	Status      string
	Amount      money.Cents
	Rail        string
	Destination string // masked
	CreatedAt   time.Time
}

// WithdrawalProps is GET /app/saques/{id}. Its form posts to
// /app/saques/{id}/cancelar.
type WithdrawalProps struct {
	Shell       layouts.Shell
	ID          string
	Status      string
	Amount      money.Cents
	Fee         money.Cents
	Net         money.Cents
	Destination DestinationFacts
	Quote       *QuoteFacts // nil for Pix
	// NewQuote is what came of the attempt to approve a withdrawal that is still in
	// review: the rate had got worse.
	NewQuote    *QuoteFacts
	RequestedBy string // "" for an API key
	EndToEndID  string
	TxHash      string
	Reason      string // why it was rejected, failed or came back
	CreatedAt   time.Time
	ApprovedAt  *time.Time
	CompletedAt *time.Time
	UpdatedAt   time.Time
	CanCancel   bool
	Returns     []ReturnedPart // what came back, oldest first; none if it came back whole at once
	Switches    []SwitchNotice // what staff stopped, for which it waits
	NoAccess    bool           // it waits because the account has no production access
}

// ReturnedPart is a part of a withdrawal that came back.
type ReturnedPart struct {
	Amount money.Cents
	At     time.Time
}

// stopped reports whether the withdrawal waits because its account is stopped.
func (p WithdrawalProps) stopped() bool { return p.NoAccess || len(p.Switches) > 0 }

// DestinationFacts is where money goes.
type DestinationFacts struct {
	Rail       string
	Type       string // of the key, or the network of the wallet
	Address    string // masked, or whole where people confirm it
	HolderName string
}

// QuoteFacts is what an amount is worth in USDT.
type QuoteFacts struct {
	Rate   string // reais for one USDT, as digits with a point
	Amount string // USDT, as digits with a point
	At     time.Time
}

// railIcon is the sign of a rail.
func railIcon(rail, class string) templ.Component {
	if rail == RailUSDT {
		return components.Icon("circle-dollar-sign", class)
	}
	return components.Icon("landmark", class)
}

// kind is what a destination is: "Chave Pix (CPF)", "Carteira USDT (TRON)".
func (d DestinationFacts) kind(ctx context.Context) string {
	return i18n.T(ctx, "destinations.rail_"+d.Rail) + " · " + i18n.T(ctx, "destinations.type_"+d.Type)
}

// rate is "1 USDT = R$ 5,4321".
func (q QuoteFacts) rate(ctx context.Context) string {
	return i18n.T(ctx, "withdrawals.rate", i18n.Decimal(ctx, q.Rate))
}

// worth is "184,093517 USDT".
func (q QuoteFacts) worth(ctx context.Context) string {
	return i18n.T(ctx, "withdrawals.usdt", i18n.Decimal(ctx, q.Amount))
}

// waitsHref is where what is awaited is told.
func (p WithdrawalsProps) waitsHref() string {
	if p.Waits == WaitsMoney {
		return "/app/saldo"
	}
	return "/app/saques/novo"
}

// canRequest shows the way to a withdrawal.
func (p WithdrawalsProps) canRequest() bool { return p.Gate == "" && len(p.Switches) == 0 }

// tabs are the filters by status.
func (p WithdrawalsProps) tabs(ctx context.Context) []components.Tab {
	tabs := []components.Tab{{Label: i18n.T(ctx, "withdrawals.tab_all"), Href: "/app/saques", Current: p.Status == ""}}
	for _, status := range WithdrawalTabs {
		tabs = append(tabs, components.Tab{Label: i18n.T(ctx, "withdrawals.tab_"+status),
			Href: "/app/saques?status=" + status, Current: status == p.Status})
	}
	return tabs
}

// facts are what is known about the withdrawal.
func (p WithdrawalProps) facts(ctx context.Context) []components.KeyValue {
	facts := []components.KeyValue{
		{Key: i18n.T(ctx, "withdrawals.id"), Value: p.ID, Mono: true},
		{Key: i18n.T(ctx, "checkouts.amount"), Value: i18n.Money(ctx, p.Amount)},
	}
	by := components.KeyValue{Key: i18n.T(ctx, "withdrawals.requested_by"),
		Value: cmp.Or(p.RequestedBy, i18n.T(ctx, "withdrawals.by_key"))}
	if p.back() == p.Amount {
		return append(facts, by) // no fee, and nothing to receive
	}
	facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "checkout.fee"), Value: i18n.Money(ctx, -p.Fee)})
	switch {
	case p.Status == base.WithdrawalReturned:
	case p.Quote == nil:
		facts = append(facts, components.KeyValue{Key: p.received(ctx), Value: i18n.Money(ctx, p.Net)})
	default:
		worth := components.KeyValue{Key: p.received(ctx), Value: p.Quote.worth(ctx)}
		if p.Status == base.WithdrawalPendingReview {
			worth.Key = i18n.T(ctx, "withdrawals.estimate")
		}
		facts = append(facts,
			components.KeyValue{Key: i18n.T(ctx, "withdrawals.converted"), Value: i18n.Money(ctx, p.Net)}, worth,
			components.KeyValue{Key: i18n.T(ctx, "withdrawals.quote"),
				Value: p.Quote.rate(ctx) + " · " + i18n.DateTime(ctx, p.Quote.At)})
	}
	return append(facts, by)
}

// returned are the parts that came back, and their sum.
func (p WithdrawalProps) returned(ctx context.Context) (parts []components.KeyValue) {
	for _, r := range p.Returns {
		parts = append(parts, components.KeyValue{Key: i18n.DateTime(ctx, r.At), Value: i18n.Money(ctx, r.Amount)})
	}
	return parts
}

// returnedSum tells how much came back.
func (p WithdrawalProps) returnedSum(ctx context.Context) string {
	var sum money.Cents
	for _, r := range p.Returns {
		sum += r.Amount
	}
	return i18n.T(ctx, "withdrawals.returned_part", i18n.Money(ctx, sum), i18n.Money(ctx, p.Net))
}

// back is what of the withdrawal is available again; 0 while it may still arrive.
func (p WithdrawalProps) back() money.Cents {
	switch p.Status {
	case base.WithdrawalCancelled, base.WithdrawalRejected, base.WithdrawalFailed:
		return p.Amount
	case base.WithdrawalReturned:
		return p.Net // the fee was for the payout
	}
	return 0
}

// received names what arrives, or has arrived.
func (p WithdrawalProps) received(ctx context.Context) string {
	if p.Status == base.WithdrawalCompleted {
		return i18n.T(ctx, "withdrawals.received")
	}
	return i18n.T(ctx, "checkout.net")
}

// steps are how far the withdrawal has come, and what comes after.
func (p WithdrawalProps) steps(ctx context.Context) []components.TimelineStep {
	step := func(key string, at *time.Time) components.TimelineStep {
		return components.TimelineStep{Label: i18n.T(ctx, "withdrawals.step_"+key), When: instantOrNone(ctx, at),
			Done: at != nil}
	}
	requested, review, sent, completed := step("requested", &p.CreatedAt), step("review", nil), step("sending",
		nil), step("completed", p.CompletedAt)
	switch p.Status {
	case base.WithdrawalCancelled, base.WithdrawalRejected:
		return []components.TimelineStep{requested, p.end(ctx)}
	case base.WithdrawalPendingReview:
		review.Now, review.Note = true, i18n.T(ctx, "withdrawals.step_review_note")
		return []components.TimelineStep{requested, review, sent, completed}
	}
	review = step("approved", p.ApprovedAt)
	switch p.Status {
	case base.WithdrawalFailed:
		return []components.TimelineStep{requested, review, p.end(ctx)}
	case base.WithdrawalApproved:
		sent.Now = true
	case base.WithdrawalProcessing:
		sent = step("sent", nil)
		sent.Now, sent.When, sent.Note = true, i18n.Instant(ctx, p.UpdatedAt), i18n.T(ctx,
			"withdrawals.step_sent_note")
	default:
		sent = step("sent", nil)
		sent.Done = true // its moment is not kept
	}
	steps := []components.TimelineStep{requested, review, sent, completed}
	if p.Status == base.WithdrawalReturned {
		steps = append(steps, p.end(ctx))
	}
	return steps
}

// end is the last step of a withdrawal that brought no money out, in the color of its
// badge.
func (p WithdrawalProps) end(ctx context.Context) components.TimelineStep {
	return components.TimelineStep{
		Label: i18n.T(ctx, "withdrawals.step_"+p.Status), When: i18n.Instant(ctx, p.UpdatedAt), Done: true,
		Ended: components.Withdrawal + "_" + p.Status,
		Note:  i18n.T(ctx, "withdrawals.step_back_note", i18n.Money(ctx, p.back())),
	}
}
