package dashboard

import (
	"time"

	"garoupa/internal/money"
	"garoupa/views/layouts"
)

// SearchProps is GET /app/busca?q=. A single hit is never shown: it leads on.
type SearchProps struct {
	Shell     layouts.Shell
	Text      string // what was looked for; "" only asks
	Hits      []Hit
	More      bool // there may be further charges, which their list finds
	Elsewhere bool // nothing is here, but something is in the other environment
}

// The kinds of Hit.
const (
	HitCheckout = "checkout"
	HitProduct  = "product"
	HitRequest  = "request"
)

// Hit is one thing that a search found.
type Hit struct {
	Kind   string
	Title  string
	Detail string
	Amount money.Cents // of a checkout
	Status string      // of a checkout
	At     time.Time   // zero for what has no time
	Href   string
}

func (h Hit) icon() string {
	switch h.Kind {
	case HitProduct:
		return "package"
	case HitRequest:
		return "square-terminal"
	}
	return "receipt-text"
}
