package pages

import (
	"context"
	"slices"
	"strings"
	"time"

	"garoupa/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// The states of production access (contract 3.3).
const (
	AccessNotRequested  = "NOT_REQUESTED"
	AccessPendingReview = "PENDING_REVIEW"
	AccessApproved      = "APPROVED"
	AccessRejected      = "REJECTED"
)

// The outcomes of a request for it.
const (
	OutcomeApproved = "APPROVED"
	OutcomeRejected = "REJECTED"
	OutcomeReturned = "RETURNED"
	OutcomeRevoked  = "REVOKED"
)

// AccessProps is GET /app/producao: how far the merchant is from charging for real.
type AccessProps struct {
	Shell    layouts.Shell
	State    string
	CanAsk   bool           // the member's role may ask, correct and withdraw
	Since    *time.Time     // of the request in review, or of the decision
	Verdict  *Verdict       // the latest one, unless a newer request waits
	Answers  *AccessAnswers // of the newest request, for those who may ask
	Switches []SwitchNotice
	Term     time.Duration // within which a review is expected
	SavedAt  *time.Time    // of answers that were kept for later; nil for none
	Answered []string      // the parts of the form that these answer
}

// Verdict is what staff decided, as the merchant reads it.
type Verdict struct {
	Outcome    string
	ReasonCode string // "" for APPROVED
	Reason     string
}

// AccessAnswers are those of a request.
type AccessAnswers struct {
	LegalName     string
	Document      string // with punctuation
	Website       string
	Sells         string
	MonthlyVolume money.Cents
	ContactName   string
	ContactEmail  string
	ContactPhone  string
}

// SwitchNotice is a switch that is on.
type SwitchNotice struct {
	Switch string // SUSPENDED, LIVE_BLOCKED or WITHDRAWALS_BLOCKED
	Since  time.Time
	Reason string
}

// AccessFields are the fields of the form, as typed. Their names are legalName,
// document, website, sells, monthlyVolume, contactName, contactEmail and
// contactPhone.
type AccessFields struct {
	LegalName, Document, Website, Sells, MonthlyVolume, ContactName, ContactEmail, ContactPhone string
}

// AccessFormProps is GET and POST /app/producao/pedido.
type AccessFormProps struct {
	Shell   layouts.Shell
	Fields  AccessFields
	Verdict *Verdict // what the form is to correct; nil the first time
	Errors  components.FieldErrors
}

// AccessCheckProps answers POST /app/producao/pedido when all is well: the answers
// once more, before they are sent.
type AccessCheckProps struct {
	Shell   layouts.Shell
	Fields  AccessFields
	Answers AccessAnswers
}

// named lists the fields of the form with their names.
func (f AccessFields) named() []components.KeyValue {
	return []components.KeyValue{
		{Key: "legalName", Value: f.LegalName}, {Key: "document", Value: f.Document}, {Key: "website", Value: f.Website}, {Key: "sells", Value: f.Sells},
		{Key: "monthlyVolume", Value: f.MonthlyVolume}, {Key: "contactName", Value: f.ContactName}, {Key: "contactEmail", Value: f.ContactEmail},
		{Key: "contactPhone", Value: f.ContactPhone},
	}
}

// business, trade and contact are the parts of the answers.
func (a AccessAnswers) business(ctx context.Context) []components.KeyValue {
	return []components.KeyValue{
		{Key: i18n.T(ctx, "access.legal_name"), Value: a.LegalName}, {Key: documentKind(ctx, a.Document), Value: a.Document},
	}
}

// documentKind tells a CNPJ, which has a slash, from a CPF.
func documentKind(ctx context.Context, document string) string {
	if strings.Contains(document, "/") {
		return i18n.T(ctx, "destinations.type_CNPJ")
	}
	return i18n.T(ctx, "destinations.type_CPF")
}

func (a AccessAnswers) trade(ctx context.Context) []components.KeyValue {
	return []components.KeyValue{
		{Key: i18n.T(ctx, "access.website"), Value: a.Website}, {Key: i18n.T(ctx, "access.sells"), Value: a.Sells},
		{Key: i18n.T(ctx, "access.monthly_volume"), Value: i18n.Money(ctx, a.MonthlyVolume)},
	}
}

func (a AccessAnswers) contact(ctx context.Context) []components.KeyValue {
	return []components.KeyValue{
		{Key: i18n.T(ctx, "access.contact_name"), Value: a.ContactName}, {Key: i18n.T(ctx, "access.contact_email"), Value: a.ContactEmail},
		{Key: i18n.T(ctx, "access.contact_phone"), Value: a.ContactPhone},
	}
}

// Facts are all answers.
func (a AccessAnswers) Facts(ctx context.Context) []components.KeyValue {
	return append(append(a.business(ctx), a.trade(ctx)...), a.contact(ctx)...)
}

// notice is the head of a verdict. A question is no refusal.
func (v Verdict) notice(ctx context.Context) components.NoticeProps {
	p := components.NoticeProps{Tone: components.ToneBad, Icon: "circle-x"}
	switch v.Outcome {
	case OutcomeApproved:
		p = components.NoticeProps{Tone: components.ToneOK, Icon: "circle-check", Body: i18n.T(ctx, "access.verdict_APPROVED_body")}
	case OutcomeReturned:
		p = components.NoticeProps{Tone: components.ToneWarn, Icon: "message-circle-question-mark"}
	}
	p.Title = i18n.T(ctx, "access.verdict_"+v.Outcome)
	return p
}

// notice says what a switch stops, and since when.
func (n SwitchNotice) notice(ctx context.Context) components.NoticeProps {
	return components.NoticeProps{
		Tone: components.ToneBad, Icon: "ban",
		Title: i18n.T(ctx, "switch.notice_"+n.Switch, i18n.Date(ctx, n.Since)), Body: i18n.T(ctx, "switch.reason", n.Reason),
	}
}

// status names the state for its badge. A question is no refusal.
func (p AccessProps) status() string {
	if p.State == AccessRejected && p.Verdict != nil {
		return p.Verdict.Outcome
	}
	return p.State
}

// accessParts are what the form asks for, in the order of its parts.
var accessParts = []string{"business", "trade", "contact"}

// AccessPartFields are the fields of each part of the form.
var AccessPartFields = map[string][]string{
	"business": {"legalName", "document"}, "trade": {"website", "sells", "monthlyVolume"}, "contact": {"contactName", "contactEmail", "contactPhone"},
}

// answered reports whether a part of the form needs nothing more.
func (p AccessProps) answered(part string) bool { return slices.Contains(p.Answered, part) }

// partState shows how far a part is.
func (p AccessProps) partState(ctx context.Context, part string) components.BadgeProps {
	if p.answered(part) {
		return components.BadgeProps{Tone: components.ToneOK, Icon: "check", Text: i18n.T(ctx, "withdraw.state_done")}
	}
	return components.BadgeProps{Icon: "circle-dashed", Text: i18n.T(ctx, "withdraw.state_todo")}
}

// startAction begins the form, or goes on with what was kept.
func (p AccessProps) startAction(ctx context.Context) string {
	if p.SavedAt != nil {
		return i18n.T(ctx, "access.start_action_saved")
	}
	return i18n.T(ctx, "access.start_action_"+p.State)
}

// canSend reports whether the page leads to the form, and not past it.
func (p AccessProps) canSend() bool {
	return p.CanAsk && (p.State == AccessNotRequested || p.State == AccessRejected)
}
