package dashboard

import (
	"context"
	"slices"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// AccessProps is GET /app/producao: the state of the merchant's production access.
type AccessProps struct {
	Shell    layouts.Shell
	State    string
	CanAsk   bool                // the member's role may ask, correct and withdraw
	Since    *time.Time          // of the request in review, or of the decision
	Verdict  *base.Verdict       // the latest one, unless a newer request waits
	Answers  *base.AccessAnswers // of the newest request, for roles that may see them
	Switches []SwitchNotice
	Term     time.Duration // within which a review is expected
	SavedAt  *time.Time    // of answers stored for later; nil for none
	Answered []string      // the parts of the form that are complete
	Next     []AccessStep  // once access is approved
}

// AccessStep is a step of an approved merchant: "switch", "key" or "webhook".
type AccessStep struct {
	ID   string
	Done bool
}

// undone returns the step to take next, or "".
func (p AccessProps) undone() string {
	for _, step := range p.Next {
		if !step.Done {
			return step.ID
		}
	}
	return ""
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
	Verdict *base.Verdict // what the form should correct; nil the first time
	Errors  components.FieldErrors
}

// AccessCheckProps answers POST /app/producao/pedido when the form is valid: it shows the
// answers once more, before they are sent.
type AccessCheckProps struct {
	Shell   layouts.Shell
	Fields  AccessFields
	Answers base.AccessAnswers
}

// named lists the fields of the form with their names.
func (f AccessFields) named() []components.KeyValue {
	return []components.KeyValue{
		{Key: "legalName", Value: f.LegalName}, {Key: "document", Value: f.Document},
		{Key: "website", Value: f.Website}, {Key: "sells", Value: f.Sells},
		{Key: "monthlyVolume", Value: f.MonthlyVolume}, {Key: "contactName", Value: f.ContactName},
		{Key: "contactEmail", Value: f.ContactEmail},
		{Key: "contactPhone", Value: f.ContactPhone},
	}
}

// notice says what a switch stops, and since when.
func (n SwitchNotice) notice(ctx context.Context) components.NoticeProps {
	return components.NoticeProps{
		Tone: components.ToneBad, Icon: "ban",
		Title: i18n.T(ctx, "switch.notice_"+n.Switch, i18n.Date(ctx, n.Since)),
		Body:  i18n.T(ctx, "switch.reason", n.Reason),
	}
}

// status names the state for its badge. A question does not look like a refusal.
func (p AccessProps) status() string {
	if p.State == base.AccessRejected && p.Verdict != nil {
		return p.Verdict.Outcome
	}
	return p.State
}

// accessParts are the parts of the form, in order.
var accessParts = []string{"business", "trade", "contact"}

// AccessPartFields are the fields of each part of the form.
var AccessPartFields = map[string][]string{
	"business": {"legalName", "document"}, "trade": {"website", "sells", "monthlyVolume"},
	"contact": {"contactName", "contactEmail", "contactPhone"},
}

// answered reports whether a part of the form is complete.
func (p AccessProps) answered(part string) bool { return slices.Contains(p.Answered, part) }

// partState returns the progress of a part.
func (p AccessProps) partState(ctx context.Context, part string) components.BadgeProps {
	if p.answered(part) {
		return components.BadgeProps{Tone: components.ToneOK, Icon: "check", Text: i18n.T(ctx, "withdraw.state_done")}
	}
	return components.BadgeProps{Icon: "circle-dashed", Text: i18n.T(ctx, "withdraw.state_todo")}
}

// startAction begins the form, or continues with the stored answers.
func (p AccessProps) startAction(ctx context.Context) string {
	if p.SavedAt != nil {
		return i18n.T(ctx, "access.start_action_saved")
	}
	return i18n.T(ctx, "access.start_action_"+p.State)
}

// canSend reports whether the page leads to the form.
func (p AccessProps) canSend() bool {
	return p.CanAsk && (p.State == base.AccessNotRequested || p.State == base.AccessRejected)
}
