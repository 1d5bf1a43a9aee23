package chromium

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// script writes an executable that stands in for a browser.
func script(t *testing.T, folder, name, body string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFindWithoutThePackagePrefersTheVariableThenPathThenTheUsualFolders(t *testing.T) {
	const works = `echo "Chromium 156.0"`
	path, usual, elsewhere := t.TempDir(), t.TempDir(), t.TempDir()
	t.Setenv("PATH", path)
	t.Chdir(elsewhere)
	places := []string{filepath.Join(usual, "absent"), script(t, usual, "chrome", works)}
	want := func(path string) {
		t.Helper()
		if got, err := find(places); got.Path != path || err != nil {
			t.Errorf("found %q, %v, want %q", got.Path, err, path)
		}
	}
	t.Setenv(Variable, "")
	want(places[1])
	script(t, path, "chromium-browser", "echo 'install it with snap' >&2; exit 1")
	want(places[1])
	script(t, path, "google-chrome", "echo 'Something else 1.0'")
	want(places[1])
	inPath := script(t, path, "google-chrome-stable", works)
	want(inPath)
	chosen := script(t, elsewhere, "mine", works)
	t.Setenv(Variable, "mine")
	want(chosen)
}

func TestFindPrefersTheHeadlessBrowserOfThePackage(t *testing.T) {
	if _, err := fromNPM(); err != nil {
		t.Skip(err)
	}
	path := t.TempDir()
	t.Setenv("PATH", path)
	t.Setenv(Variable, "")
	script(t, path, "chromium", `echo "Chromium 156.0"`)
	got, err := find([]string{script(t, t.TempDir(), "chrome", `echo "Chromium 156.0"`)})
	want, _ := fromNPM()
	if err != nil || got.Path != want.Path {
		t.Errorf("found %q, %v, want %q", got.Path, err, want.Path)
	}
}

func TestFindSaysWhatItTriedAndWhatToDo(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	t.Setenv("PATH", folder)
	t.Setenv(Variable, "")
	broken := script(t, folder, "chromium", "echo 'libnss3.so: cannot open' >&2; exit 127")
	_, err := find(nil)
	if !errors.Is(err, ErrNotFound) {
		t.Fatalf("error %v, want one that wraps ErrNotFound", err)
	}
	for _, part := range []string{broken, "libnss3.so: cannot open", "@sparticuz/chromium", "npm ci",
		"apt-get install chromium", Variable} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error lacks %q: %v", part, err)
		}
	}
}

func TestAVariableThatNamesNoBrowserIsAnError(t *testing.T) {
	t.Setenv(Variable, filepath.Join(t.TempDir(), "gone"))
	if browser, err := find(usualPlaces()); err == nil || errors.Is(err, ErrNotFound) {
		t.Errorf("found %q, %v, want an error about %s alone", browser.Path, err, Variable)
	}
}
