package console

import (
	"context"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// BanksProps is GET /ops/bancos: accounts at banks, the installation's and merchants' own.
type BanksProps struct {
	Shell       layouts.OpsShell
	Rows        []BankRow
	CanPropose  bool
	Unconfirmed bool // no bank's profile was tried at the bank itself
}

// BankRow is an account at a bank.
type BankRow struct {
	ID, Name    string
	Bank        string // the name of its profile
	Sandbox     bool
	Status      string
	HolderName  string
	PixKey      string
	Merchant    string // whose own account it is; "" for the installation's
	MerchantID  string
	Certificate *BankCertificate // in use, or the latest; nil for an account without credentials
	Proposer    string           // "" if the account was made on the server
	At          time.Time
}

// BankCertificate is the client certificate of credentials.
type BankCertificate struct {
	Subject, Fingerprint string
	Ends                 time.Time
}

// badges are the status of an account at a bank, and that it is at the test environment.
func (r BankRow) badges(ctx context.Context, now time.Time) []components.BadgeProps {
	badge := map[string]components.BadgeProps{
		"DRAFT":    {Tone: components.ToneInfo, Icon: "clock"},
		"ACTIVE":   {Tone: components.ToneOK, Icon: "check"},
		"RETIRING": {Tone: components.ToneWarn, Icon: "hourglass"},
		"CLOSED":   {Icon: "ban"},
	}[r.Status]
	badge.Text = i18n.T(ctx, "ops.bank_status_"+r.Status)
	badges := []components.BadgeProps{badge}
	if r.Sandbox {
		badges = append(badges, components.BadgeProps{Tone: components.ToneWarn, Icon: "flask-conical",
			Text: i18n.T(ctx, "ops.bank_sandbox")})
	}
	if r.Certificate != nil && r.Status != "CLOSED" {
		badges = append(badges, r.Certificate.badges(ctx, now)...)
	}
	return badges
}

// soon is how long before its end a certificate must be replaced.
const soon = 30 * 24 * time.Hour

// badges warn of the end of a certificate.
func (c BankCertificate) badges(ctx context.Context, now time.Time) []components.BadgeProps {
	switch left := c.Ends.Sub(now); {
	case left <= 0:
		return []components.BadgeProps{{Tone: components.ToneBad, Icon: "circle-x",
			Text: i18n.T(ctx, "ops.bank_certificate_ended")}}
	case left <= soon:
		return []components.BadgeProps{{Tone: components.ToneWarn, Icon: "triangle-alert",
			Text: i18n.T(ctx, "ops.bank_certificate_soon")}}
	}
	return nil
}

// proposed says who proposed the account, and when.
func (r BankRow) proposed(ctx context.Context) string {
	if r.Proposer == "" {
		return i18n.T(ctx, "ops.bank_made_here", i18n.DateTime(ctx, r.At))
	}
	return i18n.T(ctx, "ops.bank_proposed_by", r.Proposer, i18n.DateTime(ctx, r.At))
}
