package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

const (
	volatilePrefix = "volatile-"
	memoryFolder   = "/dev/shm"
	memoryNeeded   = 1 << 30 // free bytes
)

// startVolatile starts a server in a new folder in parent, or in the folder that
// volatileParent chooses if parent is "".
func startVolatile(ctx context.Context, parent string, find search) (*Server, error) {
	parent, err := volatileParent(parent)
	if err != nil {
		return nil, fmt.Errorf("localpg: choose a folder for tests: %w", err)
	}
	dir, held, err := newVolatileFolder(ctx, parent)
	if err != nil {
		return nil, err
	}
	s, err := start(ctx, cluster{dir: dir, volatile: true}, find, held)
	if err != nil {
		err = errors.Join(err, removeVolatile(dir))
		held.release()
		return nil, err
	}
	s.volatile = dir
	return s, nil
}

// removeVolatile removes the folder of a server that has ended.
func removeVolatile(dir string) error {
	turn, err := takeTurn(filepath.Dir(dir))
	if err != nil {
		return err
	}
	defer turn.Close()
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("localpg: remove the server's folder: %w", err)
	}
	return nil
}

// newVolatileFolder creates a folder in parent and locks it, after removing folders whose
// process is gone.
func newVolatileFolder(ctx context.Context, parent string) (string, *lock, error) {
	turn, err := takeTurn(parent)
	if err != nil {
		return "", nil, err
	}
	defer turn.Close()
	if err := removeAbandoned(ctx, parent); err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp(parent, volatilePrefix)
	if err != nil {
		return "", nil, fmt.Errorf("localpg: make a folder for tests: %w", err)
	}
	held, err := acquire(dir)
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, held, nil
}

func removeAbandoned(ctx context.Context, parent string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return fmt.Errorf("localpg: list %s: %w", parent, err)
	}
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), volatilePrefix) {
			continue
		}
		c := cluster{dir: filepath.Join(parent, entry.Name())}
		held, err := acquire(c.dir)
		if errors.Is(err, ErrInUse) {
			continue
		}
		if err != nil {
			return err
		}
		err = stopOrphans(ctx, c.data())
		if err == nil {
			c.removeLeftovers(held.previous)
			err = os.RemoveAll(c.dir)
		}
		held.release()
		if err != nil {
			return fmt.Errorf("localpg: remove what an earlier run left: %w", err)
		}
	}
	return nil
}

// volatileParent returns asked or, if that is "", this user's own folder in memory if there
// is enough room, and otherwise in the temporary folder.
func volatileParent(asked string) (string, error) {
	if asked != "" {
		dir, err := filepath.Abs(asked)
		if err != nil {
			return "", err
		}
		return dir, os.MkdirAll(dir, 0o700)
	}
	name := fmt.Sprintf("garoupa-%d", os.Geteuid())
	var memory syscall.Statfs_t
	if err := syscall.Statfs(memoryFolder, &memory); err == nil && memory.Bavail*uint64(memory.Bsize) >= memoryNeeded {
		if dir := filepath.Join(memoryFolder, name); makePrivate(dir) == nil {
			return dir, nil
		}
	}
	dir := filepath.Join(os.TempDir(), name)
	return dir, makePrivate(dir)
}

// makePrivate creates dir if it does not exist. If it exists it must belong to this user,
// because anyone could have created a folder of that name.
func makePrivate(dir string) error {
	if err := os.Mkdir(dir, 0o700); !errors.Is(err, os.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.IsDir() || int(stat.Uid) != os.Geteuid() || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s is not a private folder of this user", dir)
	}
	return nil
}

var startForTests = sync.OnceValues(func() (*Server, error) {
	return Start(context.Background(), Options{Bin: os.Getenv("GAROUPA_POSTGRES_BIN"), Volatile: true})
})

// ForTests returns the URL of a server for the tests of this process: TEST_DATABASE_URL if
// set, otherwise the URL of a volatile server, which is started once and ends with the
// process. The next volatile start removes its folder.
func ForTests() (string, error) {
	if url := os.Getenv("TEST_DATABASE_URL"); url != "" {
		return url, nil
	}
	s, err := startForTests()
	if err != nil {
		return "", err
	}
	return s.URL(), nil
}
