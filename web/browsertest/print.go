package browsertest

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/page"
)

// A4 in inches, which browsers count paper in.
const (
	paperWidth  = 8.27
	paperHeight = 11.69
)

// Print prints the page on A4, as "Save as PDF" does with the settings that a browser
// begins with, to name.pdf in the folder for screenshots, and returns how many sheets
// that takes.
func (p *Page) Print(name string) (sheets int) {
	p.t.Helper()
	folder, err := screenshotFolder()
	if err != nil {
		p.t.Fatalf("browsertest: print %s: %v", name, err)
	}
	preferCSS := true // its margins
	printed := call(p, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: paperWidth, PaperHeight: paperHeight, PreferCSSPageSize: &preferCSS})
	if err := os.WriteFile(filepath.Join(folder, name+".pdf"), printed.Data, 0o644); err != nil {
		p.t.Fatalf("browsertest: print %s: %v", name, err)
	}
	// Chromium writes one such object for each sheet, and never compresses it.
	return bytes.Count(printed.Data, []byte("/Type /Page\n"))
}
