package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each test that docs/security.md names is in the tree, and so is each file; each row names one.
func TestSecurity(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	tests := testNames(t, root)
	code := regexp.MustCompile("`[^`]+`")
	row, rows, noes := regexp.MustCompile(`^\| \d+\.\d+\.\d+ \| [12] \| (\w+) \| `), 0, 0
	for line := range strings.Lines(string(text)) {
		verdict := row.FindStringSubmatch(line)
		named := 0
		for _, name := range code.FindAllString(line, -1) {
			name = strings.Trim(name, "`")
			isTest := strings.HasPrefix(name, "Test")
			if isTest && !tests[name] {
				t.Errorf("docs/security.md names %s, which is no test", name)
			}
			if verdict != nil && !isTest {
				if _, err := os.Stat(filepath.Join(root, name)); err != nil {
					t.Errorf("docs/security.md names %s, which is no file", name)
				}
			}
			named++
		}
		if verdict == nil {
			continue
		}
		rows++
		if verdict[1] == "no" {
			noes++
		}
		if v := verdict[1]; v != "yes" && v != "no" || named == 0 {
			t.Errorf("a row that is neither met by something nor unmet: %s", line)
		}
	}
	counts := fmt.Sprintf("Of %d rows\n%d are met and %d are not", rows, rows-noes, noes)
	if rows < 150 || noes > 4 || !strings.Contains(string(text), counts) {
		t.Errorf("%d rows, want those of both levels; %d are not met, want four at most; and the words %q",
			rows, noes, counts)
	}
}

// testNames returns the names of all tests.
func testNames(t *testing.T, root string) map[string]bool {
	t.Helper()
	names, function := map[string]bool{}, regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == "node_modules" {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		for _, found := range function.FindAllStringSubmatch(string(source), -1) {
			names[found[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
