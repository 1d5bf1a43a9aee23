package api_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// contractFile maps the statements of the contract to the tests that prove them.
const contractFile = "../docs/contract.md"

var (
	provenRow = regexp.MustCompile("(?m)^\\| ([0-9.]+) \\| (.+) \\| (`.+`) \\|$")
	testName  = regexp.MustCompile("`([a-z0-9/]+)\\.((?:Test|Fuzz)[A-Za-z0-9_]+)(?:/([^`]+))?`")
)

// Every test that docs/contract.md names exists, and every section has statements.
func TestContract(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile(contractFile)
	if err != nil {
		t.Fatal(err)
	}
	proven := string(raw)
	tests := everyTest(t, "..")
	sections := map[string]int{}
	for _, row := range provenRow.FindAllStringSubmatch(proven, -1) {
		sections[strings.Split(row[1], ".")[0]]++
		names := testName.FindAllStringSubmatch(row[3], -1)
		if len(names) != strings.Count(row[3], "`")/2 {
			t.Errorf("%s %s: %s contains something other than names of tests", row[1], row[2], row[3])
		}
		for _, name := range names {
			literals, exists := tests[name[1]+"."+name[2]]
			if !exists || name[3] != "" && !slices.Contains(literals, name[3]) {
				t.Errorf("%s %s: there is no test %s", row[1], row[2], name[0])
			}
		}
	}
	for section := 2; section <= 9; section++ {
		if sections[strconv.Itoa(section)] < 3 {
			t.Errorf("section %d has %d statements", section, sections[strconv.Itoa(section)])
		}
	}
	rows := strings.Count(proven, "\n| ") - strings.Count(proven, "\n| No. |")
	if named := len(provenRow.FindAllString(proven, -1)); named != rows {
		t.Errorf("%d rows, %d of which name tests", rows, named)
	}
}

// everyTest returns the tests below root by the last element of their folder and their
// name, each with the string literals in it, which include the names of its cases.
func everyTest(t *testing.T, root string) map[string][]string {
	t.Helper()
	tests := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".") && path != root):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		folder := filepath.Base(filepath.Dir(path))
		for _, declared := range file.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok && f.Recv == nil {
				tests[folder+"."+f.Name.Name] = textsIn(f)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}

func textsIn(n ast.Node) (found []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if text, err := strconv.Unquote(literal.Value); err == nil {
				found = append(found, text)
			}
		}
		return true
	})
	return found
}
