package browsertest

import (
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Resize changes the page's viewport without loading the page again.
func (p *Page) Resize(view Viewport) {
	p.t.Helper()
	options := []chromedp.EmulateViewportOption{chromedp.EmulateScale(view.Scale)}
	if view.Mobile {
		options = append(options, chromedp.EmulateMobile, chromedp.EmulateTouch, chromedp.EmulatePortrait)
	}
	run(p, chromedp.EmulateViewport(view.Width, view.Height, options...))
	p.viewport = view
}

// SetDark makes the system prefer a dark color scheme, or a light one.
func (p *Page) SetDark(dark bool) {
	p.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme},
		{Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}

// SetTextSize sets the text size that readers choose in their settings, in percent of the
// browser's default. It also applies to pages opened later.
func (p *Page) SetTextSize(percent int64) {
	p.t.Helper()
	const standard, fixed = 16, 13
	call(p, page.SetFontSizes, page.SetFontSizesParams{FontSizes: &page.FontSizes{
		Standard: standard * percent / 100, Fixed: fixed * percent / 100,
	}})
}
