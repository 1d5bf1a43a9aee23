package browsertest

import (
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// SetOffline disconnects the page from the network, or connects it again: requests fail, and
// navigator.onLine and its events say so. Unlike on a real network, an open event stream
// continues; let the server end it. From then on, console errors of failed requests are
// expected.
func (p *Page) SetOffline(offline bool) {
	p.t.Helper()
	p.AllowConsole("net::ERR_INTERNET_DISCONNECTED")
	const unlimited = -1
	call(p, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{Offline: offline, DownloadThroughput: unlimited,
			UploadThroughput: unlimited}},
	})
	call(p, network.OverrideNetworkState, network.OverrideNetworkStateParams{
		Offline: offline, DownloadThroughput: unlimited, UploadThroughput: unlimited,
	})
}

// Hide puts the page into the background, as a phone does when its owner switches to the
// bank's app: the page becomes hidden and loses the focus. Show ends this.
func (p *Page) Hide() {
	p.t.Helper()
	// A page with emulated focus counts as visible even in a minimized window.
	call(p, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: false})
	p.setWindow(browser.WindowStateMinimized)
	p.WaitTrue("document.hidden")
}

// Show ends what Hide began.
func (p *Page) Show() {
	p.t.Helper()
	p.setWindow(browser.WindowStateNormal)
	call(p, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	p.WaitTrue("!document.hidden && document.hasFocus()")
}

func (p *Page) setWindow(state browser.WindowState) {
	p.t.Helper()
	window := callBrowser(p, browser.GetWindowForTarget, browser.GetWindowForTargetParams{
		TargetID: chromedp.FromContext(p.ctx).Target.TargetID,
	})
	callBrowser(p, browser.SetWindowBounds, browser.SetWindowBoundsParams{
		WindowID: window.WindowID, Bounds: &browser.Bounds{WindowState: state},
	})
}

// Clipboard returns the text on the clipboard. All pages of the browser share it, so two tests
// that copy must not run at the same time.
func (p *Page) Clipboard() string {
	p.t.Helper()
	return Eval[string](p, "navigator.clipboard.readText()")
}
