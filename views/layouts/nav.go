package layouts

import (
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

// icon returns the section's icon.
func (item NavItem) icon() templ.Component {
	const class = "size-4.5 shrink-0"
	switch item.ID {
	case NavHome:
		return components.Icon("house", class)
	case NavCheckouts:
		return components.Icon("receipt-text", class)
	case NavCustomers:
		return components.Icon("contact", class)
	case NavLinks:
		return components.Icon("link", class)
	case NavProducts:
		return components.Icon("package", class)
	case NavDisputes:
		return components.Icon("scale", class)
	case NavBalance:
		return components.Icon("wallet", class)
	case NavWithdrawals:
		return components.Icon("banknote-arrow-up", class)
	case NavOwnBank:
		return components.Icon("landmark", class)
	case NavKeys:
		return components.Icon("key-round", class)
	case NavWebhooks:
		return components.Icon("webhook", class)
	case NavEvents:
		return components.Icon("activity", class)
	case NavRequests:
		return components.Icon("square-terminal", class)
	case NavDocs:
		return components.Icon("book-open", class)
	case NavLive:
		return components.Icon("badge-check", class)
	case NavTeam:
		return components.Icon("users", class)
	case NavAudit:
		return components.Icon("scroll-text", class)
	}
	return components.Icon("settings", class)
}
