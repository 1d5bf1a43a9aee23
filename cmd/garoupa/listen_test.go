package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/merchants"
	"garoupa/models/modelstest"
	"garoupa/webhook"
)

// inbox is a merchant's server that records deliveries, by path and by event.
type inbox struct {
	t   *testing.T
	url string

	mu     sync.Mutex
	got    map[string]map[string][]delivery
	change chan struct{} // closed at the next delivery
}

type delivery struct {
	header http.Header
	body   string
}

func newInbox(t *testing.T) *inbox {
	t.Helper()
	in := &inbox{t: t, got: map[string]map[string][]delivery{}, change: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		in.mu.Lock()
		defer in.mu.Unlock()
		if in.got[r.URL.Path] == nil {
			in.got[r.URL.Path] = map[string][]delivery{}
		}
		id := r.Header.Get("x-svc-event-id")
		in.got[r.URL.Path][id] = append(in.got[r.URL.Path][id], delivery{r.Header, string(body)})
		close(in.change)
		in.change = make(chan struct{})
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(server.Close)
	in.url = server.URL
	return in
}

// wait returns the deliveries of a path when there are n events.
func (in *inbox) wait(path string, n int) map[string][]delivery {
	in.t.Helper()
	timeout := time.After(patience)
	for {
		in.mu.Lock()
		got, change := maps.Clone(in.got[path]), in.change
		in.mu.Unlock()
		if len(got) >= n {
			return got
		}
		select {
		case <-change:
		case <-timeout:
			in.t.Fatalf("%s got %d events, want %d", path, len(got), n)
		}
	}
}

// listening is a running garoupa listen.
type listening struct {
	*exec.Cmd
	lines  *bufio.Scanner
	secret string
}

// listen starts garoupa listen and returns when it is connected.
func (p *program) listen(args ...string) *listening {
	p.t.Helper()
	l := p.start(append([]string{"listen"}, args...)...)
	l.secret = l.says(p.t, `Signing secret: (\S+)`)
	l.says(p.t, `  connected$`)
	return l
}

// start starts a command whose output is read line by line.
func (p *program) start(args ...string) *listening {
	p.t.Helper()
	command := p.command(args...)
	out, err := command.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		p.t.Fatal(err)
	}
	l := &listening{Cmd: command, lines: bufio.NewScanner(out)}
	p.t.Cleanup(func() { _ = command.Process.Kill() })
	return l
}

// says reads lines until one matches, and returns the match of its group.
func (l *listening) says(t *testing.T, pattern string) string {
	t.Helper()
	stop := time.AfterFunc(patience, func() { _ = l.Process.Kill() })
	defer stop.Stop()
	expression := regexp.MustCompile(pattern)
	var before []string
	for l.lines.Scan() {
		if m := expression.FindStringSubmatch(l.lines.Text()); m != nil {
			return m[len(m)-1]
		}
		before = append(before, l.lines.Text())
	}
	t.Fatalf("listen never printed %s, but %q", pattern, before)
	return ""
}

// finish waits for the end of the command while reading its output, and returns the result.
func (l *listening) finish(signal os.Signal) error {
	if err := l.Process.Signal(signal); err != nil {
		return err
	}
	for l.lines.Scan() {
	}
	return l.Wait()
}

// forwardedAs checks that a, forwarded under a secret, is the same as b, delivered under
// another: the same bytes and headers.
func forwardedAs(t *testing.T, id string, a delivery, secret string, b delivery, deliveredSecret string) {
	t.Helper()
	if a.body != b.body || !webhook.Verify(secret, a.header.Get("x-svc-signature"), []byte(a.body)) ||
		webhook.Verify(deliveredSecret, a.header.Get("x-svc-signature"), []byte(a.body)) {
		t.Errorf("%s was forwarded as %s with %v", id, a.body, a.header)
	}
	seconds, _ := strconv.ParseInt(a.header.Get("webhook-timestamp"), 10, 64)
	if want, _ := webhook.SignStandard(secret, id, time.Unix(seconds, 0), []byte(a.body)); want == "" ||
		a.header.Get("webhook-signature") != want {
		t.Errorf("%s was forwarded with %v, want the signature %s", id, a.header, want)
	}
	for _, varies := range []string{"X-Svc-Signature", "X-Svc-Timestamp", "Webhook-Signature", "Webhook-Timestamp"} {
		if a.header.Get(varies) == "" || len(a.header.Get(varies)) != len(b.header.Get(varies)) {
			t.Errorf("%s: %q, in a delivery %q", varies, a.header.Get(varies), b.header.Get(varies))
		}
		delete(a.header, varies)
		delete(b.header, varies)
	}
	if diff := cmp.Diff(b.header, a.header); diff != "" {
		t.Errorf("headers (-delivered +forwarded)\n%s", diff)
	}
}

// Forwarded events are the same as deliveries: the same bytes and headers, signed with the
// secret that was printed.
func TestListen(t *testing.T) {
	t.Parallel()
	in := newInbox(t)
	p := newProgram(t)
	made := p.demo("--webhook-url", in.url+"/real")
	p.serve()
	l := p.listen("--forward-to", in.url+"/forwarded", "--server", p.url, "--key", made.Keys.TestReadOnly)
	if !regexp.MustCompile(`^whsec_[0-9A-Za-z]{32}$`).MatchString(l.secret) {
		t.Errorf("the secret is %q", l.secret)
	}
	p.run("trigger", "checkout.paid", "--server", p.url, "--key", made.Keys.Test)
	for id, attempts := range in.wait("/forwarded", 2) {
		forwardedAs(t, id, attempts[0], l.secret, in.wait("/real", 2)[id][0], *made.WebhookSecret)
	}
	for _, event := range []string{"checkout.created", "checkout.paid   "} {
		l.says(t, `^\d\d:\d\d:\d\d  `+event+`   evt_[0-9a-f]{24}  202  \d+ ms$`)
	}
	if err := l.finish(syscall.SIGINT); err != nil {
		t.Errorf("Ctrl-C: %v", err)
	}

	p.run("trigger", "checkout.paid", "--server", p.url, "--key", made.Keys.Test) // while no command listens
	again := p.listen("--forward-to", in.url+"/forwarded", "--server", p.url, "--key", made.Keys.TestReadOnly)
	for id, attempts := range in.wait("/forwarded", 4) {
		if len(attempts) != 1 {
			t.Errorf("%s came %d times", id, len(attempts))
		}
	}
	again.says(t, `checkout.paid   `)
	if err := again.Process.Kill(); err != nil { // without a signal that it could handle
		t.Fatal(err)
	}
	_ = again.Wait()
	p.run("trigger", "checkout.created", "--server", p.url, "--key", made.Keys.Test)
	again = p.listen("--forward-to", in.url+"/forwarded", "--new", "--server", p.url, "--key", made.Keys.TestReadOnly)
	p.run("trigger", "checkout.paid", "--server", p.url, "--key", made.Keys.Test)
	again.says(t, `checkout.paid   `)
	if got := in.wait("/forwarded", 1); len(got) != 6 {
		t.Errorf("without what was missed, %d events", len(got))
	}
	if err := again.finish(syscall.SIGINT); err != nil {
		t.Errorf("Ctrl-C: %v", err)
	}

	p.keepsNoKey(made.Keys.TestReadOnly)
	same := p.listen("--forward-to", in.url+"/same", "--server", p.url, "--key", made.Keys.Test, "--secret", l.secret)
	if same.secret != l.secret {
		t.Errorf("the secret given is %q, used is %q", l.secret, same.secret)
	}
	p.run("trigger", "checkout.created", "--server", p.url, "--key", made.Keys.Test)
	if got := in.wait("/same", 1); len(got) != 1 {
		t.Errorf("a later stream has %d events", len(got))
	}
	if err := same.finish(syscall.SIGTERM); err != nil {
		t.Errorf("SIGTERM: %v", err)
	}

	p.refusesToListen(in.url, made)
}

// keepsNoKey searches the files of listen for a key.
func (p *program) keepsNoKey(key string) {
	p.t.Helper()
	kept, err := filepath.Glob(filepath.Join(p.data, "cache", "garoupa", "*"))
	if err != nil || len(kept) == 0 {
		p.t.Errorf("listen stored %v, %v", kept, err)
	}
	for _, file := range kept {
		if text, err := os.ReadFile(file); err != nil ||
			strings.Contains(file+string(text), key[len(merchants.PrefixTest):]) {
			p.t.Errorf("%s holds the key, %v", file, err)
		}
	}
}

// refusesToListen checks that listen refuses wrong arguments.
func (p *program) refusesToListen(url string, made demoMerchant) {
	p.t.Helper()
	wrong(p.t, p, "must be a test key", "listen", "--forward-to", url, "--server", p.url, "--key", made.Keys.Live)
	wrong(p.t, p, "--forward-to: webhook: URL refused: scheme", "listen", "--forward-to", "localhost:3000", "--server",
		p.url, "--key", made.Keys.Test)
	if r := p.try("listen", "--forward-to", url, "--server", p.url, "--key",
		"svc_test_"+strings.Repeat("0", 32)); r.status != 1 || !strings.Contains(r.wrong, "401 unauthorized") {
		p.t.Errorf("an unknown key: %+v", r)
	}
	if r := p.try("listen", "--key", made.Keys.Test); r.status != 2 || !strings.Contains(r.wrong, "--forward-to") {
		p.t.Errorf("without --forward-to: %+v", r)
	}
}

// Cut connections, and a gateway that is killed or missing, neither lose nor repeat an
// event, while events come from another instance.
func TestListen_Reconnects(t *testing.T) {
	t.Parallel()
	in := newInbox(t)
	database, secret := "DATABASE_URL="+modelstest.NewURL(t), "GAROUPA_SECRET_KEY="+strings.Repeat("ab", 32)
	p, other := newProgramOver(t, database, secret), newProgramOver(t, database, secret)
	key := p.demo().Keys.Test
	server := p.serve()
	other.serve()
	w := newWire(t, p.url)
	l := p.listen("--forward-to", in.url+"/hook", "--server", w.address, "--key", key)
	w.cut() // before the first event
	go func() {
		for l.lines.Scan() { // otherwise the command waits for its reader
		}
	}()

	const clients, each = 4, 15
	var creating sync.WaitGroup
	for client := range clients {
		creating.Go(func() {
			for i := range each {
				from := []*program{p, other}[i%2]
				if i >= each/3 {
					from = other // the first one is about to end
				}
				if status, _ := from.create(key, fmt.Sprintf("%d-%d", client, i)); status != http.StatusCreated {
					t.Errorf("created: %d", status)
				}
				if i%4 == client {
					w.cut()
				}
				if i == each/2 {
					in.wait("/hook", 1)
				}
			}
		})
	}
	creating.Wait()
	_ = server.Process.Kill()
	<-server.ended
	for i := range 5 { // while no gateway answers
		other.create(key, fmt.Sprintf("down-%d", i))
	}
	p.serve()
	const all = clients*each + 5
	got := in.wait("/hook", all)
	if len(got) != all {
		t.Errorf("%d events, want %d", len(got), all)
	}
	for id, attempts := range got {
		if len(attempts) != 1 || !webhook.Verify(l.secret, attempts[0].header.Get("x-svc-signature"),
			[]byte(attempts[0].body)) {
			t.Errorf("%s came %d times", id, len(attempts))
		}
	}
	bodies := map[string]bool{}
	for _, attempts := range got {
		bodies[attempts[0].body] = true
	}
	if len(bodies) != all {
		t.Errorf("%d different bodies", len(bodies))
	}
	_ = l.Process.Signal(syscall.SIGINT)
	if err := l.Wait(); err != nil {
		t.Errorf("Ctrl-C: %v", err)
	}
}

// The reader accepts what the format allows, hands each event over once, and remembers its
// position.
func TestEventSource_Read(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		stream string
		want   []string
		last   string
	}{
		"nothing":         {"", nil, ""},
		"where it stands": {"retry: 1\nid: start\n: hello\n\n", []string{"start  "}, "start"},
		"events": {"id: a\nevent: x\ndata: {\"k\":\": 1\"}\n\n: still here\n\nid:b\nevent:y\ndata:{}\n\n",
			[]string{`a x {"k":": 1"}`, "b y {}"}, "b"},
		"a repetition": {"id: a\nevent: x\ndata: {}\n\nid: b\nevent: x\ndata: {}\n\nid: a\nevent: x\ndata: {}\n\n",
			[]string{"a x {}", "b x {}"}, "a"},
		"cut in an event":    {"id: a\nevent: x\ndata: {}\n\nid: b\nevent: x\ndata: {\"am", []string{"a x {}"}, "a"},
		"cut before its end": {"id: a\nevent: x\ndata: {}\n", nil, ""},
		"lines of Windows":   {"id: a\r\nevent: x\r\ndata: {}\r\n\r\n", []string{"a x {}"}, "a"},
		"an unknown field":   {"id: a\nevent: x\nfoo: bar\ndata: {}\n\n", []string{"a x {}"}, "a"},
	} {
		s := &eventSource{seen: map[string]bool{}}
		var got []string
		if err := s.read(strings.NewReader(tc.stream),
			func(e testEvent) { got = append(got, e.id+" "+e.kind+" "+string(e.body)) }); err == nil {
			t.Errorf("%s: a stream that ended is no error", name)
		}
		if !slices.Equal(got, tc.want) || s.last != tc.last {
			t.Errorf("%s: %q, then %q; want %q, then %q", name, got, s.last, tc.want, tc.last)
		}
	}
}
