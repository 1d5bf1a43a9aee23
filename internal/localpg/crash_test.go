package localpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

func TestKilledProcess(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	h := startPeer(t, "durable", dir, 0)
	url := h.url(t)
	query(t, url, "CREATE TABLE t AS SELECT 'kept' AS word")

	_, err := Start(t.Context(), Options{Dir: dir})
	checkError(t, err, ErrInUse, dir, strconv.Itoa(h.cmd.Process.Pid))
	if got, ok := Running(dir); !ok || got != url {
		t.Errorf("Running = %q, %v, want the server of the other process", got, ok)
	}

	h.kill()
	s := mustStart(t, dir)
	if got := query(t, s.URL(), "SELECT word FROM t"); got != "kept" {
		t.Errorf("after the kill the row says %q", got)
	}
}

// The server ends when its process dies, without any signal from us.
func TestDiesWithProcess(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	h := startPeer(t, "durable", dir, 0)
	h.url(t)
	h.kill()
	data := cluster{dir: dir}.data()
	eventually(t, "the killed process' server ends", func() bool { return len(serverProcesses(data)) == 0 })
	if exists(filepath.Join(data, "postmaster.pid")) {
		t.Error("the server was killed and not shut down")
	}
	if _, ok := Running(dir); ok {
		t.Error("Running after the process was killed")
	}
}

// The next start stops a server that outlived its process.
func TestOrphan(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	s := mustStart(t, dir)
	query(t, s.URL(), "CREATE TABLE t AS SELECT 'kept' AS word")
	mustStop(t, s)

	c := cluster{dir: dir}
	runAs, err := serverAccount(c.data())
	if err != nil {
		t.Fatal(err)
	}
	programs, err := newSearch("").programs(t.Context(), runAs, "", c.home())
	if err != nil {
		t.Fatal(err)
	}
	orphan, err := runAs.clusterCommand(0, programs.postgres(), c.data(), c.settings(socket{name: "."})...)
	if err != nil {
		t.Fatal(err)
	}
	if err := orphan.Start(); err != nil {
		t.Fatal(err)
	}
	closeFiles(orphan)
	ended := make(chan error, 1)
	go func() { ended <- orphan.Wait() }()
	eventually(t, "the orphan serves", func() bool { _, ready := readPostmasterFile(c.data()); return ready })

	s = mustStart(t, dir)
	if err := <-ended; err != nil {
		t.Errorf("the orphan ended with %v, want a clean shutdown", err)
	}
	if got := query(t, s.URL(), "SELECT word FROM t"); got != "kept" {
		t.Errorf("after the orphan the row says %q", got)
	}
}

// A start copes with the files of a server that is gone, and with sessions that outlived
// it.
func TestKilledServer(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	s, err := Start(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	query(t, s.URL(), "CREATE TABLE t AS SELECT 'kept' AS word")
	c := cluster{dir: dir}
	if err := s.process.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-s.process.done
	if err := s.Stop(); err == nil {
		t.Error("Stop after the server was killed: want an error")
	}

	// The number in postmaster.pid now belongs to a living process of the same user.
	runAs, err := serverAccount(c.data())
	if err != nil {
		t.Fatal(err)
	}
	stranger := runAs.command(syscall.SIGKILL, "/bin/cat")
	input, err := stranger.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { input.Close(); _ = stranger.Wait() }()
	for _, name := range []string{"postmaster.pid", socketName + ".lock"} {
		nameOtherProcess(t, filepath.Join(c.data(), name), stranger.Process.Pid)
	}

	again := mustStart(t, dir)
	if got := query(t, again.URL(), "SELECT word FROM t"); got != "kept" {
		t.Errorf("after recovery the row says %q", got)
	}
	if got := hostOf(t, again.URL()); got != c.data() {
		t.Errorf("a stale socket moved the server's to %s", got)
	}
	if err := stranger.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the start ended an unrelated process: %v", err)
	}
}

// nameOtherProcess replaces the process number that begins the file at path.
func nameOtherProcess(t *testing.T, path string, pid int) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, b := range content {
		if b == '\n' {
			content = append([]byte(strconv.Itoa(pid)), content[i:]...)
			break
		}
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A first start is interrupted before its initdb has ended.
func TestInitInterrupted(t *testing.T) {
	t.Parallel()
	for name, interrupt := range map[string]func(t *testing.T, dir string){
		"killed": func(t *testing.T, dir string) {
			h := startPeer(t, "durable", dir, 0, "GAROUPA_POSTGRES_BIN="+endlessInit(t))
			eventually(t, "initdb has written", func() bool { return initdbWrote(dir) })
			h.kill()
		},
		"cancelled": func(t *testing.T, dir string) {
			ctx, cancel := context.WithCancel(t.Context())
			bin, refused := endlessInit(t), make(chan error, 1)
			go func() {
				_, err := Start(ctx, Options{Dir: dir, Bin: bin})
				refused <- err
			}()
			eventually(t, "initdb has written", func() bool { return initdbWrote(dir) })
			cancel()
			if err := <-refused; !errors.Is(err, context.Canceled) {
				t.Errorf("Start = %v, want context.Canceled", err)
			}
			if left := (cluster{dir: dir}).staged(); len(left) > 0 {
				t.Errorf("the cancelled start left %v", left)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := dataDir(t)
			interrupt(t, dir)
			c := cluster{dir: dir}
			if exists(c.home()) {
				t.Fatal("an incomplete cluster is in place")
			}
			s := mustStart(t, dir)
			query(t, s.URL(), "SELECT 1")
			if left := (cluster{dir: dir}).staged(); len(left) > 0 {
				t.Errorf("the next start left %v", left)
			}
		})
	}
}

// endlessInit returns a folder of programs whose initdb does its work and never ends.
func endlessInit(t *testing.T) string {
	t.Helper()
	programs, err := newSearch("").programs(t.Context(), anyAccount(t), "", "")
	if err != nil {
		t.Fatal(err)
	}
	bin := reachable(t)
	script := fmt.Sprintf("#!/bin/sh\n'%s' \"$@\" || exit\n[ \"$1\" = -D ] || exit 0\n: >\"$2/written\"\nexec sleep "+
		"600\n", programs.initdb())
	err = errors.Join(os.Symlink(programs.postgres(), filepath.Join(bin, "postgres")),
		os.WriteFile(filepath.Join(bin, "initdb"), []byte(script), 0o600),
		os.Chmod(filepath.Join(bin, "initdb"), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

func initdbWrote(dir string) bool {
	for _, path := range (cluster{dir: dir}).staged() {
		if exists(filepath.Join(path, "data", "written")) {
			return true
		}
	}
	return false
}

// run is canceled while the program's child would run forever.
func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	cmd := account{}.command(syscall.SIGKILL, "/bin/sh", "-c", "cat; exit 1")
	cmd.Stdin = reader
	if _, err := run(ctx, cmd); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("run = %v, want context.DeadlineExceeded", err)
	}
}

// The start is canceled while the server itself starts, as far as a test can hit that
// moment. At any moment, no server is left without an owner.
func TestStartCancelled(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	mustStop(t, mustStart(t, dir))
	data := cluster{dir: dir}.data()
	ctx, cancel := context.WithCancel(t.Context())
	type result struct {
		s   *Server
		err error
	}
	ended := make(chan result, 1)
	go func() {
		s, err := Start(ctx, Options{Dir: dir})
		ended <- result{s, err}
	}()
	eventually(t, "the server writes its note", func() bool {
		return exists(filepath.Join(data, "postmaster.pid")) ||
			len(ended) > 0
	})
	cancel()
	r := <-ended
	s, err := r.s, r.err
	if err == nil {
		mustStop(t, s)
	} else if !errors.Is(err, context.Canceled) {
		t.Errorf("Start = %v, want context.Canceled", err)
	}
	if left := serverProcesses(data); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
	mustStart(t, dir)
}
