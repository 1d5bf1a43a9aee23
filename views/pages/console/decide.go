package console

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/a-h/templ"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// CaseProps is the page of a case: one object that staff decide about, with everything that the decision rests on.
type CaseProps struct {
	Shell     layouts.OpsShell
	Section   string // one of the Ops constants of package layouts
	Href      string // of the section
	Back      string // the name of the page at Href; "" for the section's
	Title     string
	Badge     templ.Component
	Test      bool       // of the test environment
	Since     *time.Time // since when the case waits; nil if it is decided
	Late      bool
	Next      string // the page of another that waits in the section, the oldest; "" if there is none
	Changed   string // who changed it since it was shown, and when; "" if no one did
	Stops     []Stop // what keeps it from being approved and paid
	Notices   []components.NoticeProps
	Parts     []Part
	Account   *AccountHead // nil: it belongs to no account
	Books     []Books      // what the account has
	Others    *Others
	History   []Event
	Trail     string        // the audit log's lines about it; "" without the right to see them
	Decision  *DecisionForm // nil: there is nothing to decide
	TakesPart bool          // the person asked for it, or was a member of the account since: they may not decide
}

// Stop is a reason why nothing of an account can be approved or paid.
type Stop struct {
	Title string
	Body  string // who did it, when and why; "" if that is not known
	Href  string // where it ends
	Link  string
}

// Part is some facts about a thing.
type Part struct {
	ID    string
	Title string
	Note  string
	Facts []components.KeyValue
	// Reveal is where a form posts to that shows the facts whole; "" for facts that are.
	Reveal string
	Diff   []Diff // compared with what was there before; none: there is nothing to compare
}

// Diff is a fact as it was and as it is to be.
type Diff struct {
	Key, Before, Now string
	Mono             bool
}

// Others are things to compare with.
type Others struct {
	Title string
	None  string // what to say if there are none
	Items []Item
}

// back names the page from which the case is reached.
func (p CaseProps) back(ctx context.Context) string {
	if p.Back != "" {
		return p.Back
	}
	return i18n.T(ctx, "ops.nav_"+p.Section)
}

// barred says why the person may not decide about it: one of the texts "ops.<barred>_title"
// and "ops.<barred>_body"; "" if they may.
func (p CaseProps) barred() string {
	switch {
	case p.Account != nil && p.Account.Own:
		return barredOwn
	case p.TakesPart:
		return "part"
	}
	return ""
}

// text says who stopped it and why, and what becomes of what waits.
func (s Stop) text(ctx context.Context) string {
	return strings.TrimPrefix(s.Body+"\n"+i18n.T(ctx, "ops.stopped_waits"), "\n")
}

// DecisionFields are the fields of a decision's form: outcome, reasonCode, reason, amount, proof (the institution's id
// of a payment), for (the id of an account or a charge) and saved (the id of a saved reason).
type DecisionFields struct {
	Outcome, ReasonCode, Reason, Amount, Proof, For, Saved string
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
	Saved       []SavedReason // those to pick from
	AskAmount   string        // the label of the amount; "" asks for none
	AskProof    string        // the label of the proof; "" asks for none
	ProofHint   string
	AskFor      string // the label of the account or charge; "" asks for none
	ForHint     string
	Fields      DecisionFields
	Errors      components.FieldErrors
}

// PreviewProps shows what the merchant will read, before it is decided.
type PreviewProps struct {
	Shell    layouts.OpsShell
	Section  string // one of the Ops constants of package layouts
	Title    string
	Back     string // the page of the thing
	BackHref string
	Action   string
	Hidden   []components.KeyValue
	Facts    []components.KeyValue // what it acts on
	Account  *AccountHead          // nil: it belongs to no account
	Others   *Others               // earlier ones of the account; nil: none to show
	History  []Event               // what was decided before, the latest first
	Confirm  string                // a verb and its object
	Danger   bool
	Effects  []string        // what else will happen, in words
	Language i18n.Lang       // the merchant's
	Page     templ.Component // what the merchant will read; nil: nothing
	Mail     string          // the subject; "" sends none
	Compare  *Part           // facts before and after; nil: nothing to compare
}

// outcomes are the answers of the form.
// keys are the letters that choose outcomes.
var keys = map[string]string{
	"APPROVE": "a", base.OutcomeApproved: "a", "REJECT": "r", base.OutcomeRejected: "r",
}

func (f DecisionForm) outcomes(ctx context.Context) []components.RadioOption {
	var options []components.RadioOption
	for _, outcome := range f.Outcomes {
		key := "ops." + f.Kind + "_" + outcome
		options = append(options, components.RadioOption{Value: outcome, Label: i18n.T(ctx, key),
			Hint: i18n.T(ctx, key+"_hint"), Key: keys[outcome]})
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
		case "APPROVE", base.OutcomeApproved:
			return hint + " " + i18n.T(ctx, "ops.reason_code_approve")
		case "FAIL":
			return hint + " " + i18n.T(ctx, "ops.reason_code_fail")
		}
	}
	return hint
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
	return templ.ComponentFunc(func(ctx context.Context,
		w io.Writer) error {
		return part.Render(i18n.With(ctx, lang), w)
	})
}
