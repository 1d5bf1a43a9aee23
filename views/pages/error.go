package pages

import (
	"context"
	"net/http"

	"github.com/a-h/templ"

	"garoupa/views/components"
	"garoupa/views/layouts"
)

// ErrorProps is a page that has nothing to show. 403, 404 and 429 have words of
// their own, other 4xx share some, and everything else is our fault. PayNotFound
// and LinkNotFound are the 404 of what buyers open.
type ErrorProps struct {
	Status    int
	RequestID string
	HomeURL   string // where "Ir para o início" leads; "" leaves it out
	Again     bool   // the address may be opened again: a GET that may succeed later
	Dashboard bool   // what failed is of the dashboard, not of buyers
	Demo      bool
	Legal     layouts.Legal
}

// known are the statuses that have words of their own.
var known = map[int]string{
	http.StatusForbidden:       "forbidden",
	http.StatusNotFound:        "not_found",
	http.StatusTooManyRequests: "too_many",
}

// key names a text about the status.
func (p ErrorProps) key(part string) string {
	name, ok := known[p.Status]
	switch {
	case ok:
	case p.Status >= 400 && p.Status < 500:
		name = "request"
	default:
		name = "internal"
	}
	return "error." + name + "_" + part
}

// help is where the page's help leads: buyers' unless the page is of the dashboard.
func (p ErrorProps) help(ctx context.Context) string {
	if p.Dashboard {
		return layouts.DocsPath
	}
	return layouts.HelpInLanguage(ctx)
}

func (p ErrorProps) icon() templ.Component {
	switch p.Status {
	case http.StatusForbidden:
		return components.Icon("lock", "size-8")
	case http.StatusNotFound:
		return components.Icon("search-x", "size-8")
	case http.StatusTooManyRequests:
		return components.Icon("hourglass", "size-8")
	}
	return components.Icon("triangle-alert", "size-8")
}
