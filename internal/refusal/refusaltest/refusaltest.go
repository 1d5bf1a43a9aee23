// Package refusaltest lists the codes of package refusal for tests.
package refusaltest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"garoupa/internal/refusal"
)

// Codes returns the constants of type Code that a source file of package refusal declares.
func Codes(t *testing.T, path string) (codes []refusal.Code) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Code" {
			for _, value := range spec.Values {
				code, err := strconv.Unquote(value.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				codes = append(codes, refusal.Code(code))
			}
		}
		return true
	})
	if len(codes) < 10 {
		t.Fatalf("found %d codes in %s", len(codes), path)
	}
	return codes
}
