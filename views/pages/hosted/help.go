package hosted

import "garoupa/views/layouts"

// HelpProps is GET /ajuda, the buyers' help.
type HelpProps struct {
	Demo  bool
	Legal layouts.Legal
}

const helpIcon = "mt-0.5 size-5 shrink-0 text-ink-3"
