package models_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sqlText matches the beginning of a SQL statement in a string.
var sqlText = regexp.MustCompile(
	`^["\x60]\s*(SELECT |INSERT INTO |UPDATE \w+ SET |DELETE FROM |WITH \w+ AS |LOCK TABLE |SET LOCAL |LISTEN )`)

// elsewhere lists folders whose SQL text does not belong to the application: the migrations,
// the private server, and programs and fakes for tests.
var elsewhere = []string{"migrations/", "internal/localpg/", "internal/faulttest/", "tools/", "payments/paymentstest/",
	"node_modules/", "views/docs/samples/"}

// There are two ways to the database: SQL text for pgx with $1, which is only in this package
// and in tests, and GORM's builder. GORM's Raw and Exec, with ? for arguments, would be a third.
func TestBorder(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, ".."+string(filepath.Separator)))
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(elsewhere, name+"/") || len(name) > 1 && name[0] == '.' && path != ".." {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_templ.go") {
			return nil
		}
		files++
		return checkBorder(t, path, strings.HasPrefix(name, "models/") || strings.HasSuffix(name, "_test.go"))
	})
	if err != nil || files < 500 {
		t.Fatalf("looked at %d files: %v", files, err)
	}
}

// checkBorder reports what a file must not contain.
func checkBorder(t *testing.T, path string, mayHoldSQL bool) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, 0)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if !mayHoldSQL && n.Kind == token.STRING && sqlText.MatchString(n.Value) {
				t.Errorf("%s: SQL text belongs in package models", set.Position(n.Pos()))
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && thirdWay(f, n.Args) {
				t.Errorf("%s: GORM's %s; write SQL text for pgx, or use the builder", set.Position(n.Pos()), f.Sel.Name)
			}
		}
		return true
	})
	return nil
}

// thirdWay reports whether a call is GORM's Raw or Exec: Raw of anything but a driver's
// connection or a template, and Exec on a GORM handle or with a text that contains ?.
func thirdWay(f *ast.SelectorExpr, args []ast.Expr) bool {
	if len(args) == 0 {
		return false
	}
	switch f.Sel.Name {
	case "Raw":
		_, borrows := args[0].(*ast.FuncLit)
		receiver, named := f.X.(*ast.Ident)
		return !borrows && !(named && receiver.Name == "templ")
	case "Exec":
		handle := false
		switch receiver := f.X.(type) {
		case *ast.Ident: // db.Exec; tx.Exec is ours
			handle = receiver.Name == "db"
		case *ast.SelectorExpr: // tx.DB.Exec, s.DB.Exec
			handle = receiver.Sel.Name == "DB"
		case *ast.CallExpr: // h.gorm(ctx).Exec, tx.Model(…).Exec
			handle = true
		}
		return handle || slices.ContainsFunc(args, hasQuestionMark)
	}
	return false
}

func hasQuestionMark(e ast.Expr) (has bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		has = has || ok && literal.Kind == token.STRING && strings.Contains(literal.Value, "?")
		return !has
	})
	return has
}
