package browsertest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"golang.org/x/sys/unix"
)

// childVariable makes the test binary start a browser, say so and wait, in place of
// the tests.
const childVariable = "BROWSERTEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		os.Exit(m.Run())
	}
	ctx, err := process()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(chromedp.FromContext(ctx).Browser.Process().Pid, profileLock.Name())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func TestBrowserDiesWithAKilledTestProcess(t *testing.T) {
	t.Parallel()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"=1")
	child.Stderr = os.Stderr
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	var profile string
	_, scanned := fmt.Fscan(bufio.NewReader(stdout), &pid, &profile)
	if scanned != nil {
		t.Errorf("the child did not start a browser: %v", scanned)
	}
	browser, opened := unix.PidfdOpen(pid, 0)
	if err := child.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = child.Wait()
	if scanned != nil {
		return
	}
	if opened == nil {
		defer unix.Close(browser)
		waitExit(t, browser)
	}

	// The browser's other processes end after it, and write until then.
	for end := time.Now().Add(waitTimeout); ; {
		own, locked, err := newProfile()
		if err != nil {
			t.Fatal(err)
		}
		locked.Close()
		os.RemoveAll(own)
		_, err = os.Stat(profile)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the killed process's profile is still there: %v", err)
		}
	}
}

// waitExit waits until the process behind a pidfd has ended.
func waitExit(t *testing.T, pidfd int) {
	t.Helper()
	const limit = 30_000 // milliseconds
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, limit)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			t.Errorf("the browser outlives the test process that was killed: %v", err)
		}
		return
	}
}
