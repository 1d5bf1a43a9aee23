package journal_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"garoupa/pix/psp/bank/journal"
)

// swap makes the descriptor of the open file at path one of another file, until back is called.
func swap(t *testing.T, path, other string) (back func()) {
	t.Helper()
	own, into := descriptor(t, path), openToo(t, other)
	kept, err := unix.Dup(own)
	if err == nil {
		err = unix.Dup3(int(into.Fd()), own, unix.O_CLOEXEC)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := unix.Dup3(kept, own, unix.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		if err := unix.Close(kept); err != nil {
			t.Fatal(err)
		}
	}
}

func openToo(t *testing.T, path string) *os.File {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// descriptor returns the number by which this process has the file at path open.
func descriptor(t *testing.T, path string) int {
	t.Helper()
	all, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range all {
		if target, err := os.Readlink(link); err == nil && target == path {
			var fd int
			if _, err := fmt.Sscan(filepath.Base(link), &fd); err != nil {
				t.Fatal(err)
			}
			return fd
		}
	}
	t.Fatalf("%s is not open", path)
	return 0
}

func add(j *journal.Journal, txID string) error {
	return j.Update(func(*journal.State) (journal.Entry, error) {
		return journal.Entry{Charges: []journal.Charge{charge(txID, 0)}}, nil
	})
}

func txIDs(j *journal.Journal) (all string, err error) {
	err = j.View(func(s *journal.State) { all = strings.Join(s.TxIDs, " ") })
	return all, err
}

// A change that could not be synced to the disk is never answered, not even after a later sync succeeds.
// What reached the disk is there after the next start.
func TestUpdate_SyncFails(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.jsonl")
	j := open(t, path)
	if err := add(j, "a"); err != nil {
		t.Fatal(err)
	}
	back := swap(t, path, os.DevNull) // takes what is written, and cannot be synced
	if err := add(j, "b"); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a change that was not synced: %v", err)
	}
	back()
	if all, err := txIDs(j); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a reader sees %s, %v", all, err)
	}
	if err := add(j, "c"); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a change after it: %v", err)
	}
	j.Close()
	if all, err := txIDs(open(t, path)); all != "a" || err != nil {
		t.Errorf("after a start the charges are %s, %v", all, err)
	}
}

// A line that can neither be written nor removed again ends all changes. What is on the disk can
// still be read.
func TestUpdate_WriteFails(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.jsonl")
	j := open(t, path)
	if err := add(j, "a"); err != nil {
		t.Fatal(err)
	}
	back := swap(t, path, "/dev/full")
	if err := add(j, "b"); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a change on a full disk: %v", err)
	}
	back()
	if err := add(j, "c"); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a change after it: %v", err)
	}
	if all, err := txIDs(j); all != "a" || err != nil {
		t.Errorf("the charges are %s, %v", all, err)
	}
}

// A change that the disk has no room for changes nothing, not even after a start, and the next that
// there is room for is written. The limit is one of a process, so the test is another one. It starts
// that while no other test runs: until it is another program, a new process shares all locks of files.
func TestUpdate_DiskFull(t *testing.T) {
	const role = "GAROUPA_TEST_DISK_FULL"
	path := os.Getenv(role)
	if path == "" {
		other := exec.Command(os.Args[0], "-test.run=^TestUpdate_DiskFull$")
		other.Env = append(os.Environ(), role+"="+filepath.Join(t.TempDir(), "state.jsonl"))
		if out, err := other.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	signal.Ignore(unix.SIGXFSZ)
	j := open(t, path)
	if err := add(j, "a"); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	limit(t, uint64(info.Size())+10) // a part of the next line
	for range 3 {
		if err := add(j, "b"); !errors.Is(err, syscall.EFBIG) {
			t.Errorf("without room: %v", err)
		}
	}
	if now, err := os.Stat(path); err != nil || now.Size() != info.Size() {
		t.Errorf("the file has %d bytes, not %d, %v", now.Size(), info.Size(), err)
	}
	limit(t, unix.RLIM_INFINITY)
	if err := add(j, "c"); err != nil {
		t.Error(err)
	}
	j.Close()
	if all, err := txIDs(open(t, path)); all != "a c" || err != nil {
		t.Errorf("the charges are %s, %v", all, err)
	}
}

// limit bounds the size of files that this process writes.
func limit(t *testing.T, bytes uint64) {
	t.Helper()
	var l unix.Rlimit
	err := unix.Getrlimit(unix.RLIMIT_FSIZE, &l)
	if l.Cur = min(bytes, l.Max); err == nil {
		err = unix.Setrlimit(unix.RLIMIT_FSIZE, &l)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A file from which a line is missing is not opened: the numbers of what follows would be wrong.
func TestOpen_LineMissing(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a notice":   `{"notices":[{"id":2,"endToEndId":"E2","nextAt":"2026-11-20T12:00:00Z"}]}`,
		"no number":  `{"notices":[{"endToEndId":"E2","nextAt":"2026-11-20T12:00:00Z"}]}`,
		"a location": `{"locations":[{"id":2,"token":"t","createdAt":"2026-11-20T12:00:00Z"}]}`,
		"a revision": `{"charges":[{"txid":"a","revision":1}]}`,
		"a negative": `{"charges":[{"txid":"a","revision":-1}]}`,
	} {
		path := filepath.Join(t.TempDir(), "state.jsonl")
		if err := os.WriteFile(path, []byte("{}\n"+text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := journal.Open(path); err == nil || !strings.Contains(err.Error(), "line 2 is damaged") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
