package console

import (
	"strings"

	"garoupa/views/components"
	base "garoupa/views/pages"
)

// linked adds to facts that are ids the pages of their objects, except for an object whose page is here.
func linked(facts []components.KeyValue, here string) []components.KeyValue {
	for i, fact := range facts {
		if fact.Href == "" && (here == "" || !strings.HasSuffix(here, "/"+fact.Value)) {
			facts[i].Href = base.OpsPage(fact.Value)
		}
	}
	return facts
}
