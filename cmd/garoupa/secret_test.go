package main

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"garoupa/models/modelstest"
)

// The key file is created at the first start, readable by its owner only, and kept.
func TestSecretFile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "deep", "data")
	path := filepath.Join(dir, secretFile)
	first, err := secretFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if key, err := hex.DecodeString(first); err != nil || len(key) != 32 {
		t.Errorf("the key is %d bytes, %v", len(key), err)
	}
	for name, want := range map[string]os.FileMode{path: 0o600, dir: os.ModeDir | 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode() != want {
			t.Errorf("%s has the mode %v, %v; want %v", filepath.Base(name), info.Mode(), err, want)
		}
	}
	again, err := secretFromFile(path)
	if err != nil || again != first {
		t.Errorf("the second start has another key, %v", err)
	}
	other, err := secretFromFile(filepath.Join(t.TempDir(), secretFile))
	if err != nil || other == first {
		t.Errorf("another installation has the same key, %v", err)
	}
}

// Processes that start together use one key, and leave no other file.
func TestSecretFile_Concurrent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	keys := make([]string, 20)
	var group errgroup.Group
	for i := range keys {
		group.Go(func() (err error) {
			keys[i], err = secretFromFile(filepath.Join(dir, secretFile))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if key != keys[0] || len(key) != 64 {
			t.Errorf("keys of %d and %d digits differ", len(key), len(keys[0]))
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

// A key file that was written by hand may end in a line break. A file that is not a key
// stops the start, with an error that names the file and not its content.
func TestOpenVault_File(t *testing.T) {
	t.Parallel()
	const key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	for name, tc := range map[string]struct {
		content string
		right   bool
	}{
		"a key": {key, true}, "a line": {key + "\n", true}, "a line of Windows": {key + "\r\n", true},
		"a longer key": {key + "00", true},
		"nothing":      {"", false}, "a digit less": {key[:63], false}, "a byte less": {key[:62], false},
		"no digits": {strings.Repeat("hunter2!", 8), false},
		"two lines": {key + "\n" + key, false},
	} {
		s := settings{DataDir: t.TempDir()}
		if err := os.WriteFile(filepath.Join(s.DataDir, secretFile), []byte(tc.content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := openVault(s)
		if (err == nil) != tc.right {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && (!strings.Contains(err.Error(), secretFile) || strings.Contains(err.Error(), "hunter2") ||
			strings.Contains(err.Error(), key[:62])) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	if _, err := openVault(settings{DataDir: t.TempDir(), SecretKey: key}); err != nil {
		t.Errorf("from the environment: %v", err)
	}
}

// An installation with another key must not start on data that the first key sealed.
func TestCheckKey(t *testing.T) {
	t.Parallel()
	environment := map[string]string{"DATABASE_URL": modelstest.NewURL(t), "GAROUPA_DATA_DIR": t.TempDir()}
	start := func() error {
		s, err := readSettings(environment)
		if err != nil {
			return err
		}
		db, err := openMigrated(t.Context(), s, false)
		if err != nil {
			return err
		}
		defer db.Close()
		_, err = newServices(t.Context(), s, db, beside(t.Context(), db.DB))
		return err
	}
	for range 2 {
		if err := start(); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(filepath.Join(environment["GAROUPA_DATA_DIR"], secretFile))
	if err != nil {
		t.Fatal(err)
	}
	environment["GAROUPA_SECRET_KEY"] = strings.Repeat("ab", 32)
	if err := start(); err == nil || !strings.Contains(err.Error(),
		"is not the key that this database is sealed with") {
		t.Errorf("with another key: %v", err)
	}
	environment["GAROUPA_SECRET_KEY"], environment["GAROUPA_DATA_DIR"] = string(kept), t.TempDir()
	if err := start(); err != nil {
		t.Errorf("with the same key from the environment: %v", err)
	}
}
