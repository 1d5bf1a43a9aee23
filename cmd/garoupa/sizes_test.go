package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The sizes that CONTRIBUTING.md promises under "Layout".
const (
	maxColumns   = 120 // of a line; a tab counts as four
	maxFileLines = 400
	maxFuncLines = 70
)

// code are the endings of files that people write. SQL is not among them, because
// migrations that have landed stay as they are.
var code = []string{".go", ".templ", ".ts", ".mjs", ".js", ".css"}

// No line, function or file is too long to be read at once.
func TestSizes(t *testing.T) {
	t.Parallel()
	root, files := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains([]string{"node_modules", "dist", "tmp", "bin"}, entry.Name()) ||
				name != "." && strings.HasPrefix(entry.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains(code, filepath.Ext(name)) || strings.HasSuffix(name, "_templ.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if head, _, _ := bytes.Cut(text, []byte("\n\n")); !bytes.Contains(head, []byte("Code generated")) {
			files++
			checkSizes(t, filepath.ToSlash(name), text)
		}
		return nil
	})
	if err != nil || files < 1000 {
		t.Fatalf("read %d files: %v", files, err)
	}
}

// checkSizes reports what is too long in a file.
func checkSizes(t *testing.T, name string, text []byte) {
	t.Helper()
	n := 0
	for line := range bytes.Lines(text) {
		n++
		line = bytes.TrimRight(line, "\n")
		if columns := utf8.RuneCount(line) + 3*bytes.Count(line, []byte("\t")); columns > maxColumns {
			t.Errorf("%s:%d: the line has %d columns, more than %d", name, n, columns, maxColumns)
		}
	}
	if n > maxFileLines {
		t.Errorf("%s has %d lines, more than %d", name, n, maxFileLines)
	}
	if filepath.Ext(name) != ".go" {
		return
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, declared := range file.Decls {
		if f, ok := declared.(*ast.FuncDecl); ok {
			from, to := set.Position(f.Pos()), set.Position(f.End())
			if lines := to.Line - from.Line + 1; lines > maxFuncLines {
				t.Errorf("%s: %s has %d lines, more than %d", from, f.Name.Name, lines, maxFuncLines)
			}
		}
	}
}
