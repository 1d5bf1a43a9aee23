package browsertest

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/chromedp/chromedp"

	"garoupa/web/browsertest/upward"
)

// ScreenshotVariable names the environment variable with the folder for screenshots. The
// default is tmp/screenshots in the module's root.
const ScreenshotVariable = "GAROUPA_SCREENSHOTS"

// NoSidewaysScroll fails the test if the page is wider than its viewport, and names the widest
// element.
func (p *Page) NoSidewaysScroll() {
	p.t.Helper()
	problem := Eval[string](p, p.expression("overflow", []any{p.viewport.Width}))
	if problem != "" {
		p.t.Errorf("browsertest: %s, at %s", problem, p.URL())
	}
}

// MoneyWhole checks that no amount of money is broken in two lines or cut off.
func (p *Page) MoneyWhole() {
	p.t.Helper()
	if problem := Eval[string](p, p.expression("money", nil)); problem != "" {
		p.t.Errorf("browsertest: %s, %d px wide, at %s", problem, p.viewport.Width, p.URL())
	}
}

// Keep is Screenshot if the environment names a folder for screenshots. Otherwise it does
// nothing.
func (p *Page) Keep(name string) {
	p.t.Helper()
	if os.Getenv(ScreenshotVariable) != "" {
		p.Screenshot(name)
	}
}

// Screenshot writes an image of the whole page, also below the fold, to name.png in the folder
// for screenshots, and returns the PNG.
func (p *Page) Screenshot(name string) []byte {
	p.t.Helper()
	folder, err := screenshotFolder()
	if err != nil {
		p.t.Fatalf("browsertest: screenshot %s: %v", name, err)
	}
	const lossless = 100 // the quality of a PNG
	png := run(p, chromedp.FullScreenshot(lossless))
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o644); err != nil {
		p.t.Fatalf("browsertest: screenshot %s: %v", name, err)
	}
	return png
}

func screenshotFolder() (string, error) {
	folder := os.Getenv(ScreenshotVariable)
	if folder == "" {
		module, err := upward.Find("go.mod")
		if err != nil {
			return "", err
		}
		folder = filepath.Join(filepath.Dir(module), "tmp", "screenshots")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", fmt.Errorf("make folder: %w", err)
	}
	return folder, nil
}
