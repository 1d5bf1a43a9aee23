package localpg

import (
	"syscall"
	"testing"
)

// A program that is started while the lock is released still has its file, because fork
// copies every descriptor. This must not prevent the next server.
func TestLock_ReleasedWhileAProgramStarts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	held, err := acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	copied, err := syscall.Dup(int(held.file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(copied)
	held.release()
	again, err := acquire(dir)
	if err != nil {
		t.Fatal(err)
	}
	again.release()
}
