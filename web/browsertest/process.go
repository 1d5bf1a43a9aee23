package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/chromedp/chromedp"

	"garoupa/web/browsertest/chromium"
)

// process is the only browser of this test process, as a chromedp context from which the
// contexts of pages derive. It starts with the first page and ends with the test process,
// however that ends: the kernel (Linux) or the closed pipe (elsewhere) ends it.
var process = sync.OnceValues(start)

// startTimeout is long, because the first start after a boot reads 200 MB from disk.
const startTimeout = 90 * time.Second

func start() (context.Context, error) {
	browser, err := chromium.Find()
	if err != nil {
		return nil, err
	}
	var profile string
	if profile, profileLock, err = newProfile(); err != nil {
		return nil, fmt.Errorf("browser profile: %w", err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(browser.Path),
		chromedp.Env(browser.Env...),
		chromedp.WSURLReadTimeout(startTimeout),
		chromedp.UserDataDir(profile),
		// The sandbox needs privileges that root and most containers lack, and the tests open
		// only our own pages.
		chromedp.NoSandbox,
		chromedp.Flag("hide-scrollbars", false),
		chromedp.Flag("disable-gpu", true),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("font-render-hinting", "none"),
		// Reduced motion of pages does not disable smooth scrolling.
		chromedp.Flag("disable-smooth-scrolling", true),
		// Each document runs its scripts once, axe-core above all. Optimizing them costs more than it
		// saves; compiling them without optimization at once takes half as long as interpreting them.
		chromedp.Flag("js-flags", "--no-opt --no-maglev --always-sparkplug"),
	)
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ = chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {}))
	// Not a deadline of ctx, because the browser lives only while the context that started it
	// lives.
	timer := time.AfterFunc(startTimeout, stop)
	defer timer.Stop()
	if err := chromedp.Do(ctx); err != nil {
		return nil, fmt.Errorf("start %s: %w", browser.Path, err)
	}
	return ctx, nil
}

// profileLock stays locked until this process ends.
var profileLock *os.File

// newProfile creates and locks a folder for this process's browser, and removes the folders
// and locks of processes that have ended.
func newProfile() (folder string, locked *os.File, err error) {
	base := filepath.Join(os.TempDir(), "garoupa-browsertest-"+strconv.Itoa(os.Getuid()))
	if err := os.MkdirAll(base, 0o700); err != nil {
		return "", nil, err
	}
	// Only the process with the exclusive lock creates and removes folders, so other processes
	// see a new folder only after it is locked.
	all, err := lock(base, syscall.LOCK_EX)
	if err != nil {
		return "", nil, err
	}
	defer all.Close()
	if err := removeStale(base); err != nil {
		return "", nil, err
	}
	if folder, err = os.MkdirTemp(base, "profile-"); err != nil {
		return "", nil, err
	}
	locked, err = lock(folder, syscall.LOCK_EX)
	return folder, locked, err
}

func removeStale(base string) error {
	entries, err := os.ReadDir(base)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		folder := filepath.Join(base, entry.Name())
		stale, err := lock(folder, syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			continue
		}
		if err != nil {
			return err
		}
		// A browser that is ending may still write; the next process removes the rest.
		_ = os.RemoveAll(folder)
		stale.Close()
	}
	return nil
}

func lock(folder string, how int) (*os.File, error) {
	file, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), how); err != nil {
		file.Close()
		return nil, fmt.Errorf("lock %s: %w", folder, err)
	}
	return file, nil
}
