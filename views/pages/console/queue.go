package console

import (
	"time"

	"github.com/a-h/templ"

	"garoupa/internal/money"
	"garoupa/views/components"
	"garoupa/views/layouts"
)

// OpsHomeProps is GET /ops: what waits for staff.
type OpsHomeProps struct {
	Shell  layouts.OpsShell
	Queues []OpsQueue
}

// OpsQueue is one list of things to decide.
type OpsQueue struct {
	ID     string // one of the Ops constants of package layouts
	Href   string // of the whole list
	Count  int
	Oldest *time.Time // nil: nothing waits
	Late   bool       // the oldest waits for longer than it should
	Items  []OpsItem  // the oldest ones
}

// OpsItem is one thing to decide, in a list.
type OpsItem struct {
	Href   string
	Title  string // whose it is
	Detail string // what it is about
	Amount *money.Cents
	Test   bool // of the test environment
	Badge  templ.Component
	Since  time.Time
	Late   bool
}

// OpsListProps is a list of things to decide, or decided.
type OpsListProps struct {
	Shell layouts.OpsShell
	ID    string // one of the Ops constants of package layouts
	Tabs  components.TabsProps
	Items []OpsItem
	Pager components.PagerProps
}
