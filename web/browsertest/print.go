package browsertest

import (
	"bytes"
	"os"
	"path/filepath"

	"github.com/chromedp/cdproto/page"
)

// The size of A4 in inches, the browser's unit for paper.
const (
	paperWidth  = 8.27
	paperHeight = 11.69
)

// Print prints the page on A4, like "Save as PDF" with a browser's default settings, to
// name.pdf in the folder for screenshots, and returns the number of sheets.
func (p *Page) Print(name string) (sheets int) {
	p.t.Helper()
	folder, err := screenshotFolder()
	if err != nil {
		p.t.Fatalf("browsertest: print %s: %v", name, err)
	}
	preferCSS := true // uses the stylesheet's margins
	printed := call(p, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: paperWidth, PaperHeight: paperHeight,
		PreferCSSPageSize: &preferCSS})
	if err := os.WriteFile(filepath.Join(folder, name+".pdf"), printed.Data, 0o644); err != nil {
		p.t.Fatalf("browsertest: print %s: %v", name, err)
	}
	// Chromium writes one such object for each sheet, uncompressed.
	return bytes.Count(printed.Data, []byte("/Type /Page\n"))
}
