package migrations_test

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"garoupa/migrations"
	"garoupa/models/modelstest"
)

// A newer program's migration stops this program, unless the schema says that this program
// may run with it.
func TestCompare_Newer(t *testing.T) {
	t.Parallel()
	const (
		unknown  = "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99001, true)"
		another  = "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99002, true)"
		declared = "INSERT INTO schema_compatibility (version, needs, reason) VALUES (99001, 42, 'adds a table')"
		contract = "INSERT INTO schema_compatibility (version, needs, reason) " +
			"VALUES (99002, 99001, 'drops what 99001 replaced')"
		lacking = "DELETE FROM river_migration WHERE version = (SELECT max(version) FROM river_migration)"
	)
	for name, tc := range map[string]struct {
		change []string
		before migrations.State
		after  migrations.State // the state after Up; TooNew: Up refuses
	}{
		"unknown":              {[]string{unknown}, migrations.TooNew, migrations.TooNew},
		"declared":             {[]string{unknown, declared}, migrations.Ahead, migrations.Ahead},
		"declared for another": {[]string{another, declared}, migrations.TooNew, migrations.TooNew},
		"one of two declared": {[]string{unknown, another, declared}, migrations.TooNew,
			migrations.TooNew},
		"needs what this program lacks": {[]string{unknown, another, declared, contract}, migrations.TooNew,
			migrations.TooNew},
		"declared, and behind": {[]string{unknown, declared, lacking}, migrations.Behind, migrations.Ahead},
		"unknown, and behind":  {[]string{unknown, lacking}, migrations.TooNew, migrations.TooNew},
		"no table of declarations": {[]string{unknown, "DROP TABLE schema_compatibility"}, migrations.TooNew,
			migrations.TooNew},
		"River's": {[]string{"INSERT INTO river_migration (line, version) VALUES ('main', 9901)"}, migrations.TooNew,
			migrations.TooNew},
		"declared, and River's": {[]string{unknown, declared,
			"INSERT INTO river_migration (line, version) VALUES ('main', 9901)"}, migrations.TooNew, migrations.TooNew},
		"of another line of River's": {[]string{"INSERT INTO river_migration (line, version) VALUES ('other', 9901)"},
			migrations.Current, migrations.Current},
		"reverted, as goose does today": {[]string{unknown, "DELETE FROM goose_db_version WHERE version_id = 99001"},
			migrations.Current, migrations.Current},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pool := open(t, modelstest.NewURL(t), 2)
			for _, sql := range tc.change {
				run(t, pool, sql)
			}
			if got := state(t, pool); got != tc.before {
				t.Errorf("the state is %d, want %d", got, tc.before)
			}
			before := catalog(t, pool)
			err := migrations.Up(limited(t), pool)
			if errors.Is(err, migrations.ErrTooNew) != (tc.after == migrations.TooNew) ||
				err != nil && tc.after != migrations.TooNew {
				t.Errorf("Up: %v", err)
			}
			if got := state(t, pool); got != tc.after {
				t.Errorf("after Up the state is %d, want %d", got, tc.after)
			}
			if diff := cmp.Diff(before, catalog(t, pool)); tc.after == migrations.TooNew && diff != "" {
				t.Errorf("Up refused and changed\n%s", diff)
			}
		})
	}
}

// Up stores what the files declare, for programs that do not have the files.
func TestUp_Declares(t *testing.T) {
	t.Parallel()
	pool := open(t, modelstest.NewURL(t), 2)
	rows, err := pool.Query(t.Context(), "SELECT version FROM schema_compatibility WHERE version < 51 ORDER BY version")
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []int{48, 50} {
		if !slices.Contains(got, version) {
			t.Errorf("%d is not among %v", version, got)
		}
	}
}

// released is the newest migration of the release that programs of this version must run beside. cmd/garoupa's
// TestBeside names the commit of the same release.
const released = 94

// What is newer than the release lets the programs of the release run. A file that needs another new file does not,
// although it would let a program of yesterday's main run.
func TestDeclared_Released(t *testing.T) {
	t.Parallel()
	declaration := regexp.MustCompile(`(?m)^-- compatible with (\d{5}): `)
	for number, name := range numbered(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		match := declaration.FindStringSubmatch(string(text))
		if number <= released || match == nil {
			continue
		}
		if needs, _ := strconv.Atoi(match[1]); needs > released {
			t.Errorf("%s needs %d: programs of the release, with %d, would stop", name, needs, released)
		}
	}
}
