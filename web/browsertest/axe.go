package browsertest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"

	"garoupa/web/browsertest/upward"
)

// axeSource is the source of axe-core, the accessibility checker, from npm.
var axeSource = sync.OnceValues(func() (string, error) {
	path, err := upward.Find("node_modules/axe-core/axe.min.js")
	if err != nil {
		return "", fmt.Errorf("%w: run npm ci", err)
	}
	source, err := os.ReadFile(path)
	return string(source), err
})

// axeRun checks a scope against rules, and keeps the parts of the report that a developer
// reads. It loads nothing and does not check frames: the rules need no stylesheet as text, and
// our frames run no script that could answer.
const axeRun = `axe.run(%s, {
	%s, resultTypes: ["violations"], preload: false, iframes: false,
}).then(({ violations }) => violations.map(({ id, help, nodes }) => ({
	rule: id, help,
	nodes: nodes.map(({ target, failureSummary }) => ({ target: target.join(" "), summary: failureSummary })),
})))`

// axeAll are WCAG 2.0 to 2.2, levels A and AA, and axe's best practices.
const axeAll = `runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]`

// axeColors are the rules whose result depends on the theme.
const axeColors = `runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] }`

// axeStructure are all rules but axeColors.
const axeStructure = axeAll +
	`, rules: { "color-contrast": { enabled: false }, "link-in-text-block": { enabled: false } }`

// outsideFrame is the document without what its layout puts around main.
const outsideFrame = `{ exclude: [["header:not(main *)"], ["nav:not(main *)"]] }`

type violation struct {
	Rule, Help string
	Nodes      []struct{ Target, Summary string }
}

// Axe fails the test with every accessibility violation that axe-core finds on the current
// page: rule, element and how to fix it.
func (p *Page) Axe() {
	p.t.Helper()
	p.axe("document", axeAll)
}

// AxeFramed is Axe for a page whose header and menu Axe has checked on another page: it leaves their colors out, which
// take most of the time.
func (p *Page) AxeFramed() {
	p.t.Helper()
	p.axe("document", axeStructure)
	p.axe(outsideFrame, axeColors)
}

// AxeColors is Axe for another theme of a page that Axe has checked.
func (p *Page) AxeColors() {
	p.t.Helper()
	p.axe("document", axeColors)
}

func (p *Page) axe(scope, rules string) {
	p.t.Helper()
	if p.noScript {
		// axe needs timers. The page's own scripts are already disabled, because the parser
		// skipped them.
		call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: false})
		defer call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	}
	violations, err := p.violations(scope, rules)
	if err != nil {
		p.t.Fatalf("browsertest: axe-core: %v", err)
	}
	for _, broken := range violations {
		var report strings.Builder
		for _, node := range broken.Nodes {
			fmt.Fprintf(&report, "\n\t%s\n\t\t%s", node.Target, strings.ReplaceAll(node.Summary, "\n", "\n\t\t"))
		}
		p.t.Errorf("browsertest: axe %s: %s, at %s%s", broken.Rule, broken.Help, p.URL(), report.String())
	}
}

// violations runs axe in a separate world, where the page's content security policy does not
// block it and the page does not see its globals. Later documents of the page get it too.
func (p *Page) violations(scope, rules string) ([]violation, error) {
	ctx, cancel := context.WithTimeout(p.ctx, p.timeout)
	defer cancel()
	if there, err := evaluateBeside[bool](ctx, p, `"axe" in globalThis`); err != nil {
		return nil, err
	} else if !there {
		source, err := axeSource()
		if err != nil {
			return nil, err
		}
		call(p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: source, WorldName: besideWorld, RunImmediately: new(true),
		})
	}
	return evaluateBeside[[]violation](ctx, p, fmt.Sprintf(axeRun, scope, rules))
}
