package console

import (
	"context"
	"time"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// Switch is a switch of an account, on or off.
type Switch struct {
	Switch string
	On     bool
	Since  *time.Time // nil: it was never touched
	Reason string
}

// SwitchProps is GET and POST /ops/contas/{id}/travas/{switch}. Fields: reason, saved, ticket,
// and, to turn it on, confirm, the last four characters of the account's CPF or CNPJ, or
// of its id if it has none.
type SwitchProps struct {
	Shell    layouts.OpsShell
	Account  AccountHead
	Switch   string
	TurnOn   bool
	InReview int     // withdrawals that it holds up
	History  []Event // when it was turned before, the latest first
	Version  string  // of the switch as it is shown
	Reason   string
	Saved    []SavedReason // those to pick from
	Picked   string        // the id of one of them; "" for none
	Ticket   string
	Language string // the owner's
	// The mail that the owner gets, with the reason as typed.
	OwnerName, OwnerEmail string
	MailSubject, MailText string
	Changed               string // who turned it meanwhile; "" if no one did
	Errors                components.FieldErrors
}

// RevokeProps is GET and POST /ops/contas/{id}/encerrar.
type RevokeProps struct {
	Shell    layouts.OpsShell
	Account  AccountHead
	Changed  string
	Decision DecisionForm
}

// latest tells when and why it was turned to where it is.
func (s Switch) latest(ctx context.Context) string {
	if s.On {
		return i18n.T(ctx, "switch.on_since", i18n.Date(ctx, *s.Since), s.Reason)
	}
	return i18n.T(ctx, "switch.off_since", i18n.Date(ctx, *s.Since), s.Reason)
}

// confirmHint says which characters name the account.
func (p SwitchProps) confirmHint(ctx context.Context) string {
	if p.Account.Document == "" {
		return i18n.T(ctx, "switch.confirm_hint_id", p.Account.ID)
	}
	return i18n.T(ctx, "switch.confirm_hint", unbroken.Replace(p.Account.Document))
}

// title names what the form does.
func (p SwitchProps) title() string {
	if p.TurnOn {
		return "switch.turn_on_" + p.Switch
	}
	return "switch.turn_off_" + p.Switch
}

// effect says what is held up besides.
func (p SwitchProps) effect(ctx context.Context) string {
	if p.Switch == "LIVE_BLOCKED" || p.InReview == 0 {
		return ""
	}
	return i18n.N(ctx, "switch.holds", p.InReview)
}
