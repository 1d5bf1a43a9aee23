package faulttest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/internal/localpg"
)

// patience is how long each step of a Pair may take.
const patience = time.Minute

// Pair is a PostgreSQL and a standby that follows it synchronously: the standby has
// everything that the primary acknowledges. Both have an empty database.
type Pair struct {
	Primary, Standby string // addresses
}

// NewPair starts a Pair, which ends with the test. The standby is a cold copy, because that
// needs only the server and initdb.
func NewPair(t testing.TB) *Pair {
	t.Helper()
	dir := t.TempDir()
	primary, standby := filepath.Join(dir, "primary"), filepath.Join(dir, "standby")
	made, err := localpg.Start(context.Background(), options(primary))
	if err != nil {
		t.Fatalf("faulttest: make a primary: %v", err)
	}
	if err := made.Stop(); err != nil {
		t.Fatalf("faulttest: make a primary: %v", err)
	}
	if out, err := exec.Command("cp", "-a", primary, standby).CombinedOutput(); err != nil {
		t.Fatalf("faulttest: copy the primary: %v: %s", err, out)
	}
	pair := &Pair{Primary: start(t, primary)}
	// The standby's account may not be able to enter the folder of the primary's socket.
	follow(t, filepath.Join(standby, "postgres", "data"), NewProxy(t, pair.Primary).URL())
	pair.Standby = start(t, standby)
	alterSystem(t, pair.Primary, "synchronous_standby_names = '*'")
	await(t, pair.Primary, "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
	return pair
}

// Promote makes the standby a primary that waits for no other server, and returns when it
// accepts writes. The old primary is not notified, as when the network between them is
// lost.
func (p *Pair) Promote(t testing.TB) {
	t.Helper()
	await(t, p.Standby, "SELECT pg_promote(true, 60)")
	await(t, p.Standby, "SELECT NOT pg_is_in_recovery()")
}

// Part makes the primary wait for the standby no more, which may then fall behind or end.
func (p *Pair) Part(t testing.TB) {
	t.Helper()
	alterSystem(t, p.Primary, "synchronous_standby_names = ''")
	await(t, p.Primary, "SELECT count(*) = 0 FROM pg_stat_replication WHERE sync_state = 'sync'")
}

func options(dir string) localpg.Options {
	return localpg.Options{Dir: dir, Bin: os.Getenv("GAROUPA_POSTGRES_BIN"), Replicated: true}
}

func start(t testing.TB, dir string) (url string) {
	t.Helper()
	server, err := localpg.Start(context.Background(), options(dir))
	if err != nil {
		t.Fatalf("faulttest: start %s: %v", filepath.Base(dir), err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Logf("faulttest: stop %s: %v", filepath.Base(dir), err)
		}
	})
	return server.URL()
}

// follow makes the stopped server with this data a standby of the server at primary.
func follow(t testing.TB, data, primary string) {
	t.Helper()
	config, err := pgx.ParseConfig(primary)
	if err != nil {
		t.Fatal("faulttest: the primary's address is not a postgres:// URL")
	}
	conninfo := fmt.Sprintf("host=%s port=%d user=%s password=%s sslmode=disable gssencmode=disable",
		config.Host, config.Port, config.User, config.Password)
	settings := "primary_conninfo = '" + strings.ReplaceAll(conninfo, "'", "''") + "'\n"
	for name, content := range map[string]string{"postgresql.auto.conf": settings, "standby.signal": ""} {
		path := filepath.Join(data, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatalf("faulttest: make a standby: %v", err)
		}
		if info, err := os.Stat(data); err == nil {
			owner := info.Sys().(*syscall.Stat_t)
			if err := os.Chown(path, int(owner.Uid), int(owner.Gid)); err != nil {
				t.Fatalf("faulttest: make a standby: %v", err)
			}
		}
	}
}

func alterSystem(t testing.TB, url, setting string) {
	t.Helper()
	ctx := context.Background()
	conn := connect(t, url)
	defer conn.Close(ctx)
	for _, sql := range []string{"ALTER SYSTEM SET " + setting, "SELECT pg_reload_conf()"} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			t.Fatalf("faulttest: %s: %v", sql, err)
		}
	}
}

// await repeats the query until it returns true.
func await(t testing.TB, url, query string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	conn := connect(t, url)
	defer conn.Close(ctx)
	for {
		var yes bool
		err := conn.QueryRow(ctx, query).Scan(&yes)
		if err == nil && yes {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("faulttest: %s does not come true: %v", query, err)
		}
	}
}
