package pages

import "garoupa/views/layouts"

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
