package dashboard

import (
	"time"

	"garoupa/internal/money"
	"garoupa/views/layouts"
)

// SearchProps is GET /app/busca?q=, and the list of the palette. The page never shows a single hit by a whole id: it
// leads on.
type SearchProps struct {
	Shell     layouts.Shell
	Text      string // what was looked for; "" only asks
	Hits      []Hit
	More      bool // there may be further charges, which their list finds
	Elsewhere bool // nothing is here, but something is in the other environment
}

// The kinds of Hit; the other kinds are those of models.Named.
const (
	HitAction     = "action"
	HitPlace      = "place"
	HitCheckout   = "checkout"
	HitRequest    = "request"
	HitEvent      = "event"
	HitDelivery   = "delivery"
	HitWithdrawal = "withdrawal"
)

// Hit is one thing that a search found.
type Hit struct {
	Kind   string
	Icon   string // of a place or an action; "" for the kind's
	Title  string
	Detail string
	// Why names what matched, with Matched, if neither the title nor the detail shows it: a text "search.why_…".
	Why, Matched string
	Amount       money.Cents // of a checkout
	Status       string      // of a checkout
	At           time.Time   // zero for what has no time
	Href         string
	Form         *HitForm // for an action that is sent instead of a page that is opened
}

// HitForm is sent with POST. It has one field and next, the page to come back to.
type HitForm struct {
	Action, Name, Value string
}

var hitIcons = map[string]string{
	"product": "package", "link": "link", "endpoint": "webhook", "key": "key-round", "member": "users",
	HitRequest: "square-terminal", HitEvent: "activity", HitDelivery: "send", HitWithdrawal: "banknote-arrow-up",
	HitPlace: "arrow-right", HitAction: "plus",
}

func (h Hit) icon() string {
	if h.Icon != "" {
		return h.Icon
	}
	if icon := hitIcons[h.Kind]; icon != "" {
		return icon
	}
	return "receipt-text"
}
