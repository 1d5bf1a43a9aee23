package browsertest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestPrintCountsSheets(t *testing.T) {
	folder := t.TempDir()
	t.Setenv(ScreenshotVariable, folder)
	page := Open(t, site(t, map[string]string{"/": `<p style="height:2000px">longa</p>`}), Options{})
	if got := page.Print("long"); got != 2 {
		t.Errorf("2000 pixels take %d sheets", got)
	}
	if pdf, err := os.ReadFile(filepath.Join(folder, "long.pdf")); err != nil || !bytes.HasPrefix(pdf, []byte("%PDF")) {
		t.Errorf("the file is no PDF: %v", err)
	}
}
