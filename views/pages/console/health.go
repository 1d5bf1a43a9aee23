package console

import (
	"github.com/a-h/templ"

	"garoupa/views/components"
	"garoupa/views/layouts"
)

// OpsHealthProps is GET /ops/saude: how the installation fares.
type OpsHealthProps struct {
	Shell     layouts.OpsShell
	Parts     []OpsHealthPart
	Endpoints []OpsItem // of merchants, that fail
}

// OpsHealthPart is one thing that is well or not.
type OpsHealthPart struct {
	ID    string // names its texts
	Badge templ.Component
	Step  string // what to do about it; "" where all is well
	Facts []components.KeyValue
}
