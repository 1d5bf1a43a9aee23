package console

import (
	"context"
	"slices"

	"github.com/a-h/templ"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// FindProps is GET /ops/buscar?q=: what the text names.
type FindProps struct {
	Shell layouts.OpsShell
	Found []Found
}

// Found is one thing that was found.
type Found struct {
	Kind    string // one of the kinds of models.Find
	ID      string
	Detail  string // "" for nothing to add
	Account string
	Access  string // the account's access status
	Href    string
}

// things are what has a status, by the kind that a search calls it.
var things = map[string]string{
	"request": components.Access, "checkout": components.Checkout, "withdrawal": components.Withdrawal,
	"link": components.Link,
}

// parts returns the status of a result, nil if it has none, and further details.
func (f Found) parts() (status templ.Component, rest string) {
	if f.Kind == "account" {
		return components.StatusBadge(components.Access, f.Access), f.Detail
	}
	if thing := things[f.Kind]; slices.Contains(components.Statuses(thing), f.Detail) {
		return components.StatusBadge(thing, f.Detail), ""
	}
	return nil, f.Detail
}

// title tells whether anything was found.
func (p FindProps) title(ctx context.Context) string {
	switch {
	case p.Shell.Query == "":
		return i18n.T(ctx, "ops.search")
	case len(p.Found) == 0:
		return i18n.T(ctx, "ops.find_none_for", p.Shell.Query)
	}
	return i18n.T(ctx, "ops.find_for", p.Shell.Query)
}
