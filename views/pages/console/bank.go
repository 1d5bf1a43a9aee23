package console

import (
	"context"
	"time"

	"github.com/a-h/templ"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// BankProps is GET /ops/bancos/{id}. Its forms post to …/verificar, …/aprovar and …/descartar, with
// credential, and …/aposentar and …/encerrar, with version.
type BankProps struct {
	Shell         layouts.OpsShell
	Row           BankRow
	Document      string // of the holder, with punctuation
	AccountNumber string
	Overrides     string // JSON; "" for none
	Version       string
	Confirmed     string // the day on which the bank's profile was tried; "" if it was not
	Notices       BankNotices
	Credentials   []BankCredential   // newest first
	Findings      []base.BankFinding // of a check that was just done
	Refused       bool               // the approval was not done because of Findings
	Problem       string             // why nothing was done
	Changed       string             // who was first; "" if no one was
	Watch         *BankWatch         // nil for an account that was never in use
	CanAct        bool
	Own           bool   // the person proposed the credentials that wait
	AuditHref     string // the trail; "" without the right to see it
}

// BankCredential are credentials of an account, without their secrets.
type BankCredential struct {
	ID, ClientID        string
	Status              string
	Certificate         BankCertificate
	Proposer, Approver  string // "" if done on the server
	At                  time.Time
	ApprovedAt, EndedAt *time.Time // nil: not yet
	AppliesAt           *time.Time // when those of an own account take effect; nil: at the approval
}

// proposed returns the credentials that wait for an approval, or nil.
func (p BankProps) proposed() *BankCredential {
	for i := range p.Credentials {
		if p.Credentials[i].Status == "NEW" {
			return &p.Credentials[i]
		}
	}
	return nil
}

// open reports whether the account can still be used.
func (p BankProps) open() bool { return p.Row.Status != "CLOSED" }

// waitsTitle says what credentials wait for.
func waitsTitle(ctx context.Context, proposed *BankCredential) string {
	if proposed.AppliesAt != nil {
		return i18n.T(ctx, "ops.bank_waits_own")
	}
	return i18n.T(ctx, "ops.bank_waits")
}

// approveBody names the text that says what an approval does.
func (p BankProps) approveBody() string {
	if p.Row.Merchant != "" {
		return "ops.bank_approve_body_own"
	}
	return "ops.bank_approve_body_" + p.Row.Status
}

func (p BankProps) facts(ctx context.Context) []components.KeyValue {
	confirmed := i18n.T(ctx, "ops.bank_unconfirmed")
	if p.Confirmed != "" {
		confirmed = i18n.T(ctx, "ops.bank_confirmed", p.Confirmed)
	}
	facts := []components.KeyValue{
		{Key: i18n.T(ctx, "ops.bank_id"), Value: p.Row.ID, Mono: true},
		{Key: i18n.T(ctx, "ops.bank_profile"), Value: base.BankName(ctx, p.Row.Bank)},
		{Key: i18n.T(ctx, "ops.bank_profile_source"), Value: confirmed},
		{Key: i18n.T(ctx, "ops.bank_pix_key"), Value: p.Row.PixKey, Mono: true},
		{Key: i18n.T(ctx, "ops.bank_account_number"), Value: p.AccountNumber, Mono: true},
		{Key: i18n.T(ctx, "ops.bank_holder"), Value: p.Row.HolderName},
		{Key: i18n.T(ctx, "ops.bank_document"), Value: p.Document},
	}
	facts = append(facts, p.Notices.facts(ctx)...)
	if p.Row.Merchant != "" {
		facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "ops.bank_merchant"), Value: p.Row.Merchant,
			Href: "/ops/contas/" + p.Row.MerchantID})
	}
	if p.Row.Proposer == "" {
		return append(facts, components.KeyValue{Key: i18n.T(ctx, "ops.bank_proposed"), Value: p.Row.proposed(ctx)})
	}
	return append(facts, components.KeyValue{Key: i18n.T(ctx, "ops.bank_proposed"),
		Value: i18n.T(ctx, "ops.bank_at_by", i18n.DateTime(ctx, p.Row.At), p.Row.Proposer)})
}

func (c BankCredential) badge(ctx context.Context) components.BadgeProps {
	badge := map[string]components.BadgeProps{
		"NEW":     {Tone: components.ToneInfo, Icon: "clock"},
		"ACTIVE":  {Tone: components.ToneOK, Icon: "check"},
		"RETIRED": {Icon: "ban"},
	}[c.Status]
	if badge.Text = i18n.T(ctx, "ops.bank_credential_"+c.Status); c.Status == "NEW" && c.AppliesAt != nil {
		badge.Icon, badge.Text = "hourglass", i18n.T(ctx, "ops.bank_waits_own")
	}
	return badge
}

// facts are what is known of credentials. Their certificate is public, all else is sealed.
func (c BankCredential) facts(ctx context.Context) []components.KeyValue {
	by := func(at time.Time, who string) string {
		if who == "" {
			who = i18n.T(ctx, "ops.bank_server")
		}
		return i18n.T(ctx, "ops.bank_at_by", i18n.DateTime(ctx, at), who)
	}
	facts := []components.KeyValue{
		{Key: i18n.T(ctx, "ops.bank_client_id"), Value: c.ClientID, Mono: true},
		{Key: i18n.T(ctx, "ops.bank_certificate"), Value: c.Certificate.Subject},
		{Key: i18n.T(ctx, "ops.bank_fingerprint"), Value: c.Certificate.Fingerprint, Mono: true},
		{Key: i18n.T(ctx, "ops.bank_certificate_ends"), Value: i18n.DateTime(ctx, c.Certificate.Ends)},
		{Key: i18n.T(ctx, "ops.bank_proposed"), Value: by(c.At, c.Proposer)},
	}
	if c.ApprovedAt != nil {
		facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "ops.bank_approved"),
			Value: by(*c.ApprovedAt, c.Approver)})
	}
	if c.AppliesAt != nil {
		facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "ops.bank_applies"),
			Value: i18n.DateTime(ctx, *c.AppliesAt)})
	}
	if c.EndedAt != nil {
		facts = append(facts, components.KeyValue{Key: i18n.T(ctx, "ops.bank_ended"),
			Value: i18n.DateTime(ctx, *c.EndedAt)})
	}
	return facts
}

// path returns an address below the account's.
func (p BankProps) path(below string) templ.SafeURL {
	return templ.SafeURL("/ops/bancos/" + p.Row.ID + below)
}
