//go:build fuzz

package web_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/web"
	"garoupa/web/webtest"
)

const (
	fuzzSlow  = 2 * time.Second // an answer that takes longer is reported
	fuzzRound = 100             // requests until the visitor gets back what they took from themselves
)

// fuzz sends requests that are made at random to every route that the program has.
type fuzz struct {
	*building
	dice    *rand.Rand
	routes  []string            // methods and patterns
	keys    []string            // of the API, one for each right in test and live, and some that are none
	forms   map[string][]form   // by the path that they post to
	paths   map[string][]string // of links and forms of pages, by the pattern of their route
	known   map[string]bool     // the paths in paths, and those that are not kept
	bodies  map[string][]any    // by the method and the path of the API's description
	answers map[string]map[int]int
	moved   bool // the visitor may have gone to another environment or account
	wrong   int
}

// Every route answers what it gets from every visitor without an error of its own. GAROUPA_FUZZ requests are made
// from GAROUPA_FUZZ_SEED; make fuzz sets them.
func TestFuzz(t *testing.T) {
	total, seed := fuzzNumber(t, "GAROUPA_FUZZ", 100_000), fuzzNumber(t, "GAROUPA_FUZZ_SEED", int(time.Now().Unix()))
	t.Logf("%d requests, seed %d", total, seed)
	s := webtest.NewWithPasskeys(t, web.Limits{})
	f := &fuzz{building: newBuilding(t, s), dice: rand.New(rand.NewPCG(uint64(seed), 0)), forms: map[string][]form{},
		paths: map[string][]string{}, known: map[string]bool{}, answers: map[string]map[int]int{}}
	for _, r := range s.App.GetRoutes(true) {
		if r.Method != http.MethodHead {
			f.routes = append(f.routes, r.Method+" "+r.Path)
			f.answers[r.Method+" "+r.Path] = map[int]int{}
		}
	}
	for pattern, from := range map[string]string{"/v1/checkouts/:id": "/pay/:id",
		"/v1/payment-links/:id": "/app/links/:id", "/v1/withdrawals/:id": "/app/saques/:id",
		"/v1/test/checkouts/:id": "/pay/:id"} {
		f.things[pattern] = f.things[from]
	}
	f.makeKeys(t)
	f.bodies = f.describedBodies(t)
	broken := &brokenLog{}
	slog.SetDefault(slog.New(broken))
	for i, name := range visitors {
		f.visit(t, name, total*i/len(visitors), total*(i+1)/len(visitors))
	}
	f.report(t)
	for _, line := range broken.lines {
		t.Errorf("logged: %s", line)
	}
}

func fuzzNumber(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// makeKeys makes a key for each right.
func (f *fuzz) makeKeys(t *testing.T) {
	t.Helper()
	live := oneRight(t, f.Site)
	for _, right := range slices.Sorted(func(yield func(string) bool) {
		for right := range live {
			if !yield(right) {
				return
			}
		}
	}) {
		f.keys = append(f.keys, live[right])
	}
	for _, p := range models.Permissions {
		f.keys = append(f.keys, f.Key(t, f.Gateway.Test, p))
	}
	for range 4 {
		f.keys = append(f.keys, f.Key(t, f.Gateway.Test, models.Permissions...),
			f.Key(t, f.Gateway.Live, models.Permissions...))
	}
	f.keys = append(f.keys, "", "x", merchants.PrefixTest, "\x7f")
}

// visit sends requests as one of the visitors.
func (f *fuzz) visit(t *testing.T, name string, from, until int) {
	t.Helper()
	by := f.enter(t, name)
	cookies := by.Cookies()
	clear(f.forms) // each names the account and the environment that it was made for
	base, err := url.Parse(by.Base)
	if err != nil {
		t.Fatal(err)
	}
	modelstest.Exec(t, f.DB, "DROP TABLE IF EXISTS fuzz_sessions")
	modelstest.Exec(t, f.DB, "DROP TABLE IF EXISTS fuzz_users")
	modelstest.Exec(t, f.DB, "CREATE TABLE fuzz_sessions AS SELECT * FROM sessions")
	modelstest.Exec(t, f.DB, "CREATE TABLE fuzz_users AS SELECT id, staff_role, totp_secret, totp_since FROM users")
	for i := from; i < until; i++ {
		if i%fuzzRound == 0 || i == from || f.moved {
			f.moved = false
			f.restore(t, name)
			if by.HTTP.Jar, err = cookiejar.New(nil); err != nil {
				t.Fatal(err)
			}
			by.HTTP.Jar.SetCookies(base, cookies)
		}
		f.send(t, by, name, i)
	}
}

// restore gives the visitor back the session, the second factor and the role.
func (f *fuzz) restore(t *testing.T, name string) {
	t.Helper()
	modelstest.Exec(t, f.DB, `INSERT INTO sessions SELECT * FROM fuzz_sessions
		WHERE user_id IN (SELECT id FROM users)
		ON CONFLICT (token_hash) DO UPDATE SET livemode = excluded.livemode, project_id = excluded.project_id`)
	modelstest.Exec(t, f.DB, `UPDATE users u SET staff_role = f.staff_role, totp_secret = f.totp_secret,
		totp_since = f.totp_since FROM fuzz_users f WHERE f.id = u.id`)
	role := models.Role(name)
	if slices.Contains([]string{"stranger", string(models.StaffReviewer), string(models.StaffSupervisor)}, name) {
		role = models.RoleOwner
	}
	f.GiveRole(t, role)
}

// send sends one request and examines the answer.
func (f *fuzz) send(t *testing.T, by *webtest.Client, name string, i int) {
	t.Helper()
	route := f.routes[f.dice.IntN(len(f.routes))]
	request, said := f.request(t, by.Base, route)
	started := time.Now()
	response, err := by.HTTP.Do(request)
	if err != nil {
		t.Errorf("request %d by %s gets no answer: %s: %v", i, name, said, err)
		f.fail(t)
		return
	}
	defer response.Body.Close()
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		content, err := io.ReadAll(io.LimitReader(response.Body, 8<<20))
		if err != nil {
			t.Errorf("request %d by %s: %s: the answer ends early: %v", i, name, said, err)
			f.fail(t)
		}
		f.learn(request.URL.Path, response, content)
	}
	took := time.Since(started)
	f.answers[route][response.StatusCode]++
	f.moved = strings.HasSuffix(route, "/ambiente") || strings.HasSuffix(route, "/contas") ||
		strings.HasSuffix(route, "/sair")
	switch {
	case response.StatusCode >= 500:
		t.Errorf("request %d by %s gets %d: %s", i, name, response.StatusCode, said)
		f.fail(t)
	case took > fuzzSlow:
		t.Errorf("request %d by %s takes %v: %s", i, name, took, said)
		f.fail(t)
	}
}

// fail ends a run in which everything fails.
func (f *fuzz) fail(t *testing.T) {
	if f.wrong++; f.wrong == 50 {
		t.Fatal("too much fails")
	}
}

// report says how often each route gave each answer, and which routes did no more than turn visitors away.
func (f *fuzz) report(t *testing.T) {
	t.Helper()
	reached := 0
	slices.Sort(f.routes)
	for _, route := range f.routes {
		var parts []string
		inside := false
		for status := range 600 {
			if n := f.answers[route][status]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d:%d", status, n))
				inside = inside || !slices.Contains([]int{401, 403, 404, 405, 429}, status)
			}
		}
		mark := "  "
		if !inside {
			mark = "- "
		} else {
			reached++
		}
		t.Logf("%s%s  %s", mark, route, strings.Join(parts, " "))
	}
	t.Logf("%d of %d routes did more than turn visitors away", reached, len(f.routes))
}

// brokenLog keeps what the program logs as an error, such as a panic that it survived.
type brokenLog struct {
	mu    sync.Mutex
	lines []string
}

func (*brokenLog) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelError }

func (l *brokenLog) Handle(_ context.Context, r slog.Record) error {
	line := r.Message
	r.Attrs(func(a slog.Attr) bool {
		line += fmt.Sprintf(" %s=%.2000v", a.Key, a.Value)
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) < 20 {
		l.lines = append(l.lines, line)
	}
	return nil
}

func (l *brokenLog) WithAttrs([]slog.Attr) slog.Handler { return l }
func (l *brokenLog) WithGroup(string) slog.Handler      { return l }
