package pages

import (
	"context"
	"strings"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
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

// Verdict is a decision by staff, as the merchant reads it.
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

// Business returns the answers about who sells.
func (a AccessAnswers) Business(ctx context.Context) []components.KeyValue {
	return []components.KeyValue{
		{Key: i18n.T(ctx, "access.legal_name"), Value: a.LegalName},
		{Key: documentKind(ctx, a.Document), Value: a.Document},
	}
}

// documentKind distinguishes a CNPJ, which has a slash, from a CPF.
func documentKind(ctx context.Context, document string) string {
	if strings.Contains(document, "/") {
		return i18n.T(ctx, "destinations.type_CNPJ")
	}
	return i18n.T(ctx, "destinations.type_CPF")
}

// Trade returns the answers about what is sold.
func (a AccessAnswers) Trade(ctx context.Context) []components.KeyValue {
	return []components.KeyValue{
		{Key: i18n.T(ctx, "access.website"), Value: a.Website}, {Key: i18n.T(ctx, "access.sells"), Value: a.Sells},
		{Key: i18n.T(ctx, "access.monthly_volume"), Value: i18n.Money(ctx, a.MonthlyVolume)},
	}
}

// Contact returns the answers about whom staff may ask.
func (a AccessAnswers) Contact(ctx context.Context) []components.KeyValue {
	return []components.KeyValue{
		{Key: i18n.T(ctx, "access.contact_name"), Value: a.ContactName},
		{Key: i18n.T(ctx, "access.contact_email"), Value: a.ContactEmail},
		{Key: i18n.T(ctx, "access.contact_phone"), Value: a.ContactPhone},
	}
}

// Facts returns all answers.
func (a AccessAnswers) Facts(ctx context.Context) []components.KeyValue {
	return append(append(a.Business(ctx), a.Trade(ctx)...), a.Contact(ctx)...)
}

// notice is the head of a verdict. A question does not look like a refusal.
func (v Verdict) notice(ctx context.Context) components.NoticeProps {
	p := components.NoticeProps{Tone: components.ToneBad, Icon: "circle-x"}
	switch v.Outcome {
	case OutcomeApproved:
		p = components.NoticeProps{Tone: components.ToneOK, Icon: "circle-check",
			Body: i18n.T(ctx, "access.verdict_APPROVED_body")}
	case OutcomeReturned:
		p = components.NoticeProps{Tone: components.ToneWarn, Icon: "message-circle-question-mark"}
	}
	p.Title = i18n.T(ctx, "access.verdict_"+v.Outcome)
	return p
}
