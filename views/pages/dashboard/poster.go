package dashboard

import (
	"strings"

	"garoupa/internal/money"
	"garoupa/views/components"
	base "garoupa/views/pages"
)

// PosterProps is GET /app/links/{id}/cartaz?size=: what a shop hangs up. It is on paper, so it is always light.
type PosterProps struct {
	Small    bool // A6 instead of A5
	ID       string
	URL      string // of the link, for buyers
	Merchant string
	Brand    base.PayBrand
	Product  string
	Amount   money.Cents
	Terms    LinkTerms
	QR       components.QRProps
}

// size names the paper.
func (p PosterProps) size() string {
	if p.Small {
		return "a6"
	}
	return "a5"
}

// typed is the address as people type it.
func (p PosterProps) typed() string {
	_, address, _ := strings.Cut(p.URL, "://")
	return address
}

// secondStep is the text of the second step.
func (p PosterProps) secondStep() string {
	if p.Terms.Open {
		return "links.poster_step_2_open"
	}
	return "links.poster_step_2"
}
