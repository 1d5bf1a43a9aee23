package pages

import (
	"context"
	"slices"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// OpsFindProps is GET /ops/buscar?q=: what the text names.
type OpsFindProps struct {
	Shell layouts.OpsShell
	Found []OpsFound
}

// OpsFound is one thing that was found.
type OpsFound struct {
	Kind    string // one of the kinds of models.Find
	ID      string
	Detail  string
	Account string
	Href    string
}

// things are what has a status, by the kind that a search calls it.
var things = map[string]string{
	"account": components.Access, "request": components.Access, "checkout": components.Checkout, "withdrawal": components.Withdrawal, "link": components.Link,
}

// detail is Detail in words, where it is a status.
func (f OpsFound) detail(ctx context.Context) string {
	if thing := things[f.Kind]; slices.Contains(components.Statuses(thing), f.Detail) {
		return i18n.T(ctx, "status."+thing+"_"+f.Detail)
	}
	return f.Detail
}
