// Package upward finds a file in the working directory or above it: Go runs tests in their own
// folder, make runs tools in the module's root.
package upward

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Find returns the absolute path of name, a slash-separated relative path, in the working
// directory or the nearest parent that contains it. The error wraps [fs.ErrNotExist] if none
// does.
func Find(name string) (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("upward: working directory: %w", err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if _, err := os.Stat(path); err == nil {
			return path, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("upward: %w", err)
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("upward: no %s in %s or above: %w", name, start, fs.ErrNotExist)
		}
	}
}
