// Package upward finds a file from wherever a test or a tool was started: Go runs
// tests in their own folder, make runs tools in the module's.
package upward

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Find returns the absolute path of name, a slash-separated relative path, in the
// working directory or the nearest parent that has it. The error wraps
// [fs.ErrNotExist] when none has.
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
