//go:build upgrades

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/migrations"
	"garoupa/models/modelstest"
)

// previous is the commit whose program this one must run beside: the newest release. Each
// release sets it to its own commit (git rev-parse main), and the test then starts with the
// schema of that commit. migrations' TestDeclared_Released names the number of that schema.
const previous = "6f974b61765f3b2e82e5790d7f65ae5887c4e525"

// perPhase is the number of charges that are paid at each program before the test
// continues.
const perPhase = 40

// While clients create and pay charges at the previous program, this one starts beside it,
// migrates, and takes over. No client sees an error, no charge is lost or created twice,
// and the books agree. The previous program can come back.
func TestBeside(t *testing.T) {
	t.Parallel()
	url := modelstest.NewEmptyURL(t)
	settings := []string{"GAROUPA_SECRET_KEY=" + strings.Repeat("ab", 32), "GAROUPA_SETTLEMENT_DELAY_TEST=1s"}
	before := newProgramOver(t, "DATABASE_URL="+url, settings...)
	before.file = buildAt(t, previous)
	after := newProgramOver(t, "DATABASE_URL="+url, settings...)

	old := before.serve()
	load := newCrowd(t, before.demo().Keys.Test, before.url)
	load.await(before.url)
	replacing := after.serve()
	if status := readiness(t, before.url); status != http.StatusOK {
		t.Errorf("the previous program is no longer ready beside this one: %d", status)
	}
	load.turnTo(before.url, after.url)
	load.await(before.url, after.url)
	load.turnTo(after.url) // as a balancer does before it stops a program
	before.stop(old, syscall.SIGTERM)
	load.await(after.url)

	back := before.serve()
	load.turnTo(before.url, after.url)
	load.await(before.url, after.url)
	load.turnTo(before.url)
	after.stop(replacing, syscall.SIGTERM)
	load.await(before.url)
	awaitSettled(t, url)
	load.turnTo()
	before.stop(back, syscall.SIGTERM)

	load.compare(url)
	if out := after.run("check"); !strings.Contains(out, "schema     ok\nbooks      ok") {
		t.Errorf("check says %s", out)
	}
}

// buildAt builds the program of an earlier commit.
func buildAt(t *testing.T, commit string) (file string) {
	t.Helper()
	dir := t.TempDir()
	run := func(command *exec.Cmd) []byte {
		t.Helper()
		var out, wrong bytes.Buffer
		command.Stdout, command.Stderr = &out, &wrong
		if err := command.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, &wrong)
		}
		return out.Bytes()
	}
	if shallow := run(exec.Command("git", "rev-parse",
		"--is-shallow-repository")); strings.TrimSpace(string(shallow)) != "false" {
		t.Fatal("this test builds the program of an earlier commit, and this clone is shallow: git fetch --unshallow")
	}
	archive := exec.Command("git", "archive", "--format=tar", commit)
	archive.Dir = "../.." // git archive takes the folder in which it runs
	unpack := exec.Command("tar", "-x", "-C", dir)
	unpack.Stdin = bytes.NewReader(run(archive))
	run(unpack)
	file = filepath.Join(dir, "garoupa")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", file, "./cmd/garoupa")
	build.Dir, build.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	run(build)
	return file
}

func readiness(t *testing.T, url string) (status int) {
	t.Helper()
	response, err := http.Get(url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

// crowd is a group of clients that create and pay charges without a pause. They repeat no
// request.
type crowd struct {
	t   *testing.T
	key string

	mu       sync.Mutex
	changed  *sync.Cond
	urls     []string       // used for new requests
	underWay map[string]int // by url
	paid     map[string]int // by url
	charges  map[string]string
	failed   bool
	working  sync.WaitGroup
}

// newCrowd starts clients that work at url until turnTo names other addresses.
func newCrowd(t *testing.T, key, url string) *crowd {
	c := &crowd{t: t, key: key, urls: []string{url}, underWay: map[string]int{}, paid: map[string]int{},
		charges: map[string]string{}}
	c.changed = sync.NewCond(&c.mu)
	for client := range 6 {
		c.working.Go(func() {
			// It opens no spare connections: the previous program waits for the first
			// request of each, and would stop too late.
			transport := &http.Transport{MaxConnsPerHost: 1}
			defer transport.CloseIdleConnections()
			for i := 0; c.charge(transport, fmt.Sprintf("%d-%d", client, i), client+i); i++ {
			}
		})
	}
	t.Cleanup(func() { c.turnTo() })
	return c
}

// charge creates and pays one charge at one of the programs. It reports whether there is
// more to do.
func (c *crowd) charge(over http.RoundTripper, externalID string, turn int) bool {
	c.mu.Lock()
	if len(c.urls) == 0 || c.failed {
		c.mu.Unlock()
		return false
	}
	url := c.urls[turn%len(c.urls)]
	c.underWay[url]++
	c.mu.Unlock()

	p := program{t: c.t, url: url, client: http.Client{Transport: over}}
	created, id := p.create(c.key, externalID)
	paid := 0
	if created == http.StatusCreated {
		paid = p.pay(c.key, id)
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.changed.Broadcast()
	c.underWay[url]--
	if created != http.StatusCreated || paid != http.StatusOK {
		c.t.Errorf("%s at %s: created %d, paid %d", externalID, url, created, paid)
		c.failed = true
		return false
	}
	c.paid[url]++
	c.charges[externalID] = id
	return true
}

// await returns when enough charges were paid at each of the programs.
func (c *crowd) await(urls ...string) {
	c.t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, url := range urls {
		for until := c.paid[url] + perPhase; c.paid[url] < until && !c.failed; {
			c.changed.Wait()
		}
	}
	if c.failed {
		c.t.FailNow()
	}
}

// turnTo sends new requests to other programs, and returns when the earlier programs have
// no request in progress.
func (c *crowd) turnTo(urls ...string) {
	c.mu.Lock()
	left := c.urls
	c.urls = urls
	for _, url := range left {
		for c.underWay[url] > 0 && !slices.Contains(urls, url) {
			c.changed.Wait()
		}
	}
	c.mu.Unlock()
	if len(urls) == 0 {
		c.working.Wait()
	}
}

// awaitSettled returns when another charge has been settled.
func awaitSettled(t *testing.T, databaseURL string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	settled := func() (n int) {
		t.Helper()
		if err := conn.QueryRow(ctx,
			"SELECT count(*) FROM checkouts WHERE settlement_status <> 'PENDING'").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	for before := settled(); settled() < before+perPhase; {
		time.Sleep(20 * time.Millisecond)
	}
}

// pay pays a test checkout and returns the status, or 0 if no answer came.
func (p *program) pay(key, id string) (status int) {
	request, err := http.NewRequest(http.MethodPost, p.url+"/v1/test/checkouts/"+id+"/pay", nil)
	if err != nil {
		p.t.Error(err)
		return 0
	}
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := p.client.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return 0
	}
	return response.StatusCode
}

// compare compares the answers that clients received with the database.
func (c *crowd) compare(databaseURL string) {
	c.t.Helper()
	conn, err := pgx.Connect(c.t.Context(), databaseURL)
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close(c.t.Context())
	told := len(c.charges)
	for what, query := range map[string]string{
		"checkouts":       "SELECT count(*) FROM checkouts",
		"paid checkouts":  "SELECT count(*) FROM checkouts WHERE status = 'PAID'",
		"external ids":    "SELECT count(DISTINCT external_id) FROM checkouts",
		"payments":        "SELECT count(*) FROM payments WHERE settles",
		"events created":  "SELECT count(*) FROM events WHERE type = 'checkout.created'",
		"events paid":     "SELECT count(*) FROM events WHERE type = 'checkout.paid'",
		"postings of pay": "SELECT count(DISTINCT fact) FROM ledger_transfers WHERE fact LIKE 'payment/%'",
	} {
		var n int
		if err := conn.QueryRow(c.t.Context(), query).Scan(&n); err != nil || n != told {
			c.t.Errorf("%d %s, %v; clients saw %d", n, what, err, told)
		}
	}
	var newest int64
	if err := conn.QueryRow(c.t.Context(), "SELECT max(version_id) FROM goose_db_version").Scan(&newest); err != nil ||
		newest != migrations.Newest() {
		c.t.Errorf("the schema is %d, %v", newest, err)
	}
}
