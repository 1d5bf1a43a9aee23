package chromium

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Prepare is [Find] for the step before the tests: if there is no browser, and the process
// runs as root on Debian or a derivative with apt-get, it installs the distribution's chromium
// package and a font. The output of apt-get goes to progress.
func Prepare(ctx context.Context, progress io.Writer) (Browser, error) {
	browser, missing := Find()
	if missing == nil || !errors.Is(missing, ErrNotFound) || os.Geteuid() != 0 {
		return browser, missing
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return Browser{}, missing
	}
	for _, args := range [][]string{{"update"}, {"install", "-y", "--no-install-recommends", "chromium",
		"fonts-liberation"}} {
		cmd := exec.CommandContext(ctx, apt, args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		cmd.Stdout, cmd.Stderr = progress, progress
		if err := cmd.Run(); err != nil {
			return Browser{}, errors.Join(missing, fmt.Errorf("chromium: apt-get %s: %w", args[0], err))
		}
	}
	return Find()
}
