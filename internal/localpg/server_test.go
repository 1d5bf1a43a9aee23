package localpg

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
)

// kinds returns searches that each find one kind of programs on this machine.
func kinds(t *testing.T) map[string]search {
	t.Helper()
	all := newSearch("")
	kinds := map[string]search{}
	for _, dir := range all.candidates() {
		name := "installed"
		if isFile(filepath.Join(dir, npmLinksFromBin)) {
			name = "npm"
			kinds["npm out of reach"] = search{explicit: hiddenCopy(t, dir), cache: reachable(t)}
		}
		if _, found := kinds[name]; !found {
			kinds[name] = search{explicit: dir, cache: all.cache}
		}
	}
	if len(kinds) == 0 {
		t.Fatal("the tests need a PostgreSQL")
	}
	return kinds
}

// hiddenCopy copies the npm package of bin, without its links, to a folder that only this
// user may enter and no user may write, and returns its bin.
func hiddenCopy(t *testing.T, bin string) string {
	t.Helper()
	hidden := filepath.Join(t.TempDir(), "hidden")
	pkg := filepath.Dir(filepath.Dir(bin))
	if err := os.Mkdir(hidden, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := copyTree(filepath.Join(pkg, "native"), filepath.Join(hidden, "native")); err != nil {
		t.Fatal(err)
	}
	if err := copyFile(filepath.Join(pkg, "package.json"), filepath.Join(hidden, "package.json")); err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(hidden, "native", "lib")
	if err := os.Chmod(library, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(library, 0o700) })
	return filepath.Join(hidden, "native", "bin")
}

// reachable returns a folder that every user may enter.
func reachable(t *testing.T) string {
	t.Helper()
	dir, err := publicFolder(tempFolder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// dataDir is reachable for data: in memory if possible, because initdb creates and flushes
// a thousand files.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := publicFolder(dataFolder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestServer(t *testing.T) {
	t.Parallel()
	all := kinds(t)
	for name, find := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(dataDir(t), "private")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			s, err := startDurable(t.Context(), Options{Dir: dir}, find)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Stop()
			checkSettings(t, s.URL())
			checkPrivate(t, dir)
			checkPassword(t, s.URL())
			if group, err := syscall.Getpgid(s.process.cmd.Process.Pid); err != nil || group == syscall.Getpgrp() {
				t.Errorf("the server is in process group %d (%v), which the terminal interrupts", group, err)
			}
			if got, ok := Running(dir); !ok || got != s.URL() {
				t.Errorf("Running = %q, %v, want the server's URL", got, ok)
			}
			cluster := query(t, s.URL(),
				"CREATE TABLE t AS SELECT 'kept' AS word; SELECT system_identifier FROM pg_control_system()")
			mustStop(t, s)
			mustStop(t, s)
			if _, ok := Running(dir); ok {
				t.Error("Running after Stop")
			}

			s, err = startDurable(t.Context(), Options{Dir: dir}, find)
			if err != nil {
				t.Fatal(err)
			}
			defer mustStop(t, s)
			if got := query(t, s.URL(), "SELECT word FROM t"); got != "kept" {
				t.Errorf("after a restart the row says %q", got)
			}
			if got := query(t, s.URL(), "SELECT system_identifier FROM pg_control_system()"); got != cluster {
				t.Errorf("the restart made a new cluster: %s, want %s", got, cluster)
			}
		})
	}
}

func checkSettings(t *testing.T, url string) {
	t.Helper()
	want := map[string]string{
		"listen_addresses": "", "fsync": "on", "synchronous_commit": "on", "TimeZone": "UTC", "server_encoding": "UTF8",
		"max_connections": "100", "data_checksums": "on", "password_encryption": "scram-sha-256",
	}
	got := map[string]string{}
	for name := range want {
		got[name] = query(t, url, "SHOW "+name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if got := query(t, url, "SELECT lower('JOÃO') || current_database() || current_user"); got != "joãogaroupagaroupa" {
		t.Errorf("lower('JOÃO'), database and user = %s", got)
	}
}

// checkPrivate checks that no other user may read what is in dir.
func checkPrivate(t *testing.T, dir string) {
	t.Helper()
	for name, want := range map[string]os.FileMode{
		"postgres": 0o700, "postgres/data": 0o700, "postgres/password": 0o600, "postgres.lock": 0o600,
		"postgres.log":                0o600,
		"postgres/data/" + socketName: 0o700,
	} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
		} else if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %v, want %v", name, got, want)
		}
	}
}

func checkPassword(t *testing.T, serverURL string) {
	t.Helper()
	u, err := url.Parse(serverURL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(databaseName, "wrong")
	_, err = pgconn.Connect(t.Context(), u.String())
	if err == nil || !strings.Contains(err.Error(), "28P01") {
		t.Errorf("connect with a wrong password: %v, want 28P01", err)
	}
}

func TestStartTwice(t *testing.T) {
	t.Parallel()
	dir := dataDir(t)
	type result struct {
		s   *Server
		err error
	}
	results := make(chan result)
	for range 2 {
		go func() {
			s, err := Start(context.Background(), Options{Dir: dir})
			results <- result{s, err}
		}()
	}
	started := 0
	var refused error
	for range 2 {
		if r := <-results; r.err == nil {
			started++
			defer mustStop(t, r.s)
		} else {
			refused = r.err
		}
	}
	if started != 1 {
		t.Fatalf("%d of two starts succeeded: %v", started, refused)
	}
	checkError(t, refused, ErrInUse, dir)
}

// The path is too long for a socket, and has characters that are special in URLs, in lists
// of hosts and in patterns.
func TestLongPath(t *testing.T) {
	t.Parallel()
	for name, dir := range map[string]string{
		"long":  filepath.Join(dataDir(t), strings.Repeat("long", 30)),
		"comma": filepath.Join(dataDir(t), "a,b"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			killed := startPeer(t, "durable", dir, 0)
			left := hostOf(t, killed.url(t))
			killed.kill()

			s := mustStart(t, dir)
			if exists(left) {
				t.Errorf("the socket folder %s of the killed process still exists", left)
			}
			host := hostOf(t, s.URL())
			info, err := os.Stat(host)
			if err != nil {
				t.Fatal(err)
			}
			if len(host) > 40 || info.Mode().Perm() != 0o700 {
				t.Errorf("the socket's folder is %s with mode %v, want a short private one", host, info.Mode())
			}
			mustStop(t, s)
			if exists(host) {
				t.Errorf("Stop left the socket's folder %s", host)
			}
		})
	}
}

func TestPathWithSpecialCharacters(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(dataDir(t), "a b+c%20é")
	s := mustStart(t, dir)
	if got, want := hostOf(t, s.URL()), filepath.Join(dir, "postgres", "data"); got != want {
		t.Errorf("the socket is in %s, want %s", got, want)
	}
	if strings.ContainsAny(s.URL(), "+ ") {
		t.Errorf("libpq misreads %s", s.URL())
	}
	query(t, s.URL(), "SELECT 1")
}

func hostOf(t *testing.T, serverURL string) string {
	t.Helper()
	u, err := url.Parse(serverURL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get("host")
}

func TestOrdinaryUser(t *testing.T) {
	t.Parallel()
	for name, uid := range map[string]int{"nobody": 65534, "without a name": 543210} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(dataDir(t), "data")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if os.Geteuid() == 0 {
				if err := os.Chown(dir, uid, uid); err != nil {
					t.Fatal(err)
				}
			}
			h := startPeer(t, "durable", dir, uid)
			query(t, h.url(t), "CREATE TABLE t AS SELECT 'kept' AS word")
			h.finish(t)

			s := mustStart(t, dir)
			if got := query(t, s.URL(), "SELECT word FROM t"); got != "kept" {
				t.Errorf("root, or the same user, reads %q", got)
			}
		})
	}
}

func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), logName)
	for _, size := range []int64{logMaxBytes, logMaxBytes + 1} {
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := openLog(path)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if got, want := exists(path+".1"), size > logMaxBytes; got != want {
			t.Errorf("a log of %d bytes was rotated: %v, want %v", size, got, want)
		}
	}
}
