package localpg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

const lockName = "postgres.lock"

// lock is the right to run the server of one folder. The kernel releases it when the
// process ends in any way. The file is never removed: otherwise two processes could lock
// two files of the same name.
type lock struct {
	file     *os.File
	previous string // URL of the last server if its process was killed, otherwise ""
}

// acquire takes the lock of dir, or fails with ErrInUse at once.
func acquire(dir string) (*lock, error) {
	file, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("localpg: open the lock: %w", err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	pid, url := readLock(file.Name())
	if err != nil {
		file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("localpg: %w: process %d runs the server on %s", ErrInUse, pid, dir)
		}
		return nil, fmt.Errorf("localpg: lock %s: %w", file.Name(), err)
	}
	l := &lock{file: file, previous: url}
	if err := l.write(strconv.Itoa(os.Getpid()) + "\n"); err != nil {
		l.release()
		return nil, err
	}
	return l, nil
}

// publish makes the server's URL available to Running.
func (l *lock) publish(url string) error {
	return l.write(strconv.Itoa(os.Getpid()) + "\n" + url + "\n")
}

// write replaces the content in one write, so that a reader never sees half a URL with its
// final newline.
func (l *lock) write(content string) error {
	_, err := l.file.WriteAt([]byte(content), 0)
	if err == nil {
		err = l.file.Truncate(int64(len(content)))
	}
	if err != nil {
		return fmt.Errorf("localpg: write the lock: %w", err)
	}
	return nil
}

// release gives the lock back. It erases the content first, so that no reader takes the URL
// for that of a living server. It unlocks explicitly, because closing would leave the lock
// with any program that is being started at this moment.
func (l *lock) release() {
	_ = l.file.Truncate(0)
	_ = syscall.Flock(int(l.file.Fd()), syscall.LOCK_UN)
	l.file.Close()
}

// takeTurn lets one process at a time create and remove folders in parent, so that no
// process mistakes an incomplete folder for one left behind.
func takeTurn(parent string) (io.Closer, error) {
	turn, err := os.OpenFile(filepath.Join(parent, "turn.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("localpg: open the lock: %w", err)
	}
	if err := syscall.Flock(int(turn.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(fmt.Errorf("localpg: lock %s: %w", turn.Name(), err), turn.Close())
	}
	return turn, nil
}

func readLock(path string) (pid int, url string) {
	content, err := os.ReadFile(path)
	if err != nil {
		return 0, ""
	}
	first, rest, _ := strings.Cut(string(content), "\n")
	pid, err = strconv.Atoi(first)
	if err != nil {
		return 0, ""
	}
	url, whole := strings.CutSuffix(rest, "\n")
	if !whole {
		return pid, ""
	}
	return pid, url
}

// Running returns the URL of the server that a process runs on dir now, for commands of the
// same user. It returns false while that server is still starting.
func Running(dir string) (url string, ok bool) {
	_, url = readLock(filepath.Join(dir, lockName))
	if url == "" {
		return "", false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := pgconn.Connect(ctx, url)
	if err != nil {
		return "", false
	}
	conn.Close(ctx)
	return url, true
}
