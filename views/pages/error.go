package pages

import (
	"context"
	"net/http"

	"github.com/a-h/templ"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
)

// ErrorProps is an error page. 403, 404, 413 and 429 have texts of their own, other 4xx share
// some, and everything else is an internal error. PayNotFound and LinkNotFound are the 404
// of buyers' pages.
type ErrorProps struct {
	Status    int
	RequestID string
	HomeURL   string        // where "Ir para o início" leads; "" leaves it out
	Again     bool          // the address may be opened again: a GET that may succeed later
	Dashboard bool          // the failed page belongs to the dashboard, not to buyers
	Outage    bool          // our own database cannot work now
	Unsure    bool          // of an outage: the form may have been processed
	Fields    []HiddenField // of an outage: the typed form, to be sent again; empty if it is not kept
	Action    string        // where the form goes
	Files     bool          // it had files, which cannot be kept
	Demo      bool
	Legal     layouts.Legal
}

// known are the statuses that have words of their own.
var known = map[int]string{
	http.StatusForbidden:             "forbidden",
	http.StatusNotFound:              "not_found",
	http.StatusRequestEntityTooLarge: "too_large",
	http.StatusTooManyRequests:       "too_many",
}

// key names a text about the status.
func (p ErrorProps) key(part string) string {
	name, ok := known[p.Status]
	switch {
	case p.Outage:
		name = "outage"
	case ok:
	case p.Status >= 400 && p.Status < 500:
		name = "request"
	default:
		name = "internal"
	}
	return "error." + name + "_" + part
}

// retries reports whether the page offers to try again.
func (p ErrorProps) retries() bool { return p.Again || len(p.Fields) > 0 }

// help is where the page's help leads: buyers' unless the page is of the dashboard.
func (p ErrorProps) help(ctx context.Context) string {
	if p.Dashboard {
		return layouts.DocsPath
	}
	return layouts.HelpInLanguage(ctx)
}

// body is what the page says below its title.
func (p ErrorProps) body(ctx context.Context) string {
	switch {
	case p.Outage && p.Unsure && len(p.Fields) > 0:
		return i18n.T(ctx, "error.outage_kept")
	case p.Outage && p.Unsure:
		return i18n.T(ctx, "error.outage_sent")
	}
	return i18n.T(ctx, p.key("body"))
}

func (p ErrorProps) icon() templ.Component {
	if p.Outage {
		return components.Icon("hourglass", "size-8")
	}
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
