package components

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The icons that views name are the icons that were built, no more and no fewer.
func TestIcons(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`\bIcon(?:\(|: *)"([^"]+)"`)
	used := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".templ") && !strings.HasSuffix(path, ".go") ||
			regexp.MustCompile(`_(templ|gen|test)\.go$`).MatchString(path) {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range name.FindAllStringSubmatch(string(source), -1) {
			used[m[1]] = true
			if icons[m[1]] == "" {
				t.Errorf("%s: no icon %q: run npm run build", path, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for icon := range icons {
		if !used[icon] {
			t.Errorf("nothing uses the icon %q: run npm run build", icon)
		}
	}
}

// An icon is one path, and shapes that have a color of their own: each page has dozens of icons.
func TestIcons_OnePath(t *testing.T) {
	t.Parallel()
	drawn := regexp.MustCompile(`^<path d="M[^"]+"/>(<[a-z]+ [^>]*fill="[^>]*/>)*$`)
	for name, shapes := range icons {
		if !drawn.MatchString(shapes) {
			t.Errorf("%s: %s", name, shapes)
		}
	}
}

func TestIcon_Unknown(t *testing.T) {
	t.Parallel()
	if err := Icon("no-such-icon", "size-4").Render(t.Context(), io.Discard); err == nil {
		t.Error("an icon that does not exist was rendered")
	}
}

func TestInitials(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"": "?", " ": "?", "ateliê": "A", "Ateliê Aurora": "AA",
		"Água de Coco": "ÁC", "日本 店": "日店"} {
		if got := Initials(name); got != want {
			t.Errorf("Initials(%q) = %q, want %q", name, got, want)
		}
	}
}

// A code is drawn with whole pixels for each module, of a size that a phone shows.
func TestQRPixels(t *testing.T) {
	t.Parallel()
	for modules, want := range map[int]string{21: "290", 57: "260", 61: "276", 65: "292", 69: "231", 177: "555"} {
		if got := (QRProps{Modules: modules}).pixels(); got != want {
			t.Errorf("%d modules: %s pixels, want %s", modules, got, want)
		}
	}
}
