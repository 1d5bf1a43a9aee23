package pages

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/a-h/templ"

	"garoupa/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// OpsHomeProps is GET /ops: what waits for staff.
type OpsHomeProps struct {
	Shell  layouts.OpsShell
	Queues []OpsQueue
}

// OpsQueue is one list of things to decide.
type OpsQueue struct {
	ID     string // one of the Ops constants of package layouts
	Href   string // of the whole list
	Count  int
	Oldest *time.Time // nil: nothing waits
	Late   bool       // the oldest waits for longer than it should
	Items  []OpsItem  // the oldest ones
}

// OpsItem is one thing to decide, in a list.
type OpsItem struct {
	Href   string
	Title  string // whose it is
	Detail string // what it is about
	Amount *money.Cents
	Test   bool // of the test environment
	Badge  templ.Component
	Since  time.Time
	Late   bool
}

// OpsListProps is a list of things to decide, or decided.
type OpsListProps struct {
	Shell layouts.OpsShell
	ID    string // one of the Ops constants of package layouts
	Tabs  components.TabsProps
	Items []OpsItem
	Pager components.PagerProps
}

// OpsAccountHead is whose thing it is, on the page of the thing.
type OpsAccountHead struct {
	ID        string
	Name      string
	Document  string // with punctuation; "" before an approval
	State     string // of production access
	Switches  []string
	Flags     []string // risks, in words
	CreatedAt time.Time
	Totals    OpsTotals
	Own       bool // the person is a member of the account and may decide nothing
}

// OpsTotals are what an account did.
type OpsTotals struct {
	PaidTest, PaidLive int         // checkouts, in 30 days
	Volume             money.Cents // live, in the last 30 days
	Withdrawals        int         // completed
	Withdrawn          money.Cents
	OpenExceptions     int
}

// OpsEvent is something that happened to the thing, or was decided about it.
type OpsEvent struct {
	At     time.Time
	Who    string
	Badge  templ.Component
	Detail string // why, in words
}

// OpsCaseProps is one thing to decide about, with all that it takes to.
type OpsCaseProps struct {
	Shell    layouts.OpsShell
	Section  string // one of the Ops constants of package layouts
	Href     string // of the section
	Title    string
	Badge    templ.Component
	Test     bool       // of the test environment
	Since    *time.Time // it waits; nil: it waits no more
	Late     bool
	Changed  string // who changed it since it was looked at, and when; "" if nobody did
	Notices  []components.NoticeProps
	Parts    []OpsPart
	Account  *OpsAccountHead // nil: it is nobody's
	Books    []OpsBooks      // what the account has
	Others   *OpsOthers
	History  []OpsEvent
	Trail    string        // the audit log's lines about it; "" for who may not see them
	Decision *DecisionForm // nil: there is nothing to decide
}

// OpsPart is some facts about a thing.
type OpsPart struct {
	ID    string
	Title string
	Note  string
	Facts []components.KeyValue
	// Reveal is where a form posts to that shows the facts whole; "" for facts that are.
	Reveal string
	Diff   []OpsDiff // compared with what was there before; none: there is nothing to compare
}

// OpsDiff is a fact as it was and as it is to be.
type OpsDiff struct {
	Key, Before, Now string
	Mono             bool
}

// OpsOthers are things to compare with.
type OpsOthers struct {
	Title string
	None  string // what to say if there are none
	Items []OpsItem
}

// own reports whether the person may decide nothing about it.
func (p OpsCaseProps) own() bool { return p.Account != nil && p.Account.Own }

// DecisionFields are what a form of a decision asks for. Their names are outcome,
// reasonCode, reason, amount, and proof, how the institution names a payment.
type DecisionFields struct {
	Outcome, ReasonCode, Reason, Amount, Proof string
}

// DecisionForm asks for a decision. Texts are "ops.<Kind>_<outcome>" with a hint
// "…_hint", and reasons "<ReasonKey><code>".
type DecisionForm struct {
	Kind        string
	Action      string // where it posts to; first for a look at what the merchant will read
	Version     string // of the thing as it is shown
	Outcomes    []string
	Reasons     []string // none: a text is enough
	ReasonKey   string
	ReasonLabel string // "" for a text that the merchant reads
	ReasonHint  string
	AskAmount   string // the label of the amount; "" asks for none
	AskProof    string // the label of the proof; "" asks for none
	ProofHint   string
	Fields      DecisionFields
	Errors      components.FieldErrors
}

// OpsPreviewProps shows what the merchant will read, before it is decided.
type OpsPreviewProps struct {
	Shell    layouts.OpsShell
	Section  string // one of the Ops constants of package layouts
	Title    string
	Back     string // the page of the thing
	BackHref string
	Action   string
	Hidden   []components.KeyValue
	Confirm  string // a verb and its object
	Danger   bool
	Effects  []string        // what else will happen, in words
	Language i18n.Lang       // the merchant's
	Page     templ.Component // what the merchant will read; nil: nothing
	Mail     string          // the subject; "" sends none
}

// outcomes are the answers of the form.
func (f DecisionForm) outcomes(ctx context.Context) []components.RadioOption {
	var options []components.RadioOption
	for _, outcome := range f.Outcomes {
		key := "ops." + f.Kind + "_" + outcome
		options = append(options, components.RadioOption{Value: outcome, Label: i18n.T(ctx, key), Hint: i18n.T(ctx, key+"_hint")})
	}
	return options
}

func (f DecisionForm) reasons(ctx context.Context) []components.SelectOption {
	options := []components.SelectOption{{Label: i18n.T(ctx, "ops.reason_none")}}
	for _, code := range f.Reasons {
		options = append(options, components.SelectOption{Value: code, Label: i18n.T(ctx, f.ReasonKey+code)})
	}
	return options
}

// reasonCodeHint tells where the reason goes, and which answer needs none.
func (f DecisionForm) reasonCodeHint(ctx context.Context) string {
	hint := i18n.T(ctx, "ops.reason_code_hint")
	for _, outcome := range f.Outcomes {
		switch outcome {
		case "APPROVE", OutcomeApproved:
			return hint + " " + i18n.T(ctx, "ops.reason_code_approve")
		case "FAIL":
			return hint + " " + i18n.T(ctx, "ops.reason_code_fail")
		}
	}
	return hint
}

// facts are what everybody wants to know about an account first.
func (h OpsAccountHead) facts(ctx context.Context) []components.KeyValue {
	return []components.KeyValue{
		{Key: i18n.T(ctx, "ops.account_id"), Value: h.ID, Mono: true},
		{Key: i18n.T(ctx, "access.document"), Value: h.Document},
		{Key: i18n.T(ctx, "ops.account_since"), Value: i18n.Date(ctx, h.CreatedAt)},
		{Key: i18n.T(ctx, "ops.account_paid"), Value: i18n.T(ctx, "ops.account_paid_counts", i18n.Number(ctx, h.Totals.PaidLive), i18n.Number(ctx, h.Totals.PaidTest))},
		{Key: i18n.T(ctx, "ops.account_volume"), Value: i18n.Money(ctx, h.Totals.Volume)},
		{Key: i18n.T(ctx, "ops.account_withdrawn"), Value: i18n.T(ctx, "ops.account_withdrawn_sum", i18n.Money(ctx, h.Totals.Withdrawn), i18n.N(ctx, "ops.account_withdrawals", h.Totals.Withdrawals))},
		{Key: i18n.T(ctx, "ops.account_exceptions"), Value: i18n.Number(ctx, h.Totals.OpenExceptions)},
	}
}

// reasonLabel names the field of the text.
func (f DecisionForm) reasonLabel(ctx context.Context) string {
	if f.ReasonLabel != "" {
		return f.ReasonLabel
	}
	return i18n.T(ctx, "ops.reason")
}

// inLanguage shows a part of a page in another language than the page's.
func inLanguage(lang i18n.Lang, part templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error { return part.Render(i18n.With(ctx, lang), w) })
}

// actionName is an action of the audit log in words; one that has none is shown as
// it is.
func actionName(ctx context.Context, action string) string {
	return wordsOr(ctx, "audit.action_"+strings.ReplaceAll(action, ".", "_"), action)
}
