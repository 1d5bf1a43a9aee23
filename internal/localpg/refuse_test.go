package localpg

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func checkError(t *testing.T, err, want error, words ...string) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error = %v, want %v", err, want)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not contain %q", err, word)
		}
	}
}

// snapshot describes every file below dir except the lock, which a start writes.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir || entry.Name() == lockName {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		files[path] = fmt.Sprint(info.Mode(), info.ModTime())
		if entry.Type().IsRegular() {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files[path] += fmt.Sprintf(" %x", sha256.Sum256(content))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// fakeCluster writes the files that inspect reads into dir.
func fakeCluster(t *testing.T, dir, version string) cluster {
	t.Helper()
	c := cluster{dir: dir}
	if err := os.MkdirAll(filepath.Join(c.data(), "global"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, content := range map[string]string{
		c.password():                                 "secret\n",
		filepath.Join(c.data(), "PG_VERSION"):        version + "\n",
		filepath.Join(c.data(), "global/pg_control"): "control",
		filepath.Join(c.data(), "precious"):          "precious",
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runAs, err := serverAccount("/nonexistent")
	if err != nil {
		t.Fatal(err)
	}
	if err := runAs.give(c.data()); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDamagedFolder(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		damage func(c cluster) error
		words  string
	}{
		"no version": {func(c cluster) error { return os.Remove(filepath.Join(c.data(), "PG_VERSION")) },
			"PG_VERSION"},
		"bad version": {func(c cluster) error {
			return os.WriteFile(filepath.Join(c.data(), "PG_VERSION"), nil,
				0o600)
		}, "PG_VERSION"},
		"unreadable": {func(c cluster) error { return replaceByFolder(filepath.Join(c.data(), "PG_VERSION")) },
			"PG_VERSION"},
		"no control": {func(c cluster) error { return os.Remove(filepath.Join(c.data(), "global/pg_control")) },
			"pg_control"},
		"no password": {func(c cluster) error { return os.Remove(c.password()) }, "password"},
		"empty":       {func(c cluster) error { return os.Truncate(c.password(), 0) }, "password"},
		"no data":     {func(c cluster) error { return os.RemoveAll(c.data()) }, "data"},
		"a file":      {func(c cluster) error { return replaceBy(c.home(), "") }, "not a directory"},
		"lost link":   {func(c cluster) error { return replaceBy(c.home(), "elsewhere") }, "no such file"},
		"root's":      {func(c cluster) error { return replaceBy(c.data(), "/usr") }, "belongs to root"},
		"foreign file": {func(c cluster) error {
			return errors.Join(os.RemoveAll(c.data()), os.Remove(c.password()),
				os.WriteFile(filepath.Join(c.home(), "letter"), nil, 0o600))
		}, "data"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := fakeCluster(t, t.TempDir(), "15")
			if err := test.damage(c); err != nil {
				t.Fatal(err)
			}
			before := snapshot(t, c.dir)
			_, err := Start(t.Context(), Options{Dir: c.dir})
			checkError(t, err, ErrDamaged, c.home(), test.words, "restore", "move it away")
			if diff := cmp.Diff(before, snapshot(t, c.dir)); diff != "" {
				t.Errorf("the folder was changed (-before +after):\n%s", diff)
			}
		})
	}
}

// replaceBy replaces path by a link to target, or by a file if target is "".
func replaceBy(path, target string) error {
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	if target == "" {
		return os.WriteFile(path, nil, 0o600)
	}
	return os.Symlink(target, path)
}

func replaceByFolder(path string) error {
	return errors.Join(os.Remove(path), os.Mkdir(path, 0o700))
}

// An empty folder that was prepared for the data is not damaged.
func TestEmptyFolder(t *testing.T) {
	t.Parallel()
	c := cluster{dir: dataDir(t)}
	if err := os.Mkdir(c.home(), 0o755); err != nil {
		t.Fatal(err)
	}
	mustStart(t, c.dir)
	checkPrivate(t, c.dir)
}

func TestOtherVersion(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"14", "99"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c := fakeCluster(t, t.TempDir(), version)
			before := snapshot(t, c.dir)
			_, err := Start(t.Context(), Options{Dir: c.dir})
			checkError(t, err, ErrVersion, c.home(), "PostgreSQL "+version, "here is PostgreSQL 1",
				"GAROUPA_POSTGRES_BIN")
			if diff := cmp.Diff(before, snapshot(t, c.dir)); diff != "" {
				t.Errorf("the folder was changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestDirIsRequired(t *testing.T) {
	t.Parallel()
	if _, err := Start(t.Context(), Options{}); err == nil {
		t.Error("Start without a folder: want an error")
	}
}

func TestRunningWithoutServer(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "12", "12\n", "x\ny\n", "12\npostgres://half",
		"12\npostgres://u:p@/garoupa?host=%2Fnonexistent\n"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, lockName), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if url, ok := Running(dir); ok {
			t.Errorf("Running with the lock %q = %s", content, url)
		}
	}
	if url, ok := Running(t.TempDir()); ok {
		t.Errorf("Running without a lock = %s", url)
	}
}
