package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/security.md names each package that connects to something.
func TestSecurity_Connections(t *testing.T) {
	t.Parallel()
	named := backticked(t, "## Connections")
	connects := regexp.MustCompile(
		`\b(net\.Dial|tls\.Dial|http\.(Client|Transport|DefaultClient)\b|http\.(Get|Post|Head)\()`)
	for file, source := range programFiles(t) {
		folder := filepath.ToSlash(filepath.Dir(file))
		if connects.MatchString(source) && !named[folder] && !named[filepath.ToSlash(filepath.Dir(folder))] {
			t.Errorf("%s connects to something that docs/security.md does not name", file)
		}
	}
}

// docs/security.md names each package of cryptography that the program imports.
func TestSecurity_Cryptography(t *testing.T) {
	t.Parallel()
	named := backticked(t, "## Cryptography")
	imports := regexp.MustCompile(`(?m)^\s*(?:\w+ )?"((?:golang\.org/x/)?crypto/[\w/]+)"$`)
	used := map[string]bool{}
	for file, source := range programFiles(t) {
		for _, found := range imports.FindAllStringSubmatch(source, -1) {
			if used[found[1]] = true; !named[found[1]] {
				t.Errorf("%s imports %s, which docs/security.md does not name", file, found[1])
			}
		}
	}
	for name := range named {
		if strings.Contains(name, "crypto/") && !used[name] {
			t.Errorf("docs/security.md names %s, which nothing imports", name)
		}
	}
}

// backticked returns what stands in backticks in a chapter of docs/security.md.
func backticked(t *testing.T, heading string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, found := strings.Cut(string(text), "\n"+heading+"\n")
	if !found {
		t.Fatalf("docs/security.md has no %q", heading)
	}
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	named := map[string]bool{}
	for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(chapter, -1) {
		named[name[1]] = true
	}
	return named
}

// programFiles returns the sources of the program by their names from the root, without tests, tools and
// what merchants copy from the guides.
func programFiles(t *testing.T) map[string]string {
	t.Helper()
	root, sources := filepath.Join("..", ".."), map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || name == "tools" || name == "views/docs" ||
			strings.HasPrefix(name, ".") && name != "../.." || strings.HasSuffix(name, "test")):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		sources[name] = string(source)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sources
}
