package i18n_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// English texts and guides have one spelling (docs/design.md).
func TestEnglish_Spelling(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../docs/en/*.md")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d guides, %v", len(files), err)
	}
	other := regexp.MustCompile(`(?i)\w*(?:e-mail|colour|favour|recognis|authoris|organis)\w*`)
	for _, file := range append(files, "en.json") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if word := other.Find(text); word != nil {
			t.Errorf("%s has %q", file, word)
		}
	}
}
