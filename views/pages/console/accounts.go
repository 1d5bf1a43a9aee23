package console

import (
	"strings"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
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
	NoteKey      string // of the form, which notes once however often it is sent
	Changed      string // who changed it since it was shown; "" if no one did
	Switches     []OpsSwitch
	Terms        OpsTerms
	Books        []OpsBooks
	Blocks       []OpsBlock
	Block        OpsBlockFields
	Errors       components.FieldErrors // of the form that blocks an amount, or notes
	Members      []OpsMember
	Requests     []OpsItem
	Destinations []OpsItem
	Withdrawals  []OpsItem
	Movements    []OpsMovement   // of live
	Acts         []base.AuditRow // the latest ones
	CanRevoke    bool
	AuditHref    string // the whole trail; "" without the right to see it
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
	Key                 string // of the form, which blocks once however often it is sent
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

// lines are the amounts of the books, in the order of the API.
func (b OpsBooks) lines() []struct {
	Key    string
	Amount money.Cents
} {
	return []struct {
		Key    string
		Amount money.Cents
	}{{"gross", b.Gross}, {"fee", b.Fee}, {"pending", b.Pending}, {"available", b.Available}, {"reserved", b.Reserved},
		{"blocked", b.Blocked}}
}

// unbroken keeps a document in one line, with word joiners after its signs.
var unbroken = strings.NewReplacer("-", "-\u2060", "/", "/\u2060")

// environment names the text of an environment.
func environment(live bool) string {
	if live {
		return "layout.live"
	}
	return "layout.test"
}
