package pages

import (
	"context"
	"strings"
	"time"

	"garoupa/money"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// OpsAccountsProps is GET /ops/contas: all accounts, newest first.
type OpsAccountsProps struct {
	Shell layouts.OpsShell
	Rows  []OpsAccountRow
	Pager components.PagerProps
}

// OpsAccountRow is one account in the list.
type OpsAccountRow struct {
	ID        string
	Name      string
	Document  string
	State     string
	Switches  []string
	Volume    money.Cents // live, in the last 30 days
	Flags     []string    // risks, in words
	CreatedAt time.Time
}

// OpsAccountProps is GET /ops/contas/{id}: all that there is to know about an
// account.
type OpsAccountProps struct {
	Shell        layouts.OpsShell
	Account      OpsAccountHead
	Notes        []OpsEvent
	Note         string // as typed
	Changed      string // who changed it since it was looked at; "" if nobody did
	Switches     []OpsSwitch
	Books        []OpsBooks
	Blocks       []OpsBlock
	Block        OpsBlockFields
	Errors       components.FieldErrors // of the form that blocks an amount, or notes
	Members      []OpsMember
	Requests     []OpsItem
	Destinations []OpsItem
	Withdrawals  []OpsItem
	Movements    []OpsMovement // of live
	Acts         []AuditRow    // the latest ones
	CanRevoke    bool
	AuditHref    string // the whole trail; "" for who may not see it
}

// OpsSwitch is a switch of an account, on or off.
type OpsSwitch struct {
	Switch string
	On     bool
	Since  *time.Time // nil: it was never touched
	Reason string
}

// OpsBooks are what an account has in an environment.
type OpsBooks struct {
	Live                                              bool
	Gross, Fee, Pending, Available, Reserved, Blocked money.Cents
}

// OpsBlock is an amount that is held back.
type OpsBlock struct {
	ID     string
	Live   bool
	Amount money.Cents
	Reason string
	At     time.Time
}

// OpsBlockFields are the fields of the form that blocks an amount, as typed. Their
// names are env (live, test), amount and reason.
type OpsBlockFields struct {
	Env, Amount, Reason string
}

// OpsMember is a member of an account.
type OpsMember struct {
	ID, Name, Email, Role string
	Staff                 bool
}

// OpsMovement is a line of an account's statement.
type OpsMovement struct {
	At        time.Time
	Kind      string
	Amount    money.Cents
	Available money.Cents // after it
	LinkedID  string
}

// OpsSwitchProps is GET and POST /ops/contas/{id}/travas/{switch}. Fields: reason, ticket,
// and, to turn it on, confirm, the last four characters of the account's CPF or CNPJ, or
// of its id if it has none.
type OpsSwitchProps struct {
	Shell    layouts.OpsShell
	Account  OpsAccountHead
	Switch   string
	TurnOn   bool
	InReview int    // withdrawals that it holds up
	Version  string // of the switch as it is shown
	Reason   string
	Ticket   string
	Language string // the owner's
	// The mail that the owner gets, with the reason as typed.
	OwnerName, OwnerEmail string
	MailSubject, MailText string
	Changed               string // who turned it meanwhile; "" if nobody did
	Errors                components.FieldErrors
}

// OpsRevokeProps is GET and POST /ops/contas/{id}/encerrar.
type OpsRevokeProps struct {
	Shell    layouts.OpsShell
	Account  OpsAccountHead
	Changed  string
	Decision DecisionForm
}

// lines are the amounts of the books, in the order of the API.
func (b OpsBooks) lines() []struct {
	Key    string
	Amount money.Cents
} {
	return []struct {
		Key    string
		Amount money.Cents
	}{{"gross", b.Gross}, {"fee", b.Fee}, {"pending", b.Pending}, {"available", b.Available}, {"reserved", b.Reserved}, {"blocked", b.Blocked}}
}

// latest tells when and why it was turned to where it is.
func (s OpsSwitch) latest(ctx context.Context) string {
	if s.On {
		return i18n.T(ctx, "switch.on_since", i18n.Date(ctx, *s.Since), s.Reason)
	}
	return i18n.T(ctx, "switch.off_since", i18n.Date(ctx, *s.Since), s.Reason)
}

// confirmHint says which characters name the account.
func (p OpsSwitchProps) confirmHint(ctx context.Context) string {
	if p.Account.Document == "" {
		return i18n.T(ctx, "switch.confirm_hint_id", p.Account.ID)
	}
	return i18n.T(ctx, "switch.confirm_hint", unbroken.Replace(p.Account.Document))
}

// unbroken keeps a document in one line, with word joiners after its signs.
var unbroken = strings.NewReplacer("-", "-\u2060", "/", "/\u2060")

// title names what the form does.
func (p OpsSwitchProps) title() string {
	if p.TurnOn {
		return "switch.turn_on_" + p.Switch
	}
	return "switch.turn_off_" + p.Switch
}

// effect says what is held up besides.
func (p OpsSwitchProps) effect(ctx context.Context) string {
	if p.Switch == "LIVE_BLOCKED" || p.InReview == 0 {
		return ""
	}
	return i18n.N(ctx, "switch.holds", p.InReview)
}

// environment names the text of an environment.
func environment(live bool) string {
	if live {
		return "layout.live"
	}
	return "layout.test"
}
