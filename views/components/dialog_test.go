package components_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The buttons that open dialogs are hidden where scripts do not run, because a dialog then asks in the page.
func TestDialog_Buttons(t *testing.T) {
	t.Parallel()
	pages := os.DirFS("../pages")
	opener := regexp.MustCompile(`command="show-modal"\s+class="([^"]*)"`)
	found := 0
	err := fs.WalkDir(pages, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".templ") {
			return err
		}
		source, err := fs.ReadFile(pages, path)
		if err != nil {
			return err
		}
		buttons := opener.FindAllSubmatch(source, -1)
		found += len(buttons)
		if all := strings.Count(string(source), `command="show-modal"`); all != len(buttons) {
			t.Errorf("%s: %d buttons open dialogs, and %d have a class", path, all, len(buttons))
		}
		for _, button := range buttons {
			if !strings.HasPrefix(string(button[1]), "js ") {
				t.Errorf("%s: a button that opens a dialog is not of class js: %q", path, button[1])
			}
		}
		return nil
	})
	if err != nil || found < 10 {
		t.Errorf("%d buttons, %v", found, err)
	}
}
