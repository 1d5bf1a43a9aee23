package main

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/internal/server/servertest"
	"garoupa/models"
)

// TestProduct does everything that a run does, except running pgbench: it finds the
// product's statements, executes pgbench's scripts, sends the generator's requests, and
// builds the program for profiling.
func TestProduct(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	program, err := buildProfiled(ctx, "../..", t.TempDir(), asTests()...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := openSite(ctx, t.TempDir(), program)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}()
	s.listen = servertest.Address(t) // reserved until the test ends
	recorded, err := record(ctx, s)
	if err != nil {
		t.Fatal(err)
	}
	data, err := load(ctx, s, 1000)
	if err != nil {
		t.Fatal(err)
	}
	b := bench{options: options{only: regexp.MustCompile(""), rounds: 1, seconds: 1}, site: s, data: data,
		recorded: recorded, unpaid: newStock(s, data)}
	checkSeries(ctx, t, b)
	checkDeliver(ctx, t, b)
	checkBank(ctx, t, b)
}

// asTests returns the flags of this test's own build, so that the build cache has the
// product's packages already.
func asTests() []string {
	built, ok := debug.ReadBuildInfo()
	if ok && slices.Contains(built.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return []string{"-race"}
	}
	return nil
}

// checkSeries measures each series for a moment.
func checkSeries(ctx context.Context, t *testing.T, b bench) {
	t.Helper()
	s := b.site
	v, err := s.serve(ctx, s.program, s.postgres.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := v.stop(); err != nil {
			t.Error(err)
		}
	}()
	if err := b.data.follow(s); err != nil {
		t.Fatal(err)
	}
	all, err := b.series()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.verify(ctx, all); err != nil {
		t.Error(err)
	}
	var names []string
	for _, work := range all {
		names = append(names, work.name)
		if err := work.ready(ctx, 1); err != nil {
			t.Fatal(err)
		}
		r, err := generate(ctx, s.listen, 3, 50*time.Millisecond, work.requests)
		if err != nil || r.rate <= 0 || r.p50 <= 0 || r.p99 < r.p50 {
			t.Errorf("%s: %+v, %v", work.name, r, err)
		}
	}
	want := []string{"read live", "read test", "list live", "list test", "balance live", "create live", "create test",
		"confirm live"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
	}
	if err := b.unpaid.check(ctx); err != nil {
		t.Error(err)
	}
	checkRequests(t, b)
	checkMeter(ctx, t, s, v)
}

// checkDeliver sends a backlog and keeps a pace.
func checkDeliver(ctx context.Context, t *testing.T, b bench) {
	t.Helper()
	found, err := b.deliver(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r := found.rounds[0]
	if found.paced != eventsPerSecond || found.p50 <= 0 || found.p99 < found.p50 || r.bare <= 0 || r.product <= 0 ||
		r.deliveries <= 0 || r.wal <= 0 || r.commits <= 0 {
		t.Errorf("%+v", found)
	}
}

// checkBank charges at a bank, and records what it received.
func checkBank(ctx context.Context, t *testing.T, b bench) {
	t.Helper()
	found, err := b.bank(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r := found[0]
	if r.slowBare.p50 < 200*time.Millisecond || r.slow.p50 < 200*time.Millisecond || r.slow.p99 < r.slow.p50 ||
		r.bare.rate <= 0 || r.product.rate <= 0 || r.confirmed <= 0 || r.swept <= 0 ||
		r.alone.p99 < 200*time.Millisecond || r.beside.p99 < 200*time.Millisecond {
		t.Errorf("%+v", r)
	}
	if tables := found.tables(b.seconds); strings.Count(tables, "| round 1 |") != 3 {
		t.Errorf("the tables are\n%s", tables)
	}
}

func checkMeter(ctx context.Context, t *testing.T, s *site, v *server) {
	t.Helper()
	m, err := newMeter(ctx, s, v)
	if err != nil {
		t.Fatal(err)
	}
	sessions, err := children(m.postmaster)
	if err != nil {
		t.Fatal(err)
	}
	u, err := m.read() // read later, so it includes the sessions' work
	if err != nil || u.server <= 0 || u.database <= 0 || u.generator <= 0 {
		t.Errorf("CPU times: %+v, %v", u, err)
	}
	if sessions <= 0 || sessions > u.database {
		t.Errorf("the sessions used %v", sessions)
	}
	if none, err := children(-1); err != nil || none != 0 {
		t.Errorf("the children of a process that does not exist used %v, %v", none, err)
	}
}

// checkRequests checks answers: each key sees its own environment's checkouts, deep pages
// are full, and no two creations are equal.
func checkRequests(t *testing.T, b bench) {
	t.Helper()
	conn, err := dial(b.site.listen)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	random := rand.New(rand.NewPCG(1, 2))
	ask := func(request []byte, answer any) {
		t.Helper()
		body, err := conn.ask(request)
		if err == nil {
			err = json.Unmarshal(body, answer)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, environment := range []models.Environment{models.Live, models.Test} {
		secret := b.site.secret(environment)
		lists := b.site.lists(secret, b.data.cursors[environment], random)
		pages := map[string]bool{}
		for range 4 {
			var page checkoutPage
			ask(lists(), &page)
			if len(page.Data) != 20 {
				t.Errorf("%v: a page of %d", environment, len(page.Data))
			}
			pages[page.Data[0].ID] = true
		}
		if len(pages) < 2 {
			t.Error("all pages are the same")
		}
		var one, other struct {
			ID          string             `json:"id"`
			Environment models.Environment `json:"livemode"`
		}
		creations := b.site.creations(secret, random)
		ask(creations(), &one)
		ask(creations(), &other)
		if one.ID == other.ID || one.Environment != environment {
			t.Errorf("%v: created %+v, then %+v", environment, one, other)
		}
	}
}

// A script that finds nothing does not pass.
func TestVerify(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	found := script{files: []file{{statements: []string{"SELECT 1",
		"SELECT :n::int FROM generate_series(1, :v0_1) WHERE :v0_2 = 'it''s'"}}},
		variables: []string{"v0_1=3", "v0_2=it's"}}
	if err := found.verify(t.Context(), conn, "", 3); err != nil {
		t.Error(err)
	}
	if err := found.verify(t.Context(), conn, "", 4); !errors.Is(err, errScript) {
		t.Errorf("verify = %v, want errScript", err)
	}
}

// writeProgram writes a script. Meanwhile no other test starts a process, because that
// process would hold the script open for writing for a moment, and it could not be run.
func writeProgram(t *testing.T, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestServerThatFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := dir + "/program"
	writeProgram(t, program, "#!/bin/sh\necho the reason >&2\nexit 3\n")
	s := &site{dir: dir, listen: "127.0.0.1:1"}
	if _, err := s.serve(t.Context(), program, ""); err == nil || !strings.Contains(err.Error(), "the reason") {
		t.Errorf("serve = %v, want what the program said", err)
	}
}
