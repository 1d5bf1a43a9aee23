package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// noPackage is an importer that knows nothing: within a package, names are found without
// what it imports.
type noPackage struct{}

func (noPackage) Import(string) (*types.Package, error) { return nil, errors.New("not read") }

// arrow runs from a file to another of its package, of which it uses a name.
type arrow struct{ from, to string }

// arrowsWithin returns the files of a package, without tests, and the arrows between them.
func arrowsWithin(t *testing.T, dir string) (names []string, arrows map[arrow]bool) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set, files := token.NewFileSet(), []*ast.File(nil)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		names, files = append(names, path), append(files, file)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Error: func(error) {}, Importer: noPackage{}}
	pkg, _ := config.Check(dir, set, files, &info) // the errors are about what was not read
	arrows = map[arrow]bool{}
	for name, used := range info.Uses {
		if used.Pkg() != pkg || !used.Pos().IsValid() {
			continue
		}
		a := arrow{set.Position(name.Pos()).Filename, set.Position(used.Pos()).Filename}
		if a.from != a.to {
			arrows[a] = true
		}
	}
	return names, arrows
}

// layered sorts files so that few arrows run from a later file to an earlier one: each file
// stands where, the others being as they are, the fewest do.
func layered(files []string, arrows map[arrow]bool) []string {
	gain := func(above, below string) (n int) { // of having above before below
		if arrows[arrow{above, below}] {
			n++
		}
		if arrows[arrow{below, above}] {
			n--
		}
		return n
	}
	for moved := true; moved; {
		moved = false
		for _, file := range slices.Clone(files) {
			at := slices.Index(files, file)
			rest := slices.Delete(slices.Clone(files), at, at+1)
			best, place, total := 0, 0, 0
			gains := make([]int, len(files)) // by place, compared to the first
			for i, other := range rest {
				total += gain(other, file) - gain(file, other)
				if gains[i+1] = total; total > best {
					best, place = total, i+1
				}
			}
			if best > gains[at] {
				files, moved = slices.Insert(rest, place, file), true
			}
		}
	}
	return files
}

// Inside each room of web, the files stand in an order in which fewer than one in five
// arrows between them runs back up.
func TestRooms(t *testing.T) {
	t.Parallel()
	for _, room := range []string{"page", "hosted", "account", "dashboard", "console", "docs"} {
		files, arrows := arrowsWithin(t, filepath.Join("..", "..", "web", room))
		order, back := layered(files, arrows), []arrow(nil)
		for a := range arrows {
			if slices.Index(order, a.from) > slices.Index(order, a.to) {
				back = append(back, a)
			}
		}
		t.Logf("web/%s: %d files, %d arrows, %d of them back up", room, len(files), len(arrows), len(back))
		if len(arrows) == 0 || 5*len(back) >= len(arrows) {
			t.Errorf("web/%s: %d of %d arrows run back up: %v", room, len(back), len(arrows), back)
		}
	}
}
