// Package migrations contains the schema: numbered SQL files, which goose applies after
// River's own tables, in whatever order they reach a database. A file on the main branch is
// never edited.
//
// Programs of neighboring versions run side by side while one replaces the other. So each
// file declares which programs may run with its change (compatibility.go), and no migration
// waits long for a lock that others then wait for (run.go).
package migrations

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed [0-9]*.sql
var files embed.FS

// known returns the numbers of this program's migrations, in ascending order.
var known = sync.OnceValue(func() (versions []int64) {
	for _, name := range names() {
		version, err := goose.NumericComponent(name)
		if err != nil {
			panic(err) // a wrong file name; every test would fail
		}
		versions = append(versions, version)
	}
	slices.Sort(versions)
	return versions
})

// knownRiver returns the numbers of the migrations that this program's River has.
var knownRiver = sync.OnceValue(func() (versions []int64) {
	river, err := rivermigrate.New(riverpgxv5.New(nil), nil)
	if err != nil {
		panic(err) // it fails only for options, and there are none
	}
	for _, migration := range river.AllVersions() {
		versions = append(versions, int64(migration.Version))
	}
	return versions
})

// Newest returns the number of this program's newest migration, for the log.
func Newest() int64 {
	return known()[len(known())-1]
}

// Fingerprint identifies the schema that Up produces, so that tests can keep a database as
// long as the schema is the same.
func Fingerprint() string {
	h := sha256.New()
	for _, name := range names() {
		fmt.Fprintf(h, "%s\n%s\n", name, text(name))
	}
	fmt.Fprintf(h, "river %d\n%s\n", len(knownRiver()), trim)
	return hex.EncodeToString(h.Sum(nil))[:12]
}

func names() []string {
	names, _ := fs.Glob(files, "*.sql") // the pattern is valid
	return names
}

func text(name string) string {
	sql, _ := files.ReadFile(name) // embedded, so it exists
	return string(sql)
}
