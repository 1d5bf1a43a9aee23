package webhook_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"garoupa/webhook"
)

// patience is the timeout of attempts in tests that are not about timeouts.
const patience = time.Minute

// newClient returns a client that may post to the servers of a test.
func newClient() *webhook.Client { return clientWith(webhook.Options{AllowPrivate: true}) }

// clientWith returns a client whose timeout is patience, unless the options name another.
func clientWith(o webhook.Options) *webhook.Client {
	o.Timeout = cmp.Or(o.Timeout, patience)
	return webhook.NewClient(o)
}

func TestPostSendsHeadersAndBody(t *testing.T) {
	t.Parallel()
	type request struct {
		method, host, uri string
		header            http.Header
		body              []byte
	}
	received := make(chan request, 1)
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		received <- request{r.Method, r.Host, r.RequestURI, r.Header, body}
		w.WriteHeader(http.StatusNoContent)
	})
	// Spacing, order, escapes and the last line break are part of what is signed.
	body := []byte("{ \"b\":1,\"a\" : \"\\u00e7 \u00e7 <&>\" ,\"n\":1.0}\r\n")
	a := attempt(server.URL)
	a.Body, a.Number, a.PreviousSecret = body, 3, oldSecret
	a.At = time.Date(2026, 11, 20, 9, 0, 0, 7_999_999, time.FixedZone("BRT", -3*60*60))
	outcome := newClient().Post(t.Context(), a)
	if !outcome.OK || outcome.StatusCode != http.StatusNoContent || outcome.Class != "" || outcome.Detail != "" {
		t.Fatalf("outcome %+v", outcome)
	}

	got := <-received
	if got.method != http.MethodPost || got.uri != "/hook?token="+urlToken || !strings.HasSuffix(server.URL, got.host) {
		t.Errorf("%s %s to %s", got.method, got.uri, got.host)
	}
	if !bytes.Equal(got.body, body) {
		t.Errorf("body %q, want %q", got.body, body)
	}
	signed, _ := webhook.SignStandard(secret, a.EventID, a.At, body)
	signedBefore, _ := webhook.SignStandard(oldSecret, a.EventID, a.At, body)
	want := http.Header{
		"Content-Type":             {"application/json"},
		"User-Agent":               {"Garoupa-Webhooks/1.0"},
		"X-Svc-Signature":          {webhook.Sign(secret, body)},
		"X-Svc-Signature-Previous": {webhook.Sign(oldSecret, body)},
		"X-Svc-Event-Id":           {"evt_0123456789abcdef01234567"},
		"X-Svc-Timestamp":          {"2026-11-20T12:00:00.007Z"},
		"X-Svc-Attempt":            {"3"},
		"Webhook-Id":               {"evt_0123456789abcdef01234567"},
		"Webhook-Timestamp":        {"1795176000"},
		"Webhook-Signature":        {signed + " " + signedBefore},
	}
	if diff := gocmp.Diff(want, outcome.RequestHeaders); diff != "" {
		t.Errorf("recorded headers (-want +got):\n%s", diff)
	}
	want.Set("Content-Length", strconv.Itoa(len(body)))
	if diff := gocmp.Diff(want, got.header); diff != "" {
		t.Errorf("received headers (-want +got):\n%s", diff)
	}
}

func TestPostSignsOnceWithoutRotation(t *testing.T) {
	t.Parallel()
	received := make(chan http.Header, 1)
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) { received <- r.Header })
	if outcome := newClient().Post(t.Context(), attempt(server.URL)); !outcome.OK {
		t.Fatalf("outcome %+v", outcome)
	}
	if values, ok := (<-received)["X-Svc-Signature-Previous"]; ok {
		t.Errorf("x-svc-signature-previous is %q", values)
	}
}

func TestPostJudgesStatus(t *testing.T) {
	t.Parallel()
	var followed atomic.Int32
	elsewhere := serve(t, func(http.ResponseWriter, *http.Request) { followed.Add(1) })
	tests := map[webhook.Class][]int{
		"":                    {200, 201, 202, 204, 226, 299},
		webhook.ClassRedirect: {300, 301, 302, 303, 304, 307, 308, 399},
		webhook.ClassStatus:   {400, 401, 403, 404, 410, 418, 429, 500, 502, 503, 599},
	}
	client := newClient()
	for class, codes := range tests {
		for _, code := range codes {
			server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", elsewhere.URL)
				w.WriteHeader(code)
			})
			got := client.Post(t.Context(), attempt(server.URL))
			if got.Class != class || got.StatusCode != code || got.OK != (class == "") {
				t.Errorf("status %d: %+v, want class %q", code, got, class)
			}
			if got.OK != (got.Detail == "") || !got.OK && !strings.Contains(got.Detail, strconv.Itoa(code)) {
				t.Errorf("%d: detail %q", code, got.Detail)
			}
		}
	}
	if n := followed.Load(); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

func TestPostKeepsStartOfAnswer(t *testing.T) {
	t.Parallel()
	var zipped bytes.Buffer
	zip := gzip.NewWriter(&zipped)
	_, _ = zip.Write(bytes.Repeat([]byte{'a'}, 1<<20))
	_ = zip.Close()
	limit := webhook.SnippetLimit
	tests := []struct {
		name, body, want string
		status           int
	}{
		{"short", "received ✓", "received ✓", 200},
		{"of a failure", "boom", "boom", 500},
		{"of a redirect", "moved", "moved", 302},
		{"empty", "", "", 200},
		{"at the limit", strings.Repeat("a", limit), strings.Repeat("a", limit), 200},
		{"beyond the limit", strings.Repeat("a", limit+1), strings.Repeat("a", limit), 200},
		{"character across the limit", strings.Repeat("a", limit-1) + "✓ and more", strings.Repeat("a", limit-1), 200},
		{"character up to the limit", strings.Repeat("a", limit-3) + "✓ and more",
			strings.Repeat("a", limit-3) + "✓", 200},
		{"long character across the limit", strings.Repeat("a", limit-3) + "🐟 and more",
			strings.Repeat("a", limit-3), 200},
		{"not UTF-8", "a\xff\xfeb\xc3c", "a\uFFFDb\uFFFDc", 200},
		{"ends within a character", "ab\xe2\x9c", "ab", 200},
		{"NUL", "a\x00b", "a\uFFFDb", 200},
		{"longer after replacement", strings.Repeat("\x00", limit), strings.Repeat("\uFFFD", limit/3), 200},
	}
	client := newClient()
	for _, test := range tests {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.body)
		})
		outcome := client.Post(t.Context(), attempt(server.URL))
		if diff := gocmp.Diff(test.want, string(outcome.ResponseSnippet)); diff != "" ||
			outcome.StatusCode != test.status {
			t.Errorf("%s: status %d (-want +got):\n%s", test.name, outcome.StatusCode, diff)
		}
	}
	bomb := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(zipped.Bytes())
	})
	if outcome := client.Post(t.Context(), attempt(bomb.URL)); !outcome.OK ||
		bytes.Contains(outcome.ResponseSnippet, []byte("aaaa")) {
		t.Errorf("Post unpacked a compressed body: %+v", outcome)
	}
}

func TestPostAbandonsHugeBody(t *testing.T) {
	t.Parallel()
	sent := make(chan int, 1)
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		total, block := 0, bytes.Repeat([]byte("x"), 64<<10)
		for total < 256<<20 {
			n, err := w.Write(block)
			total += n
			if err != nil {
				break
			}
		}
		sent <- total
	})
	outcome := newClient().Post(t.Context(), attempt(server.URL))
	if !outcome.OK || len(outcome.ResponseSnippet) != webhook.SnippetLimit {
		t.Errorf("outcome %+v", outcome)
	}
	if total := <-sent; total >= 256<<20 {
		t.Errorf("Post read all of %d bytes", total)
	}
}

// The headers came in time, so the attempt succeeds. Its duration ends with the headers, not
// with the body.
func TestPostSucceedsWhenBodyDrips(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusOK, http.StatusInternalServerError} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			t.Parallel()
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // without this the server does not notice that the client left
				w.WriteHeader(status)
				_, _ = io.WriteString(w, "so far")
				_ = http.NewResponseController(w).Flush()
				<-r.Context().Done()
			})
			client := clientWith(webhook.Options{AllowPrivate: true, Timeout: webhook.Timeout})
			outcome := client.Post(t.Context(), attempt(server.URL))
			if outcome.OK != (status == http.StatusOK) || outcome.StatusCode != status ||
				string(outcome.ResponseSnippet) != "so far" {
				t.Errorf("outcome %+v, snippet %q", outcome, outcome.ResponseSnippet)
			}
			if outcome.Duration >= webhook.Timeout {
				t.Errorf("duration %v includes the body", outcome.Duration)
			}
		})
	}
}

// A body that never ends, or that comes in drops, holds the attempt for a moment and not for
// the client's timeout, over both protocols. Its connection is closed.
func TestPostCutsEndlessBody(t *testing.T) {
	t.Parallel()
	for name, drip := range map[string]bool{"silent": false, "in drops": true} {
		for major, enable := range map[int]bool{1: false, 2: true} {
			t.Run(name+" HTTP/"+strconv.Itoa(major), func(t *testing.T) {
				t.Parallel()
				gone := make(chan struct{})
				server := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
					defer close(gone)
					_, _ = io.Copy(io.Discard, r.Body)
					_, _ = io.WriteString(w, "so far")
					_ = http.NewResponseController(w).Flush()
					for drip && r.Context().Err() == nil {
						_, _ = io.WriteString(w, ".")
						_ = http.NewResponseController(w).Flush()
						<-time.After(10 * time.Millisecond) // the pace of the endpoint
					}
					<-r.Context().Done()
				}, func(s *httptest.Server) { s.EnableHTTP2 = enable })
				client := clientWith(webhook.Options{AllowPrivate: true, Timeout: time.Hour, RootCAs: roots(server)})
				outcome := client.Post(t.Context(), attempt(server.URL))
				if !outcome.OK || !bytes.HasPrefix(outcome.ResponseSnippet, []byte("so far")) {
					t.Errorf("outcome %+v, snippet %q", outcome, outcome.ResponseSnippet)
				}
				<-gone
			})
		}
	}
}

func TestPostSucceedsWhenBodyBreaks(t *testing.T) {
	t.Parallel()
	address := serveRaw(t, func(conn net.Conn) {
		readRequest(conn)
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nso far")
	})
	outcome := newClient().Post(t.Context(), attempt("http://"+address))
	if !outcome.OK || string(outcome.ResponseSnippet) != "so far" {
		t.Errorf("outcome %+v, snippet %q", outcome, outcome.ResponseSnippet)
	}
}
