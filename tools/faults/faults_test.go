//go:build faults

package faults

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/internal/faulttest"
	"garoupa/internal/localpg"
)

// The lines of the document around the report.
const (
	reportBegins = "<!-- make faults writes from here -->\n"
	reportEnds   = "<!-- to here -->\n"
)

// The tests run one after the other: each has the machine for itself.

func TestProcessKilled(t *testing.T) {
	s := newSite(t, 2)
	s.judge("one of two processes killed and started again, 3 times", s.under(func() {
		for range 3 {
			s.processes[1].kill()
			time.Sleep(500 * time.Millisecond)
			s.processes[1].start()
		}
	}))
}

func TestProcessFrozen(t *testing.T) {
	s := newSite(t, 2)
	s.judge("one of two processes frozen for 12 s", s.under(func() {
		thaw := faulttest.Freeze(t, s.processes[1].command.Process)
		time.Sleep(12 * time.Second)
		thaw()
	}))
}

func TestProcessStopped(t *testing.T) {
	s := newSite(t, 2)
	s.judge("both processes stopped in order and started again, in turn", s.under(func() {
		for _, p := range s.processes {
			p.stop()
			p.start()
		}
	}))
}

func TestConnectionsCut(t *testing.T) {
	s := newSite(t, 2)
	s.judge("all connections to the database cut, 20 times", s.under(func() {
		for range 20 {
			for _, p := range s.processes {
				p.network.Cut()
			}
			time.Sleep(300 * time.Millisecond)
		}
	}))
	for _, p := range s.processes {
		p.awaitReady()
	}
}

func TestDatabaseRefused(t *testing.T) {
	s := newSite(t, 2)
	s.judge("database down for 5 s", s.under(func() {
		for _, p := range s.processes {
			p.network.Refuse()
		}
		time.Sleep(5 * time.Second)
		for _, p := range s.processes {
			p.network.Restore()
			p.awaitReady()
		}
	}))
}

func TestNetworkSilent(t *testing.T) {
	s := newSite(t, 2)
	s.judge("network to the database of one of two processes silent for 20 s", s.under(func() {
		s.processes[0].network.Silence()
		time.Sleep(20 * time.Second)
		s.processes[0].network.Restore()
		s.processes[0].awaitReady()
	}))
}

func TestDatabaseKilled(t *testing.T) {
	dir := t.TempDir()
	options := localpg.Options{Dir: dir, Bin: os.Getenv("GAROUPA_POSTGRES_BIN")}
	server, err := localpg.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	s := newSiteOn(t, 2, server.URL())
	s.judge("PostgreSQL killed and started again", s.under(func() {
		if err := postmaster(t, dir).Kill(); err != nil {
			t.Fatal(err)
		}
		_ = server.Stop()
		if server, err = localpg.Start(t.Context(), options); err != nil {
			t.Fatal(err)
		}
		for _, p := range s.processes {
			p.awaitReady()
		}
	}))
	t.Cleanup(func() { _ = server.Stop() })
}

func TestTableLocked(t *testing.T) {
	s := newSite(t, 2)
	s.judge("table checkouts locked for 12 s", s.under(func() {
		release := faulttest.Hold(t, s.database, "LOCK TABLE checkouts")
		time.Sleep(12 * time.Second)
		release()
	}))
}

func TestReadOnly(t *testing.T) {
	s := newSite(t, 2)
	s.judge("database read-only for 5 s", s.under(func() {
		restore := faulttest.ReadOnly(t, s.database)
		time.Sleep(5 * time.Second)
		if s.processes[0].ready() {
			t.Error("a process reports that it is ready")
		}
		restore()
		for _, p := range s.processes {
			p.awaitReady()
		}
	}))
}

// A primary goes silent, the synchronous standby is promoted, and the address moves. A page
// that was open all the time shows a payment that is made afterwards.
func TestFailover(t *testing.T) {
	pair := faulttest.NewPair(t)
	s := newSiteOn(t, 2, pair.Primary)
	c := client{site: s, http: &http.Client{Timeout: clientWait}}
	id, what := c.ask("/v1/checkouts", `{"amount": 4990, "description": "Vaso", "externalId": "watched"}`, "watched")
	if what != "" {
		t.Fatal(what)
	}
	told := s.processes[0].watch(id)
	saw := s.under(func() {
		for _, p := range s.processes {
			p.network.Silence()
			p.network.Redirect(t, pair.Standby)
		}
		time.Sleep(time.Second)
		pair.Promote(t)
		for _, p := range s.processes {
			p.network.Abandon() // the old connections hang forever; new ones reach the standby
		}
		s.turnTo(pair.Standby)
		for _, p := range s.processes {
			p.awaitReady()
		}
	})
	c.at = 1 // the other process
	if _, what := c.ask("/v1/test/checkouts/"+id+"/pay", "", ""); what != "" {
		t.Errorf("paying after the failover: %s", what)
	}
	select {
	case <-told:
	case <-time.After(patience):
		t.Error("the open page was not notified of the payment")
	}
	s.judge("primary silent, standby promoted after 1 s, the name moves", saw)
}

// The answers to commits are lost while clients create without a key: one request creates
// one charge.
func TestAnswersLost(t *testing.T) {
	s := newSite(t, 1)
	network := s.processes[0].network
	var mu sync.Mutex
	told := map[int]int{}
	var working sync.WaitGroup
	for range 64 {
		working.Go(func() {
			c := client{site: s, http: &http.Client{Timeout: clientWait}}
			for range 20 {
				body := fmt.Sprintf(`{"amount": 4990, "description": "Vaso", "externalId": "%s"}`, rand.Text())
				_, what := c.ask("/v1/checkouts", body, "")
				mu.Lock()
				if what == "" {
					told[http.StatusCreated]++
				} else {
					told[0]++
				}
				if told[http.StatusCreated]%200 == 100 {
					network.LoseAnswers(2, "insert into checkouts")
				}
				mu.Unlock()
			}
		})
	}
	working.Wait()
	var made, doubled int
	err := s.pool.QueryRow(context.Background(),
		`SELECT count(*), count(*) - count(DISTINCT external_id) FROM checkouts`).Scan(&made, &doubled)
	if err != nil || doubled != 0 || made < told[http.StatusCreated] || network.Lost() == 0 {
		t.Errorf("%d charges, %d doubled, %v; clients saw %v; %d answers were lost", made, doubled, err, told,
			network.Lost())
	}
	if out := s.check(); !strings.Contains(out, "books      ok") {
		t.Errorf("garoupa check says %s", out)
	}
	report.mu.Lock()
	defer report.mu.Unlock()
	report.rows = append(report.rows, row{
		fault:   fmt.Sprintf("answers to %d commits lost, 64 clients create without a key", network.Lost()),
		charges: told[http.StatusCreated], answers: fmt.Sprintf("%d × no success", told[0]), doubled: doubled,
	})
}
