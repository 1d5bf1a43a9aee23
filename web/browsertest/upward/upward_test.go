package upward

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestFind(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	deep := filepath.Join(root, "web", "pages")
	for _, folder := range []string{filepath.Join(root, "node_modules", "axe"), filepath.Join(deep, "own")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(deep)
	for name, want := range map[string]string{
		"own":              filepath.Join(deep, "own"),
		"node_modules/axe": filepath.Join(root, "node_modules", "axe"),
	} {
		if got, err := Find(name); got != want || err != nil {
			t.Errorf("Find(%q) = %q, %v, want %q", name, got, err, want)
		}
	}
	if _, err := Find("garoupa-has-no-such-file"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want one that wraps fs.ErrNotExist", err)
	}
}
