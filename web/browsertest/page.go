// Package browsertest drives a real Chromium against a running server, for what only
// a browser shows: scripts, focus, layout, accessibility, offline, bytes on the wire.
//
//	base := browsertest.Serve(t, app)
//	page := browsertest.Open(t, base+"/pay/chk_1", browsertest.Options{})
//	page.Click("Copiar código")
//	page.WaitText("#live", "Código Pix copiado")
//	page.Axe()
//
// One browser process serves the tests of a test process; each page has cookies,
// storage and cache of its own, so tests run in parallel. Whatever goes wrong fails
// the test at once, with what the page showed. An error on a page's console fails the
// test at its end, unless [Page.AllowConsole] expected it. Without a browser tests
// fail: see package chromium for where it comes from.
//
// A target, where a method takes one, is what a person reads or a CSS selector: the
// name of a link, button or field (its text, label or aria-label, whole, whatever the
// white space), else the first match of the selector, visible ones before hidden ones,
// else the innermost element with exactly that text.
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

// Viewport is the screen that a page is laid out for.
type Viewport struct {
	Width, Height int64   // CSS pixels
	Scale         float64 // device pixels per CSS pixel
	Mobile        bool    // touch, no hover, a layout viewport that obeys the viewport meta tag
}

// The screens that pages are designed for.
var (
	Phone   = Viewport{Width: 390, Height: 844, Scale: 2, Mobile: true}
	Desktop = Viewport{Width: 1280, Height: 800, Scale: 1}
)

// Options say how a page is opened. The zero value is a phone in Brazil.
type Options struct {
	Viewport Viewport       // zero: Phone
	Dark     bool           // the system prefers a dark colour scheme
	Lang     string         // the browser's language, as in Accept-Language; zero: "pt-BR"
	NoScript bool           // the page's scripts do not run
	Cookies  []*http.Cookie // that the browser has of the address's host, by name and value
}

// waitTimeout bounds every step of a journey. A step takes milliseconds, and many times
// that on a machine that does much else.
const waitTimeout = time.Minute

// Page is one tab with a browser context of its own. Its methods belong to the
// goroutine of the test that opened it.
type Page struct {
	t        testing.TB
	ctx      context.Context
	base     *url.URL // the last address opened, to resolve the next one
	viewport Viewport
	noScript bool
	timeout  time.Duration
	log      *log
	allowed  []string    // parts of expected console errors
	asked    atomic.Bool // whether to leave, since Asked was last called
}

// Open opens address, an absolute URL, in a new page and waits until it is loaded,
// with stylesheets, images and deferred scripts. The page closes with the test. At most
// as many tests as there are cores have pages open, at least two; others wait here.
//
// Every page has: reduced motion, the time zone America/Sao_Paulo, the keyboard focus
// (parallel pages do not take it from each other), and leave to use the clipboard.
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
	p := &Page{t: t, ctx: ctx, base: &url.URL{}, viewport: options.Viewport, noScript: options.NoScript, timeout: waitTimeout, log: newLog()}
	p.attach(cancel)
	t.Cleanup(p.reportConsole)
	p.dress(options)
	for _, cookie := range options.Cookies {
		call(p, network.SetCookie, network.SetCookieParams{Name: cookie.Name, Value: cookie.Value, URL: address})
	}
	p.Goto(address)
	return p
}

// attach makes the tab and listens to it.
func (p *Page) attach(cancel func()) {
	p.t.Helper()
	// Not a deadline of the context: chromedp serves the tab as long as the context lives
	// that it was made with.
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

// hear takes what the browser reports. A page that asks whether it may be left waits for
// the answer and so does whoever drives it: it is always left, by a goroutine of its own,
// as the one that reports must go on.
func (p *Page) hear(event any) {
	if dialog, ok := event.(*page.EventJavascriptDialogOpening); ok && dialog.Type == page.DialogTypeBeforeunload {
		p.asked.Store(true)
		go func() { // fails only for a tab that is gone
			_, _ = chromedp.Call(p.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
		}()
	}
	p.log.record(event)
}

// Asked reports whether the page, or one before it, asked since the last call whether it
// may be left, as pages do that hold something not saved. All of them are left.
func (p *Page) Asked() bool { return p.asked.Swap(false) }

// dress gives the new page its device, language, time zone and permissions.
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

// Goto opens another address, absolute or relative to the last one opened, and waits
// until it is loaded.
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

// Reload loads the page again and waits until it is loaded.
func (p *Page) Reload() {
	p.t.Helper()
	// The protocol promises no order between its answer and the beginning of the load.
	p.log.expectNavigation()
	call(p, page.Reload, page.ReloadParams{})
	p.settle()
}

// URL is the page's address now, with query and fragment.
func (p *Page) URL() string {
	p.t.Helper()
	return Eval[string](p, "location.href")
}
