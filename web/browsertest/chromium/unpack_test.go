package chromium

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
)

// archives writes the npm package's bin folder, in small.
func archives(t *testing.T, libraryName string) string {
	t.Helper()
	bin := t.TempDir()
	for archive, content := range map[string][]byte{
		"chromium.br":   []byte("#!/bin/sh\ncat ${LD_LIBRARY_PATH%%:*}/libnss3.so\n"),
		"al2023.tar.br": tarred(t, libraryName, "Chromium with NSS\n"),
		"fonts.tar.br":  tarred(t, "fonts.conf", "<dir>/var/task/fonts</dir>"),
	} {
		var packed bytes.Buffer
		w := brotli.NewWriter(&packed)
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bin, archive), packed.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

func tarred(t *testing.T, name, content string) []byte {
	t.Helper()
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return archive.Bytes()
}

func TestUnpackOnceMakesABrowserThatFindsItsLibraries(t *testing.T) {
	t.Setenv("LD_LIBRARY_PATH", "/opt/lib")
	bin, folder := archives(t, "lib/libnss3.so"), filepath.Join(t.TempDir(), "chromium-1")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			browser, err := unpackOnce(bin, folder)
			if err == nil {
				err = browser.starts()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	browser, err := unpackOnce("no such folder", folder)
	if err != nil {
		t.Fatalf("unpacked again: %v", err)
	}
	want := Browser{Path: filepath.Join(folder, "chromium"), Env: []string{
		"LD_LIBRARY_PATH=" + filepath.Join(folder, "lib") + ":/opt/lib",
		"FONTCONFIG_FILE=" + filepath.Join(folder, "fonts.conf"),
	}}
	if diff := cmp.Diff(want, browser); diff != "" {
		t.Errorf("browser (-want +got):\n%s", diff)
	}
	config, err := os.ReadFile(filepath.Join(folder, "fonts.conf"))
	if err != nil || string(config) != fontsXML {
		t.Errorf("fonts.conf is not this package's: %v\n%s", err, config)
	}
}

func TestUnpackOnceLeavesNothingBehindWhenItFails(t *testing.T) {
	t.Parallel()
	outside := archives(t, "../libnss3.so")
	broken := archives(t, "lib/libnss3.so")
	if err := os.Truncate(filepath.Join(broken, "chromium.br"), 10); err != nil {
		t.Fatal(err)
	}
	for name, bin := range map[string]string{"a name that leads out": outside, "a cut archive": broken,
		"no archives": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			parent := t.TempDir()
			if browser, err := unpackOnce(bin, filepath.Join(parent, "chromium-1")); err == nil {
				t.Errorf("unpacked %s", browser.Path)
			}
			left, err := filepath.Glob(filepath.Join(parent, "*"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{filepath.Join(parent, "chromium-1.lock")}, left); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
		})
	}
}
