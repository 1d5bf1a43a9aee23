package api_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	ruleHeading = regexp.MustCompile(`(?m)^#{2,} (.+)$`)
	rulesNamed  = regexp.MustCompile(`docs/rules\.md(?:, "([^"]+)")?`)
	// commentBreak is the end of a line, with the comment mark of the next line.
	commentBreak = regexp.MustCompile(`\s*\n\s*(?://|\*|#|--)?\s*`)
	// sectionCited matches a citation of a document's section by its number.
	sectionCited = regexp.MustCompile(`\b(?:decisions|[a-z-]+\.md),? (?:section )?[0-9]`)
)

// Every citation of the document of rules names a heading that exists. No comment cites a
// document by the number of a section.
func TestRuleCitations(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(filepath.Join("..", "docs", "rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	var headings []string
	for _, heading := range ruleHeading.FindAllStringSubmatch(string(raw), -1) {
		headings = append(headings, heading[1])
	}
	cited := 0
	for path, text := range sources(t, "..") {
		text = commentBreak.ReplaceAllString(text, " ")
		for _, number := range sectionCited.FindAllString(text, -1) {
			t.Errorf("%s cites %q, which is not a heading", path, number)
		}
		if filepath.Ext(path) == ".md" {
			continue // a link to the whole document
		}
		for _, citation := range rulesNamed.FindAllStringSubmatch(text, -1) {
			cited++
			if !slices.Contains(headings, citation[1]) {
				t.Errorf("%s cites %q, which is not a heading of the rules", path, citation[1])
			}
		}
	}
	if cited < 50 {
		t.Errorf("%d citations found", cited)
	}
}

// sources returns the files below root that people write, keyed by path.
func sources(t *testing.T, root string) map[string]string {
	t.Helper()
	written := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && (name == "node_modules" || name == "dist" || name[0] == '.' && path != root):
			return fs.SkipDir
		case entry.IsDir() || strings.HasSuffix(name, "_templ.go"):
			return nil
		}
		kinds := []string{".go", ".templ", ".sql", ".md", ".css", ".js", ".mjs", ".sh"}
		if !slices.Contains(kinds, filepath.Ext(path)) {
			return nil
		}
		raw, err := os.ReadFile(path)
		written[path] = string(raw)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return written
}
