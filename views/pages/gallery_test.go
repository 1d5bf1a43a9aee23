package pages_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"

	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	"garoupa/views/pages/docs"
)

func gallery() page {
	return page{"gallery", docs.Gallery(docs.GalleryProps{
		AuthProps: layouts.AuthProps{Path: docs.GalleryPath}, Now: now,
		QR: components.QRProps{Path: "M0 0h7v1h-7z", Modules: 57, Label: "QR"},
	})}
}

// Every component is in the gallery, under its name.
func TestGallery(t *testing.T) {
	t.Parallel()
	doc := render(t, i18n.Portuguese, gallery().component)
	for _, name := range componentNames(t) {
		if shown := doc.Find(`[data-component="` + name + `"]`); shown.Length() != 1 ||
			shown.Children().Last().Children().Length() == 0 {
			t.Errorf("components.%s is not shown in the gallery", name)
		}
	}
}

// componentNames are the exported functions of package components that give a
// component.
func componentNames(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../components/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range file.Decls {
			function, ok := declared.(*ast.FuncDecl)
			if !ok || function.Recv != nil || !function.Name.IsExported() || function.Type.Results == nil {
				continue
			}
			if result, ok := function.Type.Results.List[0].Type.(*ast.SelectorExpr); ok &&
				result.Sel.Name == "Component" {
				names = append(names, function.Name.Name)
			}
		}
	}
	if len(names) < 30 {
		t.Fatalf("%d components found", len(names))
	}
	return names
}
