package console

import (
	"github.com/a-h/templ"

	"garoupa/views/components"
	"garoupa/views/layouts"
)

// HealthProps is GET /ops/saude: how the installation fares.
type HealthProps struct {
	Shell     layouts.OpsShell
	Parts     []HealthPart
	Endpoints []Item // of merchants, that fail
}

// HealthPart is one thing that is well or not.
type HealthPart struct {
	ID    string // names its texts
	Badge templ.Component
	Step  string // what to do about it; "" where all is well
	Facts []components.KeyValue
}
