package dashboard

import (
	"context"
	"slices"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// NewWithdrawalProps is GET /app/saques/novo, whose form leads to GET
// /app/saques/novo/revisar. Fields: rail, amount, and key, which makes one
// withdrawal however often it is sent.
type NewWithdrawalProps struct {
	Shell        layouts.Shell
	Gate         Gate           // shown in place of the form
	Switches     []SwitchNotice // likewise
	Key          string
	Destinations []DestinationFacts // to choose from, at most one for a rail
	Rail         string             // of the chosen one
	Amount       string             // as typed
	Available    money.Cents
	Everything   string // the most that can be asked for now, as one types it; "" if that is too little
	Min, Max     money.Cents
	Errors       components.FieldErrors
}

// ReadinessProps stands in place of the form while there is nowhere to withdraw to.
type ReadinessProps struct {
	Shell layouts.Shell
	Hold  time.Duration
	Tasks []ReadinessTask // in order
}

// ReadinessTask is something to do before the first withdrawal.
type ReadinessTask struct {
	ID       string // one of the Task constants
	State    string // one of the Task states
	UsableAt *time.Time
	Reason   string // why it was rejected
}

// What is to be done before the first withdrawal, and how far each is.
const (
	TaskAccess      = "access"
	TaskDestination = "destination"
	TaskHold        = "hold"

	TaskDone    = "done"
	TaskTodo    = "todo"
	TaskWaiting = "waiting" // for another person, or for time to pass
	TaskBlocked = "blocked" // by a task before it
)

// ReviewWithdrawalProps is GET /app/saques/novo/revisar, whose form posts to
// /app/saques. Fields: those of NewWithdrawalProps, and destination, fee and rate as
// they were seen.
type ReviewWithdrawalProps struct {
	Shell         layouts.Shell
	Key           string
	AmountTyped   string // for the way back
	Amount        money.Cents
	Fee           money.Cents
	Net           money.Cents
	DestinationID string
	Destination   DestinationFacts // with the whole address
	Quote         *QuoteFacts      // nil for Pix
	RateSeen      string           // of Quote, for the form
	Term          time.Duration    // within which the review is expected
	Changed       bool             // something changed since it was looked at first
}

// WithdrawalRequestedProps is GET /app/saques/{id}/pedido, which survives being kept.
type WithdrawalRequestedProps struct {
	Shell       layouts.Shell
	ID          string
	Status      string
	Amount      money.Cents
	Net         money.Cents
	Destination DestinationFacts
	Quote       *QuoteFacts
	Term        time.Duration // within which the review is expected
	CreatedAt   time.Time
}

// term is how long a withdrawal takes, in words.
func term(ctx context.Context, rail string, review time.Duration) string {
	return i18n.T(ctx, "withdraw.term_"+rail, i18n.Span(ctx, review))
}

// options are the destinations as cards.
func (p NewWithdrawalProps) options(ctx context.Context) []components.RadioOption {
	var cards []components.RadioOption
	for _, d := range p.Destinations {
		cards = append(cards, components.RadioOption{
			Value: d.Rail, Label: i18n.T(ctx, "destinations.rail_"+d.Rail) + " · " + d.Address,
			Hint: i18n.T(ctx, "destinations.type_"+d.Type) + " · " + d.HolderName,
		})
	}
	return cards
}

// amountHint tells what can be asked for.
func (p NewWithdrawalProps) amountHint(ctx context.Context) string {
	return i18n.T(ctx, "withdraw.amount_hint", i18n.Money(ctx, p.Available), i18n.Money(ctx, p.Min),
		i18n.Money(ctx, p.Max))
}

// tone and icon show the state of a task.
func (t ReadinessTask) tone() components.BadgeProps {
	switch t.State {
	case TaskDone:
		return components.BadgeProps{Tone: components.ToneOK, Icon: "check"}
	case TaskWaiting:
		return components.BadgeProps{Tone: components.ToneInfo, Icon: "clock"}
	}
	return components.BadgeProps{Icon: "circle-dashed"}
}

// body tells what to do, or what is waited for; hold is how long a new destination waits.
func (t ReadinessTask) body(ctx context.Context, hold time.Duration) string {
	if t.ID == TaskHold && t.State == TaskBlocked {
		return held(ctx, hold, "withdraw.task_hold_blocked", "withdraw.task_hold_none")
	}
	body := i18n.T(ctx, "withdraw.task_"+t.ID+"_"+t.State)
	if t.UsableAt != nil && t.State == TaskWaiting {
		body = i18n.T(ctx, "withdraw.task_hold_until", i18n.DateTime(ctx, *t.UsableAt))
	}
	if t.Reason != "" {
		body = i18n.T(ctx, "withdraw.task_rejected", t.Reason)
	}
	return body
}

// lead says that there is something to do, or only to wait.
func (p ReadinessProps) lead(ctx context.Context) string {
	if p.next() < 0 {
		return i18n.T(ctx, "withdraw.readiness_waits")
	}
	return i18n.T(ctx, "withdraw.readiness")
}

// next is the first task to do, or -1 while there is only to wait.
func (p ReadinessProps) next() int {
	return slices.IndexFunc(p.Tasks, func(t ReadinessTask) bool { return t.State == TaskTodo })
}

// href leads to where a task is done.
func (t ReadinessTask) href() string {
	if t.ID == TaskAccess {
		return "/app/producao"
	}
	return "/app/saques/destinos"
}

// addressParts are the beginning, the middle and the end of a wallet's address:
// people compare the first and the last six characters.
func (d DestinationFacts) addressParts() (head, middle, tail string) {
	const compared = 6
	if d.Rail != RailUSDT || len(d.Address) <= 2*compared {
		return "", d.Address, ""
	}
	return d.Address[:compared], d.Address[compared : len(d.Address)-compared], d.Address[len(d.Address)-compared:]
}

// rows are the sum of a withdrawal, before the total.
func (p ReviewWithdrawalProps) rows(ctx context.Context) []components.KeyValue {
	rows := []components.KeyValue{
		{Key: i18n.T(ctx, "withdraw.leaves"), Value: i18n.Money(ctx, p.Amount)},
		{Key: i18n.T(ctx, "withdraw.fee"), Value: i18n.Money(ctx, -p.Fee)},
	}
	if p.Quote != nil {
		rows = append(rows, components.KeyValue{Key: i18n.T(ctx, "withdrawals.converted"),
			Value: i18n.Money(ctx, p.Net)})
	}
	return rows
}

// total is what arrives: of USDT an estimate.
func (p ReviewWithdrawalProps) total(ctx context.Context) components.KeyValue {
	if p.Quote != nil {
		return components.KeyValue{Key: i18n.T(ctx, "withdrawals.estimate"), Value: "≈ " + p.Quote.worth(ctx)}
	}
	return components.KeyValue{Key: i18n.T(ctx, "checkout.net"), Value: i18n.Money(ctx, p.Net)}
}

// facts are what to quote about a withdrawal that was just asked for.
func (p WithdrawalRequestedProps) facts(ctx context.Context) []components.KeyValue {
	facts := []components.KeyValue{
		{Key: i18n.T(ctx, "checkouts.amount"), Value: i18n.Money(ctx, p.Amount)},
	}
	if p.Quote != nil {
		facts = append(facts,
			components.KeyValue{Key: i18n.T(ctx, "withdrawals.converted"), Value: i18n.Money(ctx, p.Net)},
			components.KeyValue{Key: i18n.T(ctx, "withdrawals.estimate"), Value: "≈ " + p.Quote.worth(ctx)})
	} else {
		facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "checkout.net"), Value: i18n.Money(ctx, p.Net)})
	}
	return append(facts,
		components.KeyValue{Key: i18n.T(ctx, "withdrawals.destination"),
			Value: p.Destination.kind(ctx) + "\n" + p.Destination.Address},
		components.KeyValue{Key: i18n.T(ctx, "withdrawals.requested_at"), Value: i18n.DateTime(ctx, p.CreatedAt)},
		components.KeyValue{Key: i18n.T(ctx, "withdraw.term"), Value: term(ctx, p.Destination.Rail, p.Term)},
	)
}
