package browsertest

import (
	"slices"
	"strings"
)

// AllowConsole expects console errors whose message or address contains the text. A page with
// status 404 logs one, for instance. It may be called at any time before the test ends.
func (p *Page) AllowConsole(text string) {
	p.allowed = append(p.allowed, text)
}

// reportConsole fails the test with the unexpected errors: console.error, uncaught exceptions,
// failed loads, and violations of the content security policy.
func (p *Page) reportConsole() {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	for _, message := range p.log.console {
		expected := func(text string) bool { return strings.Contains(message, text) }
		if !slices.ContainsFunc(p.allowed, expected) {
			p.t.Errorf("browsertest: the page's console says: %s", message)
		}
	}
}
