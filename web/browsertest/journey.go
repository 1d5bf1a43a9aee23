package browsertest

import (
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Click clicks the middle of the target with the mouse, as soon as the target is visible,
// enabled, not moving and not covered. Then it waits for the page that this opens, if any.
func (p *Page) Click(target string) {
	p.t.Helper()
	type point struct{ X, Y float64 }
	at := wait[point](p, fmt.Sprintf("click %q", target), "press", target)
	run(p, chromedp.MouseClickXY(at.X, at.Y))
	p.settle()
}

// Point moves the mouse to the middle of the target, as soon as it could be clicked.
func (p *Page) Point(target string) {
	p.t.Helper()
	type point struct{ X, Y float64 }
	at := wait[point](p, fmt.Sprintf("point at %q", target), "press", target)
	run(p, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at.X, at.Y))
}

// Type replaces the target's value by text, key by key. For a list, text is that of an option.
// An empty text clears a field.
func (p *Page) Type(target, text string) {
	p.t.Helper()
	wait[chromedp.Void](p, fmt.Sprintf("type into %q", target), "field", target)
	if text == "" {
		text = kb.Backspace
	}
	run(p, chromedp.KeyEvent(text))
	p.settle()
}

// keys are the names of KeyboardEvent.key for keys that type no character.
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

// Press presses a key in the focused element: a character, or a name such as "Enter", "Tab",
// "Escape", "Space" or "ArrowDown", with modifiers as in "Shift+Tab". Then it waits for the
// page that this opens, if any.
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

// WaitText waits until the target's text is want, ignoring white space. The text is that on
// the screen: in capitals if the style says so, with no-break spaces as spaces.
func (p *Page) WaitText(target, want string) {
	p.t.Helper()
	wait[chromedp.Void](p, fmt.Sprintf("wait for %q to read %q", target, want), "text", target, want)
}

// WaitVisible waits until the target exists and is visible.
func (p *Page) WaitVisible(target string) {
	p.t.Helper()
	wait[chromedp.Void](p, fmt.Sprintf("wait for %q", target), "shown", target)
}

// Glimpse starts to watch the current document for the target. The returned function waits
// until the target has been visible, even for a moment.
func (p *Page) Glimpse(target string) (seen func()) {
	p.t.Helper()
	Eval[bool](p, p.expression("glimpse", []any{target}))
	return func() {
		p.t.Helper()
		wait[chromedp.Void](p, fmt.Sprintf("glimpse %q", target), "glimpsed", target)
	}
}

// WaitGone waits until the target is hidden or does not exist.
func (p *Page) WaitGone(target string) {
	p.t.Helper()
	wait[chromedp.Void](p, fmt.Sprintf("wait for %q to go", target), "gone", target)
}

// WaitFocused waits until the target has the focus.
func (p *Page) WaitFocused(target string) {
	p.t.Helper()
	wait[chromedp.Void](p, fmt.Sprintf("wait for the focus on %q", target), "focused", target)
}

// WaitTrue waits until a JavaScript expression, or the promise that it returns, is truthy.
func (p *Page) WaitTrue(condition string) {
	p.t.Helper()
	wait[chromedp.Void](p, "wait for "+condition, "holds", script("() => ("+condition+")"))
}

// Text returns the target's text, with white space collapsed. Like Value and Attr, it waits
// until the target exists.
func (p *Page) Text(target string) string {
	p.t.Helper()
	return wait[string](p, fmt.Sprintf("read %q", target), "read", target, "text", "")
}

// Value returns the value of a field.
func (p *Page) Value(target string) string {
	p.t.Helper()
	return wait[string](p, fmt.Sprintf("value of %q", target), "read", target, "value", "")
}

// Attr returns an attribute of the target. It waits until the target has that attribute.
func (p *Page) Attr(target, name string) string {
	p.t.Helper()
	return wait[string](p, fmt.Sprintf("attribute %s of %q", name, target), "read", target, "attribute", name)
}

// FullText returns the whole text of the page, line by line, with no-break spaces as spaces.
func (p *Page) FullText() string {
	p.t.Helper()
	return strings.ReplaceAll(Eval[string](p, "document.body.innerText"), "\u00a0", " ")
}

// Focused returns a name of the element with the focus: "#id", or its text or label if it has
// no id, or "" if no element has the focus.
func (p *Page) Focused() string {
	p.t.Helper()
	return Eval[string](p, p.expression("focus", nil))
}
