package console

import (
	"time"

	"github.com/a-h/templ"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/layouts"
)

// HomeProps is GET /ops: what waits for staff.
type HomeProps struct {
	Shell  layouts.OpsShell
	Queues []Queue
}

// Queue is one list of things to decide.
type Queue struct {
	ID     string // one of the Ops constants of package layouts
	Href   string // of the whole list
	Count  int
	Oldest *time.Time // nil: nothing waits
	Late   bool       // the oldest waits for longer than it should
	Items  []Item     // the oldest ones
}

// Item is one thing to decide, in a list.
type Item struct {
	Href   string
	Title  string // whose it is
	Detail string // what it is about
	Amount *money.Cents
	Test   bool // of the test environment
	Badge  templ.Component
	Since  time.Time
	Late   bool
}

// ListProps is a list of things to decide, or decided.
type ListProps struct {
	Shell layouts.OpsShell
	ID    string // one of the Ops constants of package layouts
	Tabs  components.TabsProps
	Order components.TabsProps // the orders of the tab; empty if it has only one
	Items []Item
	Pager components.PagerProps
}
