package browsertest

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

//go:embed page.js
var library string

// grace is how long an answer from the browser may take beyond the page's own deadline.
const grace = 30 * time.Second

// Eval evaluates a JavaScript expression in the page, waits if the result is a promise, and
// decodes its JSON value. On a page without scripts the expression still runs, in a separate
// world.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	value, err := evaluate[T](p, expression, p.timeout)
	if err != nil {
		p.t.Fatalf("browsertest: evaluate %s: %v", expression, err)
	}
	return value
}

// True reports whether a JavaScript expression is truthy now. [Page.WaitTrue] waits until it
// is.
func (p *Page) True(condition string) bool {
	p.t.Helper()
	return Eval[bool](p, "(async () => !!(await ("+condition+")))()")
}

func evaluate[T any](p *Page, expression string, timeout time.Duration) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, timeout)
	defer cancel()
	if p.noScript {
		return evaluateBeside[T](ctx, p, expression)
	}
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

const besideWorld = "browsertest"

// evaluateBeside evaluates in a separate world: the page's globals do not change, its content
// security policy does not apply, and animation frames run even if its scripts are disabled.
func evaluateBeside[T any](ctx context.Context, p *Page, expression string) (T, error) {
	world, err := chromedp.Call(ctx, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{
		FrameID: p.log.mainFrame(), WorldName: besideWorld,
	})
	if err != nil {
		var none T
		return none, err
	}
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise,
		func(params *runtime.EvaluateParams) {
			params.ContextID = world.ExecutionContextID
		}))
}

// outcome is the result of the waiting functions of page.js.
type outcome[T any] struct {
	Done  bool   `json:"done"`
	Value T      `json:"value"`
	Seen  string `json:"seen"` // what prevented success
}

// wait calls a waiting function of page.js with args and the remaining time as its last
// argument. If the page navigates meanwhile, it calls the function again in the next document,
// also while that document loads. step names the step in the failure message.
func wait[T any](p *Page, step, function string, args ...any) T {
	p.t.Helper()
	deadline := time.Now().Add(p.timeout)
	for {
		left := time.Until(deadline)
		result, err := evaluate[outcome[T]](p, p.expression(function, append(args, left.Milliseconds())), left+grace)
		switch {
		case err == nil && result.Done:
			p.loaded()
			return result.Value
		case err == nil:
			p.t.Fatalf("browsertest: %s: %s, after %s%s", step, result.Seen, p.timeout, p.where())
		case !movedOn(err):
			p.t.Fatalf("browsertest: %s: %v%s", step, err, p.where())
		case time.Now().After(deadline):
			p.t.Fatalf("browsertest: %s: the page keeps navigating, after %s%s", step, p.timeout, p.where())
		}
		p.settle()
	}
}

// script is JavaScript source among the arguments of a function of page.js.
type script string

func (p *Page) expression(function string, args []any) string {
	var list []string
	for _, arg := range args {
		if source, ok := arg.(script); ok {
			list = append(list, string(source))
			continue
		}
		encoded, err := json.Marshal(arg)
		if err != nil {
			p.t.Fatalf("browsertest: %s(%v): %v", function, arg, err)
		}
		list = append(list, string(encoded))
	}
	return fmt.Sprintf("(%s)(%t).%s(%s)", strings.TrimSpace(library), p.noScript, function, strings.Join(list, ", "))
}

// movedOn reports whether err only says that a navigation removed the document and its script.
func movedOn(err error) bool {
	var refused *cdproto.Error
	if !errors.As(err, &refused) || errors.Is(err, chromedp.ErrTargetDetached) {
		return false
	}
	for _, reason := range []string{"navigated or closed", "context was destroyed", "Cannot find context",
		"Cannot find default execution context", "Promise was collected"} {
		if strings.Contains(refused.Message, reason) {
			return true
		}
	}
	return false
}

// where returns the end of a failure message: the address and the beginning of the page's
// text.
func (p *Page) where() string {
	const shown = 400
	text, err := evaluate[string](p, `location.href + "\n" + (document.body?.innerText ?? "")`, grace)
	if err != nil {
		return ""
	}
	if runes := []rune(text); len(runes) > shown {
		text = string(runes[:shown]) + "…"
	}
	return ", at " + strings.ReplaceAll(text, "\n", "\n\t")
}

func run[T any](p *Page, action chromedp.Action[T]) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, p.timeout)
	defer cancel()
	result, err := chromedp.Run(ctx, action)
	if err != nil {
		p.t.Fatalf("browsertest: %v", err)
	}
	return result
}

func call[P, R any](p *Page, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	return send(p, command, params, chromedp.Call[P, R])
}

func callBrowser[P, R any](p *Page, command cdp.Command[P, R], params P) R {
	p.t.Helper()
	return send(p, command, params, chromedp.CallBrowser[P, R])
}

func send[P, R any](p *Page, command cdp.Command[P, R], params P,
	how func(context.Context, cdp.Command[P, R], P) (R, error)) R {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, p.timeout)
	defer cancel()
	result, err := how(ctx, command, params)
	if err != nil {
		p.t.Fatalf("browsertest: %s: %v", command.Method, err)
	}
	return result
}
