package localpg

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// The test binary is also the process that gets killed: with peerMode set it starts a
// server, prints the result and stops when its input ends.
const (
	peerMode = "LOCALPG_TEST_PEER" // durable, volatile or fortests
	peerDir  = "LOCALPG_TEST_DIR"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv(peerMode); mode != "" {
		os.Exit(runPeer(mode))
	}
	code, err := runTests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// tempFolder and dataFolder are for programs and data of the tests. peerBinary is a copy of
// this binary that every user can run.
var tempFolder, dataFolder, peerBinary string

func runTests(m *testing.M) (int, error) {
	var err error
	if tempFolder, err = publicFolder(""); err != nil {
		return 0, err
	}
	defer os.RemoveAll(tempFolder)
	if dataFolder, err = publicFolder(memoryFolder); err != nil {
		if dataFolder, err = publicFolder(""); err != nil {
			return 0, err
		}
	}
	defer os.RemoveAll(dataFolder)
	// The copy is written before any test starts a process: otherwise that process would
	// hold it open for writing for a moment, and it could not be run.
	peerBinary = filepath.Join(tempFolder, "localpg.test")
	if err := copyFile(os.Args[0], peerBinary); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// publicFolder creates a folder in parent that every user may enter.
func publicFolder(parent string) (string, error) {
	dir, err := os.MkdirTemp(parent, "localpg-test-")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
}

func runPeer(mode string) int {
	var s *Server
	var url string
	var err error
	if mode == "fortests" {
		if url, err = ForTests(); err == nil {
			var again string
			if again, err = ForTests(); err == nil && again != url {
				err = fmt.Errorf("a second server: %s", again)
			}
		}
	} else if s, err = Start(context.Background(), Options{
		Dir: os.Getenv(peerDir), Bin: os.Getenv("GAROUPA_POSTGRES_BIN"), Volatile: mode == "volatile",
	}); err == nil {
		url = s.URL()
	}
	if err != nil {
		fmt.Println("error", strings.ReplaceAll(err.Error(), "\n", " "))
		return 1
	}
	fmt.Println("ready", url)
	_, _ = io.Copy(io.Discard, os.Stdin)
	if s != nil {
		err = s.Stop()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// peer is another process that runs a server.
type peer struct {
	cmd   *exec.Cmd
	input io.Closer
	lines *bufio.Reader
}

// startPeer starts this test binary again, as the user with the number uid if this is root
// and uid is not 0. settings, "NAME=value", override the environment.
func startPeer(t *testing.T, mode, dir string, uid int, settings ...string) *peer {
	t.Helper()
	programs, err := newSearch("").programs(t.Context(), anyAccount(t), "", "")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(peerBinary)
	cmd.Dir = "/"
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "TEST_DATABASE_URL=") {
			cmd.Env = append(cmd.Env, setting)
		}
	}
	cmd.Env = append(append(cmd.Env, peerMode+"="+mode, peerDir+"="+dir, "GAROUPA_POSTGRES_BIN="+programs.dir),
		settings...)
	cmd.Stderr = os.Stderr
	if uid != 0 && os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h := &peer{cmd: cmd, input: input, lines: bufio.NewReader(output)}
	t.Cleanup(h.kill)
	return h
}

// url returns the address of the peer's server.
func (h *peer) url(t *testing.T) string {
	t.Helper()
	line, _ := h.lines.ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if !ok {
		t.Fatalf("the other process printed %q, want the URL of a server", line)
	}
	return url
}

func (h *peer) kill() {
	_ = h.cmd.Process.Kill()
	_ = h.cmd.Wait()
}

// finish tells the peer to stop its server and waits for its end.
func (h *peer) finish(t *testing.T) {
	t.Helper()
	h.input.Close()
	if err := h.cmd.Wait(); err != nil {
		t.Errorf("the other process: %v", err)
	}
}

// mustStart starts a durable server on dir and stops it with the test.
func mustStart(t *testing.T, dir string) *Server {
	t.Helper()
	s, err := Start(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mustStop(t, s) })
	return s
}

func mustStop(t *testing.T, s *Server) {
	t.Helper()
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

// query returns the first column of the first row.
func query(t *testing.T, url, sql string) string {
	t.Helper()
	ctx := context.Background()
	conn, err := pgconn.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	results, err := conn.Exec(ctx, sql).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	last := results[len(results)-1]
	if len(last.Rows) == 0 {
		return ""
	}
	return string(last.Rows[0][0])
}

// eventually waits for an action of another process.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
