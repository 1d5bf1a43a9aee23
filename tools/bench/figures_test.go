package main

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestHistogram(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var all []time.Duration
	parts := [2]histogram{}
	for i := range 20_000 {
		d := time.Duration(1<<random.UintN(24)+random.Uint64N(1000)) * time.Microsecond
		all = append(all, d)
		parts[i%2].add(d)
	}
	slices.Sort(all)
	parts[0].merge(&parts[1])
	for _, q := range []float64{0.01, 0.5, 0.99, 1} {
		want := all[max(int(q*float64(len(all)))-1, 0)]
		got := parts[0].quantile(q)
		if off := (got - want).Abs(); off > want/64+time.Microsecond {
			t.Errorf("quantile %g is %v, want about %v", q, got, want)
		}
	}
	if got := (&histogram{}).quantile(0.5); got != 0 {
		t.Errorf("the median of nothing is %v", got)
	}
	var extremes histogram
	extremes.add(-1)
	extremes.add(1<<63 - 1)
	if extremes.total != 2 {
		t.Error("extremes are not counted")
	}
}

func TestReadLatencies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"log.12": "0 1 250 0 1795000000 1\n1 1 350 0 1795000000 2\n",
		"log.12.1": "2 1 450 0 1795000000 3\n", "other": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h, err := readLatencies(filepath.Join(dir, "log.*"))
	if err != nil {
		t.Fatal(err)
	}
	if got := h.quantile(0.67); h.total != 3 || got < 340*time.Microsecond || got > 360*time.Microsecond {
		t.Errorf("%d latencies, two thirds up to %v", h.total, got)
	}
	if _, err := readLatencies(filepath.Join(dir, "other")); err != nil {
		t.Errorf("a line of one word: %v", err)
	}
}

func TestParseProcess(t *testing.T) {
	t.Parallel()
	got, err := parseProcess([]byte("42 (postgres: a) (b) S 7 42 42 0 -1 4194560 1 2 3 4 150 50 30 20 20 0 1 0 99 0"))
	want := process{parent: 7, own: 2 * time.Second, reaped: 500 * time.Millisecond}
	if err != nil || got != want {
		t.Errorf("parseProcess = %+v, %v, want %+v", got, err, want)
	}
	for _, bad := range []string{"", "42 (x) S 7", "42 (x) S seven 42 42 0 -1 4194560 1 2 3 4 150 50 30 20 20 0"} {
		if got, err := parseProcess([]byte(bad)); err == nil {
			t.Errorf("parseProcess(%q) = %+v", bad, got)
		}
	}
}

func TestParseBusy(t *testing.T) {
	t.Parallel()
	got, err := parseBusy([]byte("cpu  100 20 30 9999 888 4 5 6 70 8\ncpu0 1 1 1 1 1 1 1 1 1 1\n"))
	if want := 1650 * time.Millisecond; err != nil || got != want {
		t.Errorf("parseBusy = %v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{"", "cpu 1 2 3", "intr 1 2 3 4 5 6 7 8 9", "cpu x 2 3 4 5 6 7 8 9"} {
		if got, err := parseBusy([]byte(bad)); err == nil {
			t.Errorf("parseBusy(%q) = %v", bad, got)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for want, numbers := range map[string][]int{"8": {8}, "1 and 8": {1, 8}, "1, 8 and 32": {1, 8, 32}} {
		if got := words(numbers); got != want {
			t.Errorf("words(%v) = %s, want %s", numbers, got, want)
		}
	}
}

// Answers may come in pieces, be larger than the buffer, or refuse.
func TestConnection(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 300<<10)
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", map[string]string{"/large": "307200", "/small": "2",
			"/refused": "2"}[r.URL.Path])
		switch r.URL.Path {
		case "/large":
			w.Write([]byte(large[:1000]))
			w.(http.Flusher).Flush()
			w.Write([]byte(large[1000:]))
		case "/small":
			w.WriteHeader(http.StatusCreated)
			w.Write([]byte("ok"))
		case "/refused":
			w.WriteHeader(http.StatusForbidden)
			w.Write([]byte("no"))
		}
	}))
	t.Cleanup(served.Close)
	s := &site{listen: served.Listener.Addr().String()}
	conn, err := dial(s.listen)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for path, want := range map[string]string{"/large": large, "/small": "ok"} {
		for range 2 {
			if got, err := conn.ask(s.get("key", path)); err != nil || string(got) != want {
				t.Errorf("%s: %d bytes, %v, want %d", path, len(got), err, len(want))
			}
		}
	}
	if _, err := conn.ask(s.get("key", "/refused")); err == nil || !strings.Contains(err.Error(), "403: no") {
		t.Errorf("a refusal: %v", err)
	}
}

func TestLengthOf(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]int{
		"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n":        12,
		"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n":         -1,
		"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n":        -1,
		"HTTP/1.1 200 OK\r\nX: 1\r\n\r\n":                      -1,
		"SSH-2.0 200 OK\r\nContent-Length: 12\r\n\r\n":         -1,
		"HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 0\r\n\r\n": 0,
	} {
		if got, err := lengthOf([]byte(header)); (err == nil) != (want >= 0) || err == nil && got != want {
			t.Errorf("lengthOf(%q) = %d, %v, want %d", header, got, err, want)
		}
	}
}

func TestTables(t *testing.T) {
	t.Parallel()
	second := func(rate float64, p50 time.Duration) result {
		return result{rate: rate, p50: p50, p99: 10 * p50,
			cpu: usage{server: 5 * time.Second, database: 3 * time.Second, generator: time.Second,
				others: 4 * time.Second}}
	}
	r := report{options: options{rounds: 3, seconds: 10, rows: 1000, connections: []int{1, 8, 32}}, cells: []cell{{
		series: "create live", connections: 8, rounds: []round{
			{second(4000, 2*time.Millisecond), second(1000, 8*time.Millisecond), result{rate: 5000}},
			{second(1000, 2*time.Millisecond), second(900, 4*time.Millisecond), result{rate: 1000}},
			{second(2000, 3*time.Millisecond), second(1000, 5*time.Millisecond), result{rate: 2500}},
		}}}, profiles: []profile{{"create live", "the list\n"}},
		delivery: &delivery{paced: 1000, p50: 5 * time.Millisecond, p99: 20 * time.Millisecond,
			rounds: []deliveryRound{{bare: 1000, product: 600, deliveries: 10_000,
				cpu: usage{server: time.Second, database: 2 * time.Second}, commits: 0.03, wal: 1900}}}}
	text := r.markdown()
	for _, want := range []string{
		"| create live | 8 | 2000 | 2.00 | 20.00 | 1000 | 5.00 | 50.00 | **0.50** | 0.25 0.90 0.50 |",
		"| create live | 8 | 2500 | 1000 | **0.40** | 0.20 0.90 0.40 |",
		"| create live | 8 | 3.0 | 1.0 | 4.0 | 5.0 | 3.0 | 1.0 | 4.0 | 500 |",
		"| round 1, 10000 deliveries | 1000 | 600 | **0.60** | 100 | 200 | 0.030 | 1900 |",
		"p50 5.00 ms, p99 20.00 ms",
		"At 1, 8 and 32 connections: 3 rounds of pgbench for 10 s",
		"### Create live\n\n```\nthe list\n```",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the document does not contain %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "%!") {
		t.Error("the document has a verb without its value")
	}
}

func TestShortened(t *testing.T) {
	t.Parallel()
	got := shortened("File: garoupa\nShowing top 2\n      flat  flat%   sum%        cum   cum%\n  1s  1% 1% 1s 1%  " +
		"pgx.AppendRows[go.shape.struct { ID string },go.shape.[]go.shape.struct { ID string }]\n")
	want := "      flat  flat%   sum%        cum   cum%\n  1s  1% 1% 1s 1%  pgx.AppendRows[…]\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("shortened (-want +got):\n%s", diff)
	}
}

func TestParseOptions(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "garoupa")
	if err := os.WriteFile(program, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	o, err := parseOptions([]string{"-garoupa", program, "-connections", "1,64", "-only", "create"})
	if err != nil || o.rounds != 3 || o.seconds != 10 || o.rows != 1_000_000 ||
		!slices.Equal(o.connections, []int{1, 64}) {
		t.Errorf("parseOptions = %+v, %v", o, err)
	}
	for _, bad := range [][]string{
		{"-garoupa", program + "x"}, {"-garoupa", program, "word"}, {"-garoupa", program, "-connections", "0"},
		{"-garoupa", program, "-connections", "1,,8"}, {"-garoupa", program, "-rounds", "0"},
		{"-garoupa", program, "-rows", "999"},
		{"-garoupa", program, "-seconds", "0"}, {"-garoupa", program, "-only", "("},
	} {
		if o, err := parseOptions(bad); err == nil {
			t.Errorf("parseOptions(%v) = %+v", bad[2:], o)
		}
	}
}

func TestFindPgbench(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "pgbench")
	writeProgram(t, program, "#!/bin/sh\necho 'pgbench (PostgreSQL) 99.1'\n")
	got, err := findPgbench(t.Context(), dir)
	if want := (pgbench{program, "pgbench (PostgreSQL) 99.1"}); err != nil || got != want {
		t.Errorf("findPgbench = %+v, %v, want %+v", got, err, want)
	}
}

// No test may listen at the address: another program can have taken it by then.
func TestFreeAddress(t *testing.T) {
	t.Parallel()
	text, err := freeAddress()
	if err != nil {
		t.Fatal(err)
	}
	address, err := netip.ParseAddrPort(text)
	if err != nil || !address.Addr().IsLoopback() || address.Port() == 0 {
		t.Errorf("freeAddress = %s, %v", text, err)
	}
}
