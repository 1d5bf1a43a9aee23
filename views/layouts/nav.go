package layouts

import (
	"cmp"

	"github.com/a-h/templ"

	"garoupa/views/components"
)

// NavGroup is a part of the menu. ID names its title in the catalogs
// ("nav.group_" + ID); without one it has no title.
type NavGroup struct {
	ID    string
	Items []NavItem
}

// NavItem links to one section of the dashboard. The menu has only sections that exist and
// that the member may see.
type NavItem struct {
	ID    string // one of the Nav constants: decides the label and the icon
	Href  string
	Count int // what needs attention there; 0 hides it
}

// The sections of the dashboard.
const (
	NavHome        = "home"
	NavCheckouts   = "checkouts"
	NavCustomers   = "customers"
	NavLinks       = "links"
	NavProducts    = "products"
	NavDisputes    = "disputes"
	NavBalance     = "balance"
	NavWithdrawals = "withdrawals"
	NavOwnBank     = "own_bank"
	NavKeys        = "keys"
	NavWebhooks    = "webhooks"
	NavEvents      = "events"
	NavRequests    = "requests"
	NavDocs        = "docs"
	NavLive        = "live"
	NavTeam        = "team"
	NavSettings    = "settings"
	NavAudit       = "audit"
)

// The titled groups of the menu.
const (
	NavGroupMoney      = "money"
	NavGroupDevelopers = "developers"
	NavGroupAccount    = "account"
)

// section is how a section looks in the menu.
type section struct {
	Icon   string
	Letter string // leads to it after "g"
}

var sections = map[string]section{
	NavHome:        {Icon: "house", Letter: "i"},
	NavCheckouts:   {Icon: "receipt-text", Letter: "c"},
	NavCustomers:   {Icon: "contact", Letter: "n"},
	NavLinks:       {Icon: "link", Letter: "l"},
	NavProducts:    {Icon: "package", Letter: "p"},
	NavDisputes:    {Icon: "scale", Letter: "m"},
	NavBalance:     {Icon: "wallet", Letter: "s"},
	NavWithdrawals: {Icon: "banknote-arrow-up", Letter: "q"},
	NavOwnBank:     {Icon: "landmark", Letter: "b"},
	NavKeys:        {Icon: "key-round", Letter: "k"},
	NavWebhooks:    {Icon: "webhook", Letter: "w"},
	NavEvents:      {Icon: "activity", Letter: "e"},
	NavRequests:    {Icon: "square-terminal", Letter: "r"},
	NavDocs:        {Icon: "book-open", Letter: "d"},
	NavLive:        {Icon: "badge-check", Letter: "v"},
	NavTeam:        {Icon: "users", Letter: "t"},
	NavSettings:    {Icon: "settings", Letter: "o"},
	NavAudit:       {Icon: "scroll-text", Letter: "a"},
}

// IconName returns the name of the section's icon.
func (item NavItem) IconName() string { return cmp.Or(sections[item.ID].Icon, "settings") }

// letter returns the key that leads to the section after "g".
func (item NavItem) letter() string { return sections[item.ID].Letter }

// icon returns the section's icon.
func (item NavItem) icon() templ.Component {
	return components.Icon(item.IconName(), "size-4.5 shrink-0")
}
