package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"garoupa/models/modelstest"
)

// The program is killed (SIGKILL) while clients create checkouts. Each request creates
// nothing, or one checkout with one event, which the same key returns. Every checkout that
// was answered to a client exists.
func TestKill(t *testing.T) {
	t.Parallel()
	url := modelstest.NewURL(t)
	p := newProgramOver(t, "DATABASE_URL="+url)
	key := p.demo().Keys.Test
	told := map[string]string{} // the id in the answer, by key; "" without an answer
	for round, answers := range []int{2, 9, 40} {
		maps.Copy(told, p.killAfter(answers, key, fmt.Sprintf("round-%d", round)))
	}

	p.serve()
	for idempotencyKey, id := range told {
		status, again := p.create(key, idempotencyKey)
		if id != "" && (status != http.StatusOK || again != id) ||
			status != http.StatusOK && status != http.StatusCreated {
			t.Errorf("%s created %q; after the kill it is %d %s", idempotencyKey, id, status, again)
		}
		if twice, same := p.create(key, idempotencyKey); twice != http.StatusOK || same != again {
			t.Errorf("%s: %d %s, then %d %s", idempotencyKey, status, again, twice, same)
		}
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var checkouts, keys, events int
	err = conn.QueryRow(t.Context(),
		`SELECT (SELECT count(*) FROM checkouts), (SELECT count(DISTINCT external_id) FROM checkouts),
		(SELECT count(*) FROM events WHERE type = 'checkout.created')`).Scan(&checkouts, &keys, &events)
	if err != nil || checkouts != len(told) || keys != len(told) || events != len(told) {
		t.Errorf("%d checkouts of %d keys with %d events, %v; want %d of each", checkouts, keys, events, err, len(told))
	}
	if out := p.run("check"); !strings.Contains(out, "books      ok") {
		t.Errorf("check says %s", out)
	}
}

// killAfter serves, lets four clients create checkouts all the time, and kills the program
// after a number of answers. It returns the answer for each key.
func (p *program) killAfter(answers int, key, prefix string) map[string]string {
	p.t.Helper()
	server := p.serve()
	told := map[string]string{}
	var mu sync.Mutex
	var clients sync.WaitGroup
	for client := range 4 {
		clients.Go(func() {
			for i := 0; ; i++ {
				idempotencyKey := fmt.Sprintf("%s-%d-%d", prefix, client, i)
				status, id := p.create(key, idempotencyKey)
				mu.Lock()
				told[idempotencyKey] = id
				if answers--; answers == 0 { // the other clients' requests are in progress
					_ = server.Process.Kill()
				}
				mu.Unlock()
				if status != http.StatusCreated {
					return
				}
			}
		})
	}
	clients.Wait()
	if err := <-server.ended; err == nil || server.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		p.t.Errorf("the program was not killed: %v\n%s", err, server.log)
	}
	return told
}

// An interrupt, and the signal of service managers, end the program cleanly and soon, even
// if a page holds a stream open.
func TestStop(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			p := newProgram(t)
			key := p.demo().Keys.Test
			server := p.serve()
			status, id := p.create(key, "k")
			if status != http.StatusCreated {
				t.Fatalf("created %d", status)
			}
			stream, err := http.Get(p.url + "/pay/" + id + "/events")
			if err != nil || stream.StatusCode != http.StatusOK {
				t.Fatalf("opening the stream: %v, %v", stream, err)
			}
			defer stream.Body.Close()
			p.stop(server, signal)
		})
	}
}

// Each request leaves a line of JSON with its id, and no line contains a key.
func TestServe_Log(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "GAROUPA_LOG_LEVEL=info")
	key := p.demo().Keys.Test
	server := p.serve()
	request, err := http.NewRequest(http.MethodGet, p.url+"/v1/checkouts?limit=none-7c1f", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Request-Id", "of-the-test")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	p.stop(server, syscall.SIGINT)
	found := false
	for line := range strings.Lines(server.log.String()) {
		var entry struct {
			Msg, Path, RequestID string
			Status               int
		}
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		found = found || entry.RequestID == "of-the-test" && entry.Msg == "request" && entry.Path == "/v1/checkouts" &&
			entry.Status == 400
	}
	if !found || strings.Contains(server.log.String(), key[9:]) || strings.Contains(server.log.String(), "none-7c1f") {
		t.Errorf("the log is %s", server.log)
	}
}

// Without any setting the program starts its own database and creates a demo merchant.
// Other commands work beside it and alone, and the next start continues.
func TestServe_Embedded(t *testing.T) {
	t.Parallel()
	p := newProgramOver(t, "DATABASE_URL=")
	var first string
	for _, want := range []int{http.StatusCreated, http.StatusOK} {
		server := p.serve("-demo-history=false")
		text, err := os.ReadFile(filepath.Join(p.data, demoFile))
		if err != nil {
			t.Fatal(err)
		}
		var merchant demoMerchant
		if err := json.Unmarshal(text, &merchant); err != nil {
			t.Fatal(err)
		}
		status, id := p.create(merchant.Keys.Test, "k")
		if first = cmp.Or(first, id); status != want || id != first {
			t.Errorf("created %d %s, want %d %s", status, id, want, first)
		}
		if out := p.run("check"); !strings.Contains(out, "books      ok") {
			t.Errorf("check says %s", out)
		}
		p.stop(server, syscall.SIGINT)
		if out := server.out.String(); !strings.Contains(out, merchant.Keys.Test) ||
			!strings.Contains(out, merchant.Owner.Password) {
			t.Errorf("it says\n%s", out)
		}
	}
	if out := p.run("check"); !strings.Contains(out, "books      ok") {
		t.Errorf("alone, check says %s", out)
	}
}

// With an external database, a demo merchant is created only on request, with its past, and once.
func TestServe_DemoMerchant(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "GAROUPA_DATA_DIR="+t.TempDir()+"/not/yet", "GAROUPA_SECRET_KEY="+strings.Repeat("ab", 32))
	without := p.serve()
	p.stop(without, syscall.SIGINT)
	if strings.Contains(without.out.String(), "svc_test_") {
		t.Errorf("without -demo it prints\n%s", without.out)
	}
	db, _ := p.open()
	var said [2]string
	var sold [2]int
	for i := range said {
		server := p.serve("-demo-merchant")
		p.stop(server, syscall.SIGINT)
		sold[i] = modelstest.One[int](t, db.DB, "SELECT count(*) FROM payments")
		if said[i] = server.out.String(); !strings.Contains(said[i], "svc_test_") {
			t.Errorf("asked it says\n%s", said[i])
		}
	}
	if said[0] != said[1] {
		t.Errorf("first it says\n%s\nthen\n%s", said[0], said[1])
	}
	if sold[0] < 400 || sold[0] != sold[1] {
		t.Errorf("it sold %d times", sold)
	}
	if out := p.run("check"); !strings.Contains(out, "books      ok") || !strings.Contains(out, "audit      ok") {
		t.Errorf("check says %s", out)
	}
}
