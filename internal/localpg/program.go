package localpg

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
)

// run runs a short program and returns its output. If it fails, the error contains the end
// of the output. It closes cmd's files.
func run(ctx context.Context, cmd *exec.Cmd) ([]byte, error) {
	defer closeFiles(cmd)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// A child gets onDeath when the thread that started it ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	group := -cmd.Process.Pid
	interrupted := context.AfterFunc(ctx, func() { _ = syscall.Kill(group, syscall.SIGKILL) })
	err := cmd.Wait()
	if !interrupted() {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, lastLines(output.Bytes(), 3))
	}
	return output.Bytes(), nil
}

// lastLines returns up to n of the last lines of text, joined into one line.
func lastLines(text []byte, n int) string {
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return string(bytes.Join(lines, []byte(" | ")))
}
