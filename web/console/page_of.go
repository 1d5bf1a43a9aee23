package console

import (
	"regexp"
	"strings"

	"garoupa/views/components"
)

// opsPages are the pages of objects by the prefix of their ids.
var opsPages = map[string]string{
	"acc": "/ops/contas/", "acr": "/ops/acessos/", "bnk": "/ops/bancos/", "chk": "/ops/cobrancas/",
	"dsp": "/ops/disputas/", "dst": "/ops/destinos/", "fpr": "/ops/tarifas/", "npr": "/ops/nomes/",
	"wdr": "/ops/saques/", "we": "/ops/webhooks/",
}

// searchable are the prefixes of further ids, whose object a search shows.
var searchable = map[string]bool{
	"blk": true, "dlv": true, "evt": true, "key": true, "pay": true, "plink": true, "prj": true, "prod": true,
	"rfd": true, "usr": true,
}

// objectID and endToEndID match ids of objects of the installation, and of a Pix.
var (
	objectID   = regexp.MustCompile(`^[a-z]+_[0-9a-f]{16,24}$`)
	endToEndID = regexp.MustCompile(`^E[0-9]{8}[0-9A-Za-z]{23}$`)
)

// linked adds to facts that are ids the pages of their objects, except for an object whose page is here.
func linked(facts []components.KeyValue, here string) []components.KeyValue {
	for i, fact := range facts {
		if fact.Href == "" && (here == "" || !strings.HasSuffix(here, "/"+fact.Value)) {
			facts[i].Href = pageOf(fact.Value)
		}
	}
	return facts
}

// pageOf returns where staff see the object of an id, or "" for what is no id of such an object.
func pageOf(id string) string {
	if endToEndID.MatchString(id) {
		return "/ops/buscar?q=" + id
	}
	if !objectID.MatchString(id) {
		return ""
	}
	prefix, _, _ := strings.Cut(id, "_")
	switch {
	case opsPages[prefix] != "":
		return opsPages[prefix] + id
	case searchable[prefix]:
		return "/ops/buscar?q=" + id
	}
	return ""
}
