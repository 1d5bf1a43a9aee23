package browsertest

import (
	"fmt"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Click presses the target with the mouse, in its middle, as soon as it is visible,
// enabled, at rest and not covered; then it waits for the page that this opens, if any.
func (p *Page) Click(target string) {
	p.t.Helper()
	type point struct{ X, Y float64 }
	at := wait[point](p, fmt.Sprintf("click %q", target), "press", target)
	run(p, chromedp.MouseClickXY(at.X, at.Y))
	p.settle()
}

// Type replaces what the target holds by text, key by key. A list is chosen from by
// typing the option's text. No text clears a field.
func (p *Page) Type(target, text string) {
	p.t.Helper()
	wait[chromedp.Void](p, fmt.Sprintf("type into %q", target), "field", target)
	if text == "" {
		text = kb.Backspace
	}
	run(p, chromedp.KeyEvent(text))
	p.settle()
}

// keys are the names of KeyboardEvent.key for the keys that type no character.
var keys = map[string]string{
	"Enter": kb.Enter, "Tab": kb.Tab, "Escape": kb.Escape, "Space": " ",
	"Backspace": kb.Backspace, "Delete": kb.Delete,
	"ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown, "ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight,
	"Home": kb.Home, "End": kb.End, "PageUp": kb.PageUp, "PageDown": kb.PageDown,
}

var modifiers = map[string]chromedp.Modifier{
	"Shift": chromedp.ModifierShift, "Control": chromedp.ModifierCtrl,
	"Alt": chromedp.ModifierAlt, "Meta": chromedp.ModifierMeta,
}

// Press presses a key where the focus is: a character, or a name such as "Enter",
// "Tab", "Escape", "Space" or "ArrowDown", with modifiers as in "Shift+Tab". Then it
// waits for the page that this opens, if any.
func (p *Page) Press(key string) {
	p.t.Helper()
	name := key
	var held []chromedp.Modifier
	for {
		prefix, rest, found := strings.Cut(name, "+")
		modifier, known := modifiers[prefix]
		if !found || !known {
			break
		}
		held, name = append(held, modifier), rest
	}
	code, known := keys[name]
	if !known {
		if len([]rune(name)) != 1 {
			p.t.Fatalf("browsertest: press %q: no such key", key)
		}
		code = name
	}
	run(p, chromedp.KeyEvent(code, chromedp.KeyModifiers(held...)))
	p.settle()
}

// WaitText waits until the target reads want, white space aside: as it is shown, in
// capitals where the style says so, no-break spaces as spaces.
func (p *Page) WaitText(target, want string) {
	p.t.Helper()
	wait[chromedp.Void](p, fmt.Sprintf("wait for %q to read %q", target, want), "text", target, want)
}

// WaitVisible waits until the target is on the page and not hidden.
func (p *Page) WaitVisible(target string) {
	p.t.Helper()
	wait[chromedp.Void](p, fmt.Sprintf("wait for %q", target), "shown", target)
}

// Glimpse looks out for the target from now on, on the document as it is, and returns what
// waits until it has been there and not hidden, for however short a moment.
func (p *Page) Glimpse(target string) (seen func()) {
	p.t.Helper()
	Eval[bool](p, p.expression("glimpse", []any{target}))
	return func() {
		p.t.Helper()
		wait[chromedp.Void](p, fmt.Sprintf("glimpse %q", target), "glimpsed", target)
	}
}

// WaitGone waits until the target is hidden or not on the page.
func (p *Page) WaitGone(target string) {
	p.t.Helper()
	wait[chromedp.Void](p, fmt.Sprintf("wait for %q to go", target), "gone", target)
}

// WaitFocused waits until the target has the focus.
func (p *Page) WaitFocused(target string) {
	p.t.Helper()
	wait[chromedp.Void](p, fmt.Sprintf("wait for the focus on %q", target), "focused", target)
}

// WaitTrue waits until a JavaScript expression, or the promise it gives, is truthy.
func (p *Page) WaitTrue(condition string) {
	p.t.Helper()
	wait[chromedp.Void](p, "wait for "+condition, "holds", script("() => ("+condition+")"))
}

// Text is what the target reads now, with white space collapsed. It waits until the
// target is on the page, as Value and Attr do.
func (p *Page) Text(target string) string {
	p.t.Helper()
	return wait[string](p, fmt.Sprintf("read %q", target), "read", target, "text", "")
}

// Value is what a field holds.
func (p *Page) Value(target string) string {
	p.t.Helper()
	return wait[string](p, fmt.Sprintf("value of %q", target), "read", target, "value", "")
}

// Attr is an attribute of the target. It waits until the target has that attribute.
func (p *Page) Attr(target, name string) string {
	p.t.Helper()
	return wait[string](p, fmt.Sprintf("attribute %s of %q", name, target), "read", target, "attribute", name)
}

// FullText is all that the page reads now, line by line, no-break spaces as spaces.
func (p *Page) FullText() string {
	p.t.Helper()
	return strings.ReplaceAll(Eval[string](p, "document.body.innerText"), "\u00a0", " ")
}

// Focused names the element with the focus: "#id", or its text or label without an id,
// or "" when nothing has it.
func (p *Page) Focused() string {
	p.t.Helper()
	return Eval[string](p, p.expression("focus", nil))
}
