package dashboard

import (
	"context"
	"time"

	"github.com/a-h/templ"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// OwnBankProps is GET /app/conta-bancaria: the merchant's own accounts at banks. The forms of an account post
// to …/{id}/verificar, …/{id}/descartar, with credential, and …/{id}/aposentar, with version.
type OwnBankProps struct {
	Shell       layouts.Shell
	NeedsAccess bool // without an approved production access nothing can be proposed
	Suspended   bool
	Accounts    []OwnBank          // newest first, without those that were discarded
	Findings    []base.BankFinding // of a check that was just done
	Changed     bool               // another person was first
}

// OwnBank is an own account of the merchant.
type OwnBank struct {
	ID, Name, Bank       string // Bank is the name of its profile
	Status               string // DRAFT, ACTIVE, RETIRING
	PixKey               string
	HolderName, Document string
	Version              string
	InUse, Waits         *OwnCredential
}

// OwnCredential are credentials at a bank, without their secrets.
type OwnCredential struct {
	ID, Subject string
	Ends, At    time.Time
	AppliesAt   *time.Time // nil while they are under review
}

// NewOwnBankProps is GET and POST /app/conta-bancaria/nova.
type NewOwnBankProps struct {
	Shell    layouts.Shell
	Profiles []string // the banks to choose from
	Document string   // of the merchant, whose the account must be
	Advanced bool     // the form asks for the profile's overrides
	Fields   OwnBankFields
	Errors   components.FieldErrors
}

// OwnBankFields are the fields of a new account as typed, without secrets and files.
type OwnBankFields struct {
	Name, Profile, PixKey, AccountNumber, HolderName, Overrides, ClientID string
}

// NewOwnCredentialProps is GET and POST /app/conta-bancaria/{id}/credenciais.
type NewOwnCredentialProps struct {
	Shell              layouts.Shell
	ID, Name, ClientID string
	Errors             components.FieldErrors
}

// proposes reports whether another account can be proposed: none is waiting.
func (p OwnBankProps) proposes() bool {
	for _, account := range p.Accounts {
		if account.Status == "DRAFT" {
			return false
		}
	}
	return !p.NeedsAccess && !p.Suspended
}

func (b OwnBank) badge(ctx context.Context) components.BadgeProps {
	switch {
	case b.Status == "ACTIVE":
		return components.BadgeProps{Tone: components.ToneOK, Icon: "check", Text: i18n.T(ctx, "ownbank.status_ACTIVE")}
	case b.Status == "RETIRING":
		return components.BadgeProps{Tone: components.ToneWarn, Icon: "hourglass",
			Text: i18n.T(ctx, "ownbank.status_RETIRING")}
	case b.Waits != nil && b.Waits.AppliesAt != nil:
		return components.BadgeProps{Tone: components.ToneInfo, Icon: "hourglass",
			Text: i18n.T(ctx, "ownbank.status_waits")}
	}
	return components.BadgeProps{Tone: components.ToneInfo, Icon: "clock", Text: i18n.T(ctx, "ownbank.status_review")}
}

func (b OwnBank) facts(ctx context.Context) []components.KeyValue {
	facts := []components.KeyValue{
		{Key: i18n.T(ctx, "ops.bank_profile"), Value: base.BankName(ctx, b.Bank)},
		{Key: i18n.T(ctx, "ops.bank_pix_key"), Value: b.PixKey, Mono: true},
		{Key: i18n.T(ctx, "ops.bank_holder"), Value: b.HolderName},
		{Key: i18n.T(ctx, "ops.bank_document"), Value: b.Document},
	}
	if b.InUse != nil {
		facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "ops.bank_certificate"),
			Value: b.InUse.certificate(ctx)})
	}
	return facts
}

func (c *OwnCredential) certificate(ctx context.Context) string {
	return i18n.T(ctx, "ops.bank_certificate_until", c.Subject, i18n.Date(ctx, c.Ends))
}

// waits is the notice about what waits for a review or for its time.
func (b OwnBank) waits(ctx context.Context, now time.Time) components.NoticeProps {
	notice := components.NoticeProps{Tone: components.ToneInfo, Icon: "clock", Body: i18n.T(ctx, "ownbank.review_body")}
	title, next := "ownbank.status_review", "ownbank.next_review"
	if at := b.Waits.AppliesAt; at != nil {
		title, next, notice.Icon = "ownbank.status_waits", "ownbank.next_waits", "hourglass"
		notice.Body = i18n.T(ctx, "ownbank.waits_body", i18n.DateTime(ctx, *at))
		if now.Sub(*at) > time.Hour { // a process asks the bank each minute
			notice.Tone = components.ToneWarn
			notice.Body = i18n.T(ctx, "ownbank.late_body", i18n.DateTime(ctx, *at))
		}
	}
	if b.Status != "DRAFT" {
		title = next
	}
	notice.Title = i18n.T(ctx, title)
	return notice
}

func (b OwnBank) path(below string) templ.SafeURL {
	return templ.SafeURL("/app/conta-bancaria/" + b.ID + below)
}
