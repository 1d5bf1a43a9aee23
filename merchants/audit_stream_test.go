package merchants_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/internal/auditlog"
	"garoupa/merchants"
	"garoupa/models"
	"garoupa/models/modelstest"
	"garoupa/payments/paymentstest"
)

// receiver is a monitor on an https address.
type receiver struct {
	*auditlog.Endpoint
	mu      sync.Mutex
	status  int
	body    bytes.Buffer
	posts   []*http.Request
	held    chan struct{} // if not nil, is closed when the first request has arrived
	proceed chan struct{} // for which that request then waits
	first   sync.Once
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{status: http.StatusNoContent}
	server := httptest.NewTLSServer(r)
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	r.Endpoint = auditlog.NewEndpoint(server.URL+"/audit?secret=hunter2", "Bearer hunter2", roots)
	return r
}

// ServeHTTP keeps what it gets, also where it answers that it failed.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	text, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	if r.held != nil {
		r.first.Do(func() {
			close(r.held)
			<-r.proceed
		})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.body.Write(text)
	r.posts = append(r.posts, request)
	w.Header().Set("Location", "/elsewhere")
	w.WriteHeader(r.status)
}

func (r *receiver) answer(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

// ids returns the ids of the lines that the receiver has, in their order.
func (r *receiver) ids(t *testing.T) []int64 {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	return lineIDs(t, r.body.String())
}

func lineIDs(t *testing.T, text string) (ids []int64) {
	t.Helper()
	for line := range strings.Lines(text) {
		var l auditlog.Line
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		id, err := strconv.ParseInt(l.ID, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	return ids
}

// forged returns what Verifier finds in texts.
func forged(t *testing.T, texts ...string) []string {
	t.Helper()
	var v auditlog.Verifier
	for _, text := range texts {
		if err := v.Read(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	return v.Flaws()
}

// stream runs one round of streaming, long enough after the last one for a new seal.
func stream(t *testing.T, g *paymentstest.Gateway, to auditlog.Receiver) {
	t.Helper()
	g.Clock.Advance(2 * time.Minute)
	if err := g.Merchants.StreamAudit(t.Context(), to); err != nil {
		t.Fatal(err)
	}
}

func allLines(t *testing.T, g *paymentstest.Gateway) []int64 {
	t.Helper()
	return modelstest.Column[int64](t, g.DB, "SELECT id FROM audit_log ORDER BY id")
}

// All lines arrive once and in order, also after a restart, and their seals agree.
func TestStreamAudit(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	r := newReceiver(t)
	write(t, g, "a", "b", "\u2028 \"\\ <&> \x7f ção 🐟")
	stream(t, g, r)
	if diff := cmp.Diff(allLines(t, g), r.ids(t)); diff != "" {
		t.Fatalf("(-lines +received)\n%s", diff)
	}
	for round := range 3 {
		modelstest.Exec(t, g.DB, `INSERT INTO audit_log (at, actor, action, object_id, detail, after)
			SELECT now(), 'system', 'account.renamed', 'x' || n, '{"b": 1.50, "a": [true, null], "aa": {"": "x"}}',
				jsonb_build_object('x', chr(1 + n % 31), 'long', repeat('y', 400)) FROM generate_series(1, 1200) n`)
		for range 2 {
			stream(t, g, r) // the second has nothing to send
		}
		g.Merchants = merchants.New(g.Merchants.Options)
		if diff := cmp.Diff(allLines(t, g), r.ids(t)); diff != "" {
			t.Fatalf("round %d (-lines +received)\n%s", round, diff)
		}
	}
	if found := forged(t, r.body.String()); len(found) != 0 {
		t.Errorf("flaws of true lines: %q", found)
	}
	post := r.posts[0]
	if len(r.posts) < 8 || post.Method != "POST" || post.Header.Get("Authorization") != "Bearer hunter2" ||
		post.Header.Get("Content-Type") != "application/x-ndjson" {
		t.Errorf("%d requests, the first %s %v", len(r.posts), post.Method, post.Header)
	}
}

// A line with a smaller id that is committed later than others is not skipped, and comes in its place.
func TestStreamAudit_CommittedLate(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	r := newReceiver(t)
	stream(t, g, r)
	before := len(r.ids(t))
	written, commit := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- g.DB.InTx(t.Context(), func(tx *models.Tx) error {
			_, err := act(tx, "late")
			close(written)
			<-commit
			return err
		})
	}()
	<-written
	early := write(t, g, "early")
	g.Merchants.SealsWait(0)
	stream(t, g, r)
	if got := r.ids(t)[before:]; len(got) != 0 {
		t.Errorf("while a smaller id may appear, %v were sent", got)
	}
	close(commit)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	stream(t, g, r)
	got := r.ids(t)
	if diff := cmp.Diff(allLines(t, g), got); diff != "" || got[len(got)-1] != early[0] {
		t.Errorf("(-lines +received)\n%s", diff)
	}
}

// Nothing is lost while the receiver fails, refuses or redirects. It comes again once it answers, and the lag is
// known meanwhile.
func TestStreamAudit_Down(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	r := newReceiver(t)
	stream(t, g, r)
	write(t, g, "a", "b")
	for _, status := range []int{500, 302, 401, 304} {
		r.answer(status)
		stream(t, g, r)
		s, waiting, err := models.AuditStreamLag(t.Context(), g.DB.Pool)
		if err != nil || s.FailingSince == nil || waiting.Count != 2 || waiting.Oldest == nil {
			t.Fatalf("%d: %+v, %+v, %v", status, s, waiting, err)
		}
		if want := fmt.Sprintf("answered %d", status); s.Failure != want {
			t.Errorf("%d: the failure is %q", status, s.Failure)
		}
	}
	for _, post := range r.posts {
		if post.Method != "POST" || post.URL.Path != "/audit" {
			t.Errorf("a redirect led to %s %s", post.Method, post.URL.Path)
		}
	}
	posts := len(r.posts)
	if err := g.Merchants.StreamAudit(t.Context(), r); err != nil || len(r.posts) != posts {
		t.Errorf("without a pause: %d requests, %v", len(r.posts)-posts, err)
	}
	r.answer(200)
	r.body.Reset()
	stream(t, g, r)
	all := allLines(t, g)
	if diff := cmp.Diff(all[len(all)-2:], r.ids(t)); diff != "" {
		t.Errorf("afterwards (-lines +received)\n%s", diff)
	}
	s, waiting, err := models.AuditStreamLag(t.Context(), g.DB.Pool)
	if err != nil || s.FailingSince != nil || s.Failure != "" || waiting.Count != 0 {
		t.Errorf("afterwards: %+v, %+v, %v", s, waiting, err)
	}
}

// A receiver that cannot be reached is named without its address.
func TestStreamAudit_Unreachable(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	stream(t, g, auditlog.NewEndpoint("https://127.0.0.1:1/audit?secret=hunter2", "Bearer hunter2", nil))
	s, _, err := models.AuditStreamLag(t.Context(), g.DB.Pool)
	if err != nil || s.Failure == "" || strings.Contains(s.Failure, "hunter2") {
		t.Errorf("%+v, %v", s, err)
	}
}

// Of two processes one streams. If that one loses its lease, the other sends again what may be missing, and the first
// cannot move the cursor any more.
func TestStreamAudit_Together(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	r := newReceiver(t)
	write(t, g, "a")
	r.held, r.proceed = make(chan struct{}), make(chan struct{})
	g.Clock.Advance(2 * time.Minute)
	done := make(chan error, 1)
	go func() { done <- g.Merchants.StreamAudit(t.Context(), r) }()
	<-r.held
	second := newReceiver(t)
	if err := g.Merchants.StreamAudit(t.Context(), second); err != nil || len(second.posts) != 0 {
		t.Errorf("the second process sent %d requests, %v", len(second.posts), err)
	}
	// The first process hangs for longer than its lease, and another line gets the next seal.
	g.Clock.Advance(2 * time.Minute)
	write(t, g, "b")
	other := newReceiver(t)
	if err := g.Merchants.StreamAudit(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	close(r.proceed)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	all := allLines(t, g)
	if diff := cmp.Diff(all, other.ids(t)); diff != "" {
		t.Errorf("the second process (-lines +received)\n%s", diff)
	}
	if got := r.ids(t); !slices.Equal(got, all[:len(all)-1]) {
		t.Errorf("the first process sent %v", got)
	}
	s, waiting, err := models.AuditStreamLag(t.Context(), g.DB.Pool)
	if err != nil || s.Seal != 2 || waiting.Count != 0 {
		t.Errorf("the first process moved the cursor: %+v, %+v, %v", s, waiting, err)
	}
	if found := forged(t, r.body.String(), other.body.String()); len(found) != 0 {
		t.Errorf("lines that came twice: %q", found)
	}
}

// stopping is a receiver during whose work the process stops.
type stopping struct{ stop context.CancelFunc }

func (s stopping) Send(ctx context.Context, _ [][]byte) error {
	s.stop()
	<-ctx.Done()
	return ctx.Err()
}

// A process that stops gives the work back at once.
func TestStreamAudit_Stops(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if err := g.Merchants.StreamAudit(ctx, stopping{cancel}); err != nil {
		t.Fatal(err)
	}
	r := newReceiver(t)
	if err := g.Merchants.StreamAudit(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(allLines(t, g), r.ids(t)); diff != "" {
		t.Errorf("(-lines +received)\n%s", diff)
	}
}

// A file that was moved is followed by a new one, and an interrupted write hides nothing.
func TestStreamAudit_File(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	folder := t.TempDir()
	path, moved := filepath.Join(folder, "audit.log"), filepath.Join(folder, "audit.log.1")
	to := auditlog.File{Path: path}
	write(t, g, "a")
	stream(t, g, to)
	write(t, g, "b")
	stream(t, g, to)
	if err := os.Rename(path, moved); err != nil {
		t.Fatal(err)
	}
	write(t, g, "c")
	stream(t, g, to)
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	old, fresh := read(moved), read(path)
	if diff := cmp.Diff(allLines(t, g), append(lineIDs(t, old), lineIDs(t, fresh)...)); diff != "" {
		t.Errorf("(-lines +written)\n%s", diff)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(path, []byte(fresh+`{"id":"7","at`), 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, g, "d")
	stream(t, g, to)
	var v auditlog.Verifier
	for _, text := range []string{read(path), old} {
		if err := v.Read(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	lines, first, last, _ := v.Summary()
	if found := v.Flaws(); len(found) != 0 || v.Unreadable != 1 || lines != len(allLines(t, g)) || first != 1 ||
		last != sealed(t, g).Number {
		t.Errorf("flaws %q, %d unreadable, %d lines, seals %d to %d", found, v.Unreadable, lines, first, last)
	}
	stream(t, g, auditlog.File{Path: filepath.Join(folder, "none", "audit.log")})
	write(t, g, "e")
	stream(t, g, auditlog.File{Path: filepath.Join(folder, "none", "audit.log")})
	if s, _, err := models.AuditStreamLag(t.Context(), g.DB.Pool); err != nil ||
		s.Failure != "open: no such file or directory" {
		t.Errorf("a folder that does not exist: %+v, %v", s, err)
	}
}

// A line that was changed in the database after its seal was made is found by the receiver.
func TestStreamAudit_ChangedBefore(t *testing.T) {
	t.Parallel()
	g := paymentstest.New(t)
	ids := write(t, g, "a", "b", "c")
	flaws(t, g)
	modelstest.Exec(t, g.DB, "ALTER TABLE audit_log DISABLE TRIGGER audit_log_final")
	modelstest.Exec(t, g.DB, "UPDATE audit_log SET object_id = 'x' WHERE id = $1", ids[0])
	modelstest.Exec(t, g.DB, "DELETE FROM audit_log WHERE id = $1", ids[1])
	r := newReceiver(t)
	stream(t, g, r)
	lines := sealed(t, g).Lines
	want := []string{fmt.Sprintf("changed since it was sealed: line %d", ids[0]),
		fmt.Sprintf("missing: 1 of the %d lines of seal 1", lines)}
	if diff := cmp.Diff(want, forged(t, r.body.String())); diff != "" {
		t.Errorf("(-want +found)\n%s", diff)
	}
}
