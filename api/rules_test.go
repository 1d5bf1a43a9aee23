package api_test

import (
	"io/fs"
	"iter"
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
		for passage := range passages(text) {
			for _, number := range sectionCited.FindAllString(passage, -1) {
				t.Errorf("%s cites %q, which is not a heading", path, number)
			}
			if filepath.Ext(path) == ".md" {
				continue // a link to the whole document
			}
			for _, citation := range rulesNamed.FindAllStringSubmatch(passage, -1) {
				cited++
				if !slices.Contains(headings, citation[1]) {
					t.Errorf("%s cites %q, which is not a heading of the rules", path, citation[1])
				}
			}
		}
	}
	if cited < 50 {
		t.Errorf("%d citations found", cited)
	}
}

// passages yields the parts of a text that may cite a document, each in one line: a line with the name of a document
// and the two after it, in which a citation may go on, up to the next such line. Most lines name none, and finding
// these is much quicker than an expression.
func passages(text string) iter.Seq[string] {
	names := func(line string) bool { return strings.Contains(line, ".md") || strings.Contains(line, "decisions") }
	return func(yield func(string) bool) {
		if !names(text) {
			return
		}
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			if !names(line) {
				continue
			}
			end := i + 1
			for end < len(lines) && end <= i+2 && !names(lines[end]) {
				end++
			}
			if !yield(commentBreak.ReplaceAllString(strings.Join(lines[i:end], "\n"), " ")) {
				return
			}
		}
	}
}

// A citation may be broken in lines, and two may follow each other.
func TestPassages(t *testing.T) {
	t.Parallel()
	text := "a\n\t// as docs/notes.md, \"Money of\n\t// all\" says, and\n\t// docs/notes.md\nb\nc\nd\n"
	want := []string{`	// as docs/notes.md, "Money of all" says, and`, "	// docs/notes.md b c"}
	if got := slices.Collect(passages(text)); !slices.Equal(got, want) {
		t.Errorf("passages = %q, want %q", got, want)
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
