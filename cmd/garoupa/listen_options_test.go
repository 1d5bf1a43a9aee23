package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"garoupa/webhook"
)

// listen repeats an attempt that failed, shows that, and gives an event up after five attempts.
// The events behind it still come.
func TestListen_Repeats(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.demo().Keys.Test
	p.serve()
	var numbers []string // the answers follow each other
	broken := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, number := r.Header.Get("x-svc-event-id"), r.Header.Get("x-svc-attempt")
		if broken == "" {
			broken = id
		}
		if id == broken {
			numbers = append(numbers, number)
			w.WriteHeader(http.StatusInternalServerError)
		} else if number == "1" {
			panic(http.ErrAbortHandler)
		}
	}))
	t.Cleanup(server.Close)
	l := p.listen("--forward-to", server.URL, "--server", p.url, "--key", key)
	p.run("trigger", "checkout.paid", "--server", p.url, "--key", key)
	l.says(t, `checkout.created   evt_\w+  500  \d+ ms; attempt 2 in 500ms$`)
	l.says(t, `checkout.created   evt_\w+  500  \d+ ms; attempt 5 in 4s$`)
	l.says(t, `checkout.created   evt_\w+  500  \d+ ms; given up after 5 attempts$`)
	l.says(t, `checkout.paid      evt_\w+  connection closed without an answer  \d+ ms; attempt 2 in 500ms$`)
	l.says(t, `checkout.paid      evt_\w+  200  \d+ ms$`)
	if err := l.finish(syscall.SIGINT); err != nil {
		t.Errorf("Ctrl-C: %v", err)
	}
	if server.Close(); !slices.Equal(numbers, []string{"1", "2", "3", "4", "5"}) {
		t.Errorf("attempts %v", numbers)
	}
}

// The secret stays the same from run to run, in a file that only its user may read; types and
// headers are as the flags say, and lines are JSON if asked.
func TestListen_Options(t *testing.T) {
	t.Parallel()
	in := newInbox(t)
	p := newProgram(t)
	key := p.demo().Keys.Test
	p.serve()
	first := p.listen("--forward-to", in.url+"/first", "--server", p.url, "--key", key)
	if err := first.finish(syscall.SIGINT); err != nil {
		t.Errorf("Ctrl-C: %v", err)
	}
	file := filepath.Join(p.data, "config", "garoupa", "listen-secret")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v", file, info, err)
	}
	second := p.listen("--forward-to", in.url+"/second", "--server", p.url, "--key", key,
		"--events", "checkout.paid, checkout.expired", "--events", "checkout.cancelled",
		"--header", "authorization: Basic YTpi", "--header", "X-Two:1", "--header", "X-Two: 2",
		"--header", "x-svc-event-id: forged")
	if second.secret != first.secret {
		t.Errorf("the secret was %s, is %s", first.secret, second.secret)
	}
	p.run("trigger", "checkout.paid", "--server", p.url, "--key", key)
	second.says(t, "checkout.paid")
	if got := in.wait("/second", 1); len(got) != 1 {
		t.Errorf("%d events, want checkout.paid alone", len(got))
	}
	for id, attempts := range in.wait("/second", 1) {
		h := attempts[0].header
		if h.Get("Authorization") != "Basic YTpi" || !slices.Equal(h.Values("X-Two"), []string{"1", "2"}) ||
			!strings.HasPrefix(id, "evt_") || !webhook.Verify(first.secret, h.Get("x-svc-signature"),
			[]byte(attempts[0].body)) {
			t.Errorf("%s has the headers %v", id, h)
		}
	}
	if err := second.finish(syscall.SIGINT); err != nil {
		t.Errorf("Ctrl-C: %v", err)
	}
	p.listensInJSON(in, key, first.secret)

	if err := os.WriteFile(file, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := p.listen("--forward-to", in.url+"/other", "--server", p.url, "--key", key)
	if !strings.HasPrefix(other.secret, "whsec_") || other.secret == first.secret {
		t.Errorf("beside a file without a secret, the secret is %s", other.secret)
	}
	for _, misspelled := range [][]string{{"--events", "checkout.lost"}, {"--header", "nothing"},
		{"--header", "a b: c"}, {"--header", "Host: x"}} {
		args := append([]string{"listen", "--forward-to", in.url, "--key", key}, misspelled...)
		if r := p.try(args...); r.status != 2 || !strings.Contains(r.wrong, "invalid value") {
			t.Errorf("%v: %+v", misspelled, r)
		}
	}
}

// listensInJSON checks that each line of listen --json is an object.
func (p *program) listensInJSON(in *inbox, key, secret string) {
	p.t.Helper()
	l := p.start("listen", "--json", "--forward-to", in.url+"/json", "--server", p.url, "--key", key)
	var kinds []string
	for len(kinds) == 0 || kinds[len(kinds)-1] != "checkout.created" {
		if !l.lines.Scan() {
			p.t.Fatalf("listen --json ended after %v", kinds)
		}
		var line struct {
			Secret, Note, Type string
			OK                 bool
			Status, Attempt    int
		}
		if err := json.Unmarshal(l.lines.Bytes(), &line); err != nil {
			p.t.Fatalf("%q: %v", l.lines.Text(), err)
		}
		if line.Secret != "" && line.Secret != secret ||
			line.Type != "" && (!line.OK || line.Status != http.StatusAccepted || line.Attempt != 1) {
			p.t.Errorf("%s", l.lines.Text())
		}
		if line.Note == "connected" {
			p.run("trigger", "checkout.created", "--server", p.url, "--key", key)
		}
		kinds = append(kinds, line.Type)
	}
	if err := l.finish(syscall.SIGINT); err != nil {
		p.t.Errorf("Ctrl-C: %v", err)
	}
}
