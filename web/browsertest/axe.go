package browsertest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/emulation"

	"garoupa/web/browsertest/upward"
)

// axeSource is the accessibility checker, as npm installed it.
var axeSource = sync.OnceValues(func() (string, error) {
	path, err := upward.Find("node_modules/axe-core/axe.min.js")
	if err != nil {
		return "", fmt.Errorf("%w: run npm ci", err)
	}
	source, err := os.ReadFile(path)
	return string(source), err
})

// axeRun checks the document against WCAG 2.0 to 2.2, levels A and AA, and axe's best
// practices, and keeps of its report what a developer reads.
const axeRun = `axe.run(document, {
	runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
	resultTypes: ["violations"],
}).then(({ violations }) => violations.map(({ id, help, nodes }) => ({
	rule: id, help, nodes: nodes.map(({ target, failureSummary }) => ({ target: target.join(" "), summary: failureSummary })),
})))`

type violation struct {
	Rule, Help string
	Nodes      []struct{ Target, Summary string }
}

// Axe fails the test with every accessibility violation that axe-core finds on the
// page as it stands: rule, element and how to fix it.
func (p *Page) Axe() {
	p.t.Helper()
	source, err := axeSource()
	if err != nil {
		p.t.Fatalf("browsertest: axe-core: %v", err)
	}
	if p.noScript {
		// axe needs timers. The page's own scripts were passed over when it was parsed.
		call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: false})
		defer call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	}
	ctx, cancel := context.WithTimeout(p.ctx, p.timeout)
	defer cancel()
	// Beside the page: its content security policy does not block axe, and axe leaves no
	// global behind.
	violations, err := evaluateBeside[[]violation](ctx, p, source+";\n"+axeRun)
	if err != nil {
		p.t.Fatalf("browsertest: axe-core: %v", err)
	}
	for _, broken := range violations {
		var report strings.Builder
		for _, node := range broken.Nodes {
			fmt.Fprintf(&report, "\n\t%s\n\t\t%s", node.Target, strings.ReplaceAll(node.Summary, "\n", "\n\t\t"))
		}
		p.t.Errorf("browsertest: axe %s: %s%s", broken.Rule, broken.Help, report.String())
	}
}
