// Package journal keeps what a bank knows in memory and in one append-only file of JSON lines.
// Each line is a change that takes effect as a whole. A change is on the disk before its caller
// goes on, so a process that is killed loses nothing that it has answered.
package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// ErrInUse reports that another process has the file open.
var ErrInUse = errors.New("another process uses it")

// Journal is the state of one bank. It is safe for concurrent use.
type Journal struct {
	file *os.File

	mu      sync.RWMutex // guards state, written and broken
	state   *State
	written int64 // bytes of whole lines in the file
	broken  error // set after a failure that leaves the file in doubt

	syncing  sync.Mutex   // held during a sync
	unsynced error        // of the first sync that failed; guarded by syncing
	synced   atomic.Int64 // bytes that are on the disk
}

// Open reads the file at path, or creates it with mode 0600. A line that was cut off by the end
// of a process was never answered and is removed. Only one process can have the file open.
func Open(path string) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("journal: open: %w", err)
	}
	j := &Journal{file: file, state: newState()}
	if err := j.replay(); err != nil {
		file.Close()
		return nil, fmt.Errorf("journal: %s: %w", path, err)
	}
	return j, nil
}

func (j *Journal) replay() error {
	if err := unix.Flock(int(j.file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return ErrInUse
	}
	lines := bufio.NewReaderSize(j.file, 1<<20)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break // what is left has no end, so it was never answered
		}
		if err != nil {
			return fmt.Errorf("read line %d: %w", n, err)
		}
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("line %d is damaged: %w", n, err)
		}
		if !j.state.continues(e) {
			return fmt.Errorf("line %d is damaged: a line before it is missing", n)
		}
		j.state.apply(e)
		j.written += int64(len(line))
	}
	if err := j.file.Truncate(j.written); err != nil {
		return fmt.Errorf("remove the line that was cut off: %w", err)
	}
	if _, err := j.file.Seek(j.written, io.SeekStart); err != nil {
		return fmt.Errorf("go to the end: %w", err)
	}
	if err := j.file.Sync(); err != nil { // a line may have been written, and not yet be on the disk
		return fmt.Errorf("sync: %w", err)
	}
	j.synced.Store(j.written)
	return nil
}

// Update calls change with the current state, writes the entry that change returns, applies it and
// returns once it is on the disk. If change returns an error, Update returns the same error and
// changes nothing. Changes happen one after the other; change must not block.
func (j *Journal) Update(change func(*State) (Entry, error)) error {
	end, err := j.append(change)
	if err != nil {
		return err
	}
	return j.sync(end)
}

func (j *Journal) append(change func(*State) (Entry, error)) (end int64, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken != nil {
		return 0, j.broken
	}
	e, err := change(j.state)
	if err != nil {
		return 0, err
	}
	line, err := json.Marshal(e)
	if err != nil {
		return 0, fmt.Errorf("journal: encode: %w", err)
	}
	line = append(line, '\n')
	if bytes.Equal(line, []byte("{}\n")) {
		return j.written, nil
	}
	if _, err := j.file.Write(line); err != nil {
		return 0, j.undo(fmt.Errorf("journal: write: %w", err))
	}
	j.written += int64(len(line))
	j.state.apply(e)
	return j.written, nil
}

// undo removes a line that was written in part. If that fails too, nothing more can be written.
func (j *Journal) undo(cause error) error {
	if err := j.file.Truncate(j.written); err != nil {
		j.broken = cause
		return cause
	}
	if _, err := j.file.Seek(j.written, io.SeekStart); err != nil {
		j.broken = cause
	}
	return cause
}

// View calls read with the current state, and returns once all that read can have seen is on
// the disk. The state must not be kept or changed.
func (j *Journal) View(read func(*State)) error {
	j.mu.RLock()
	read(j.state)
	end := j.written
	j.mu.RUnlock()
	return j.sync(end)
}

// sync returns once the file is on the disk up to end. Callers that wait together share one sync.
func (j *Journal) sync(end int64) error {
	if j.synced.Load() >= end {
		return nil
	}
	j.syncing.Lock()
	defer j.syncing.Unlock()
	if j.synced.Load() >= end {
		return nil
	}
	if j.unsynced != nil {
		return j.unsynced
	}
	j.mu.RLock()
	written := j.written
	j.mu.RUnlock()
	if err := j.file.Sync(); err != nil {
		j.unsynced = fmt.Errorf("journal: sync: %w", err) // a later sync would not report what is lost now
		j.mu.Lock()
		j.broken = j.unsynced
		j.mu.Unlock()
		return j.unsynced
	}
	j.synced.Store(written)
	return nil
}

// Faults returns the faults that are active. The result must not be changed. Unlike the other
// methods it can be called inside View and Update.
func (j *Journal) Faults() []Fault { return *j.state.faults.Load() }

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }
