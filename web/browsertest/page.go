// Package browsertest drives a real Chromium against a running server, to test what only a
// browser shows: scripts, focus, layout, accessibility, offline, bytes on the wire.
//
//	base := browsertest.Serve(t, app)
//	page := browsertest.Open(t, base+"/pay/chk_1", browsertest.Options{})
//	page.Click("Copiar código")
//	page.WaitText("#live", "Código Pix copiado")
//	page.Axe()
//
// One browser process serves all tests of a test process; each page has its own cookies,
// storage and cache, so tests run in parallel. Every failure ends the test at once, with
// the text of the page. An error on a page's console fails the test at its end, unless
// [Page.AllowConsole] expected it. Tests fail without a browser; package chromium finds it.
//
// A target of a method is a text on the page or a CSS selector: the name of a link, button
// or field (its whole text, label or aria-label, ignoring white space), otherwise the first
// match of the selector, visible elements before hidden ones, otherwise the innermost
// element with exactly that text.
package browsertest

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Viewport is the screen for which a page is laid out.
type Viewport struct {
	Width, Height int64   // CSS pixels
	Scale         float64 // device pixels per CSS pixel
	Mobile        bool    // touch, no hover, and the page's viewport meta tag applies
}

// The screens that pages are designed for.
var (
	Phone   = Viewport{Width: 390, Height: 844, Scale: 2, Mobile: true}
	Desktop = Viewport{Width: 1280, Height: 800, Scale: 1}
)

// Options configure how a page is opened. The zero value is a phone in Brazil.
type Options struct {
	Viewport Viewport       // zero: Phone
	Dark     bool           // the system prefers a dark color scheme
	Lang     string         // the browser's language, as in Accept-Language; zero: "pt-BR"
	NoScript bool           // the page's scripts do not run
	Cookies  []*http.Cookie // of the address's host; only names and values are used
}

// waitTimeout bounds every step of a journey. A step takes milliseconds, and much longer on a
// busy machine.
const waitTimeout = time.Minute

// Page is one tab with a browser context of its own. Its methods must be called by the test's
// goroutine that opened it.
type Page struct {
	t        testing.TB
	ctx      context.Context
	base     *url.URL // the last opened address, against which the next one is resolved
	viewport Viewport
	noScript bool
	timeout  time.Duration
	log      *log
	allowed  []string    // parts of expected console errors
	asked    atomic.Bool // whether a page asked before leaving, since the last call of Asked
}

// Open opens address, an absolute URL, in a new page and waits until it is loaded, with
// stylesheets, images and deferred scripts. The page closes with the test. The number of tests
// with open pages is at most the number of cores, and at least two; other tests wait here.
//
// Every page has reduced motion, the time zone America/Sao_Paulo, the keyboard focus (parallel
// pages do not take it from each other), and permission to use the clipboard.
func Open(t testing.TB, address string, options Options) *Page {
	t.Helper()
	if options.Viewport == (Viewport{}) {
		options.Viewport = Phone
	}
	if options.Lang == "" {
		options.Lang = "pt-BR"
	}
	shared, err := process()
	if err != nil {
		t.Fatalf("browsertest: %v", err)
	}
	t.Cleanup(pages.acquire(t.Name()))
	ctx, cancel := chromedp.NewContext(shared, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &Page{t: t, ctx: ctx, base: &url.URL{}, viewport: options.Viewport, noScript: options.NoScript,
		timeout: waitTimeout, log: newLog()}
	p.attach(cancel)
	t.Cleanup(p.reportConsole)
	p.dress(options)
	for _, cookie := range options.Cookies {
		call(p, network.SetCookie, network.SetCookieParams{Name: cookie.Name, Value: cookie.Value, URL: address})
	}
	p.Goto(address)
	return p
}

// attach opens the tab and subscribes to its events.
func (p *Page) attach(cancel func()) {
	p.t.Helper()
	// Not a deadline of the context, because chromedp serves the tab only while the context
	// with which it was created lives.
	timer := time.AfterFunc(startTimeout, cancel)
	defer timer.Stop()
	if err := chromedp.Do(p.ctx); err != nil {
		p.t.Fatalf("browsertest: open a tab: %v", err)
	}
	p.log.frame = cdp.FrameID(chromedp.FromContext(p.ctx).Target.TargetID)
	if err := chromedp.Listen(p.ctx, p.hear); err != nil {
		p.t.Fatalf("browsertest: listen to the tab: %v", err)
	}
}

// hear handles an event of the browser. A page that asks before it is left blocks itself and
// its driver, so the answer is always to leave it. A separate goroutine answers, because the
// one that reports events must continue.
func (p *Page) hear(event any) {
	if dialog, ok := event.(*page.EventJavascriptDialogOpening); ok && dialog.Type == page.DialogTypeBeforeunload {
		p.asked.Store(true)
		go func() { // fails only if the tab is gone
			_, _ = chromedp.Call(p.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
		}()
	}
	p.log.record(event)
}

// Asked reports whether a page asked, since the last call, before it was left, as pages with
// unsaved input do. Every such page is left.
func (p *Page) Asked() bool { return p.asked.Swap(false) }

// dress sets the device, language, time zone and permissions of the new page.
func (p *Page) dress(options Options) {
	p.t.Helper()
	p.Resize(options.Viewport)
	p.SetDark(options.Dark)
	version := callBrowser(p, browser.GetVersion, cdp.Empty{})
	call(p, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{
		UserAgent:      strings.Replace(version.UserAgent, "HeadlessChrome", "Chrome", 1),
		AcceptLanguage: options.Lang,
	})
	call(p, emulation.SetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: options.Lang})
	call(p, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "America/Sao_Paulo"})
	call(p, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	call(p, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: options.NoScript})
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		callBrowser(p, browser.SetPermission, browser.SetPermissionParams{
			Permission:       &browser.PermissionDescriptor{Name: name},
			Setting:          browser.PermissionSettingGranted,
			BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID,
		})
	}
}

// Goto opens another address, absolute or relative to the last opened one, and waits until it
// is loaded.
func (p *Page) Goto(address string) {
	p.t.Helper()
	next, err := p.base.Parse(address)
	if err != nil {
		p.t.Fatalf("browsertest: open %s: %v", address, err)
	}
	p.base = next
	opened := call(p, page.Navigate, page.NavigateParams{URL: next.String()})
	if opened.ErrorText != "" {
		p.t.Fatalf("browsertest: open %s: %s", next, opened.ErrorText)
	}
	p.settle()
}

// Reload reloads the page and waits until it is loaded.
func (p *Page) Reload() {
	p.t.Helper()
	// The protocol does not define the order of its answer and the beginning of the load.
	p.log.expectNavigation()
	call(p, page.Reload, page.ReloadParams{})
	p.settle()
}

// URL returns the page's current address, with query and fragment.
func (p *Page) URL() string {
	p.t.Helper()
	return Eval[string](p, "location.href")
}
