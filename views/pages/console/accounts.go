package console

import (
	"strings"
	"time"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/layouts"
	base "garoupa/views/pages"
)

// AccountsProps is GET /ops/contas: all accounts, newest first.
type AccountsProps struct {
	Shell layouts.OpsShell
	Rows  []AccountRow
	Pager components.PagerProps
}

// AccountRow is one account in the list.
type AccountRow struct {
	ID        string
	Name      string
	Document  string
	State     string
	Switches  []string
	Volume    money.Cents // live, in the last 30 days
	Flags     []string    // risks, in words
	CreatedAt time.Time
}

// AccountProps is GET /ops/contas/{id}: all that there is to know about an
// account.
type AccountProps struct {
	Shell        layouts.OpsShell
	Account      AccountHead
	Notes        []Event
	Note         string // as typed
	NoteKey      string // of the form, which notes once however often it is sent
	Switches     []Switch
	Terms        Terms
	Books        []Books
	Blocks       []Item // amounts that are held back
	Errors       components.FieldErrors
	Members      []Member
	Requests     []Item
	Destinations []Item
	Withdrawals  []Item
	Movements    []Movement      // of live
	Acts         []base.AuditRow // the latest ones
	CanRevoke    bool
	AuditHref    string // the whole trail; "" without the right to see it
}

// Books are what an account has in an environment.
type Books struct {
	Live                                              bool
	Gross, Fee, Pending, Available, Reserved, Blocked money.Cents
}

// Member is a member of an account.
type Member struct {
	ID, Name, Email, Role string
	Staff                 bool
}

// Movement is a line of an account's statement.
type Movement struct {
	At        time.Time
	Kind      string
	Amount    money.Cents
	Available money.Cents // after it
	LinkedID  string
}

// lines are the amounts of the books, in the order of the API.
func (b Books) lines() []struct {
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
