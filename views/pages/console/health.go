package console

import (
	"context"

	"github.com/a-h/templ"

	"garoupa/views/components"
	"garoupa/views/i18n"
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
	ID       string // names its texts
	Title    string // instead of its text; "" for that
	Badge    templ.Component
	Concerns []Concern
	Step     string // what to do about it; "" where all is well
	Facts    []components.KeyValue
	Href     string // leads to more about it; "" for none
}

func (p HealthPart) title(ctx context.Context) string {
	if p.Title != "" {
		return p.Title
	}
	return i18n.T(ctx, "ops.health_"+p.ID)
}
