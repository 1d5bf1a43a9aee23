package guard_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unguarded are files whose goroutines need no guard, with the reason.
var unguarded = map[string]string{
	"internal/guard/guard.go":             "the guard itself",
	"internal/mail/sender.go":             "closes a connection when a context ends",
	"internal/localpg/program.go":         "signals a process when a context ends",
	"payments/paymentstest/race.go":       "for tests",
	"web/browsertest/page.go":             "for tests",
	"web/browsertest/serve.go":            "for tests",
	"web/webtest/requests.go":             "for tests",
	"pix/psp/bank/banktest/banktest.go":   "for tests",
	"internal/mail/mailtest/mailtest.go":  "for tests",
	"internal/localpg/testserver/main.go": "for tests",
	"models/batch.go":                     "answers those who wait for it itself",
}

// ends are functions that end a context and cannot panic, called by timers.
var ends = []string{"cancel", "stop", "abandon", "endRequests"}

// ownRisk are the folders of programs for developers, which may panic.
var ownRisk = []string{"internal/faulttest", "views/docs/samples", "tools"}

// A goroutine without a recover would end the process when it panics, and with it all
// requests in progress.
func TestTree(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() {
			if slices.Contains(ownRisk, name) || entry.Name() == "node_modules" || entry.Name() == "tmp" ||
				name != "." && strings.HasPrefix(entry.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		for _, place := range goroutines(t, path) {
			if used[name] = true; unguarded[name] == "" {
				t.Errorf("%s: a goroutine without package guard: a panic in it ends the process", place)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range unguarded {
		if !used[name] {
			t.Errorf("%s starts no goroutine without package guard: take it out of the list", name)
		}
	}
}

// goroutines returns the places of a file that start a goroutine without the guard: go
// statements, and functions passed to a group or a timer.
func goroutines(t *testing.T, path string) (places []string) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			places = append(places, files.Position(n.Pos()).String())
		case *ast.CallExpr:
			called, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || len(n.Args) == 0 || called.Sel.Name != "Go" && called.Sel.Name != "AfterFunc" || isGuard(called) {
				return true
			}
			work := n.Args[len(n.Args)-1]
			if !callsGuard(work) && !(called.Sel.Name == "AfterFunc" && slices.Contains(ends, name(work))) {
				places = append(places, files.Position(n.Pos()).String())
			}
		}
		return true
	})
	return places
}

func isGuard(called *ast.SelectorExpr) bool {
	pkg, ok := called.X.(*ast.Ident)
	return ok && pkg.Name == "guard"
}

// name returns the name of a function that is passed by name.
func name(work ast.Expr) string {
	switch work := work.(type) {
	case *ast.Ident:
		return work.Name
	case *ast.SelectorExpr:
		return work.Sel.Name
	}
	return ""
}

// callsGuard reports whether the function consists of one call of the guard.
func callsGuard(work ast.Expr) bool {
	literal, ok := work.(*ast.FuncLit)
	if !ok || len(literal.Body.List) == 0 {
		return false
	}
	found := false
	ast.Inspect(literal.Body.List[0], func(n ast.Node) bool {
		if called, ok := n.(*ast.SelectorExpr); ok && isGuard(called) {
			found = true
		}
		return !found
	})
	return found
}
