package webhook_test

import (
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"garoupa/webhook"
)

func TestPostSpeaksBothProtocols(t *testing.T) {
	t.Parallel()
	for major, enable := range map[int]bool{1: false, 2: true} {
		received := make(chan *http.Request, 1)
		server := serveTLS(t, func(_ http.ResponseWriter, r *http.Request) { received <- r }, func(s *httptest.Server) {
			s.EnableHTTP2 = enable
		})
		live := attempt(server.URL)
		live.Live = true
		client := clientWith(webhook.Options{AllowPrivate: true, RootCAs: roots(server)})
		if outcome := client.Post(t.Context(), live); !outcome.OK {
			t.Fatalf("HTTP/%d: outcome %+v", major, outcome)
		}
		r := <-received
		if r.ProtoMajor != major || r.TLS == nil {
			t.Errorf("%s, want HTTP/%d over TLS", r.Proto, major)
		}
		if r.Header.Get("x-svc-signature") != webhook.Sign(secret, live.Body) {
			t.Errorf("HTTP/%d: headers %v", major, r.Header)
		}
		if _, sent := r.Header["Idempotency-Key"]; sent {
			t.Errorf("HTTP/%d: an Idempotency-Key is sent", major)
		}
	}
}

func roots(server *httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	return pool
}

// Post reaches the endpoint by its name, although TestMain set every proxy variable.
func TestPostIgnoresProxyOfEnvironment(t *testing.T) {
	t.Parallel()
	received := make(chan string, 1)
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) { received <- r.Host })
	client := newClient()
	client.UseResolver(resolver(t, always("hooks.merchant.example", netip.MustParseAddr("127.0.0.1"))))
	address := "hooks.merchant.example:" + port(t, server.URL)
	if outcome := client.Post(t.Context(), attempt("http://"+address)); !outcome.OK {
		t.Fatalf("outcome %+v", outcome)
	}
	if host := <-received; host != address {
		t.Errorf("Host is %q, want %q", host, address)
	}
}

func TestPostKeepsConnections(t *testing.T) {
	t.Parallel()
	var connections atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("a", 8<<10))
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	client := newClient()
	const attempts = 10
	for range attempts {
		if outcome := client.Post(t.Context(), attempt(server.URL)); !outcome.OK {
			t.Fatalf("outcome %+v", outcome)
		}
	}
	// Usually one. If the machine pauses there may be more: net/http drops a connection that
	// was answered 50 ms before it noticed that the request was written.
	if n := connections.Load(); n > attempts/2 {
		t.Errorf("%d connections for %d attempts, want fewer", n, attempts)
	}
}

// When an endpoint closes a kept connection just as the next event comes, the attempt still
// succeeds.
func TestPostReplacesStaleConnection(t *testing.T) {
	t.Parallel()
	var connections atomic.Int32
	address := serveRaw(t, func(conn net.Conn) {
		first := connections.Add(1) == 1
		readRequest(conn)
		_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
		if first {
			readRequest(conn)
		}
	})
	client := newClient()
	for n := range 2 {
		if outcome := client.Post(t.Context(), attempt("http://"+address)); !outcome.OK {
			t.Fatalf("attempt %d: outcome %+v", n+1, outcome)
		}
	}
	if n := connections.Load(); n != 2 {
		t.Errorf("%d connections, want 2: the stale one and a new one", n)
	}
}

// An endpoint that breaks when it receives an event receives the event twice in an attempt,
// and not once for each kept connection.
func TestPostRepeatsOnce(t *testing.T) {
	t.Parallel()
	const kept = 6
	var posts atomic.Int32
	var all sync.WaitGroup
	all.Add(kept)
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("x-svc-event-id") == "evt_poison" {
			posts.Add(1)
			panic(http.ErrAbortHandler)
		}
		all.Done()
		all.Wait() // each on a connection of its own
	})
	client := newClient()
	var sent sync.WaitGroup
	for range kept {
		sent.Go(func() {
			if outcome := client.Post(t.Context(), attempt(server.URL)); !outcome.OK {
				t.Errorf("outcome %+v", outcome)
			}
		})
	}
	sent.Wait()
	poison := attempt(server.URL)
	poison.EventID = "evt_poison"
	outcome := client.Post(t.Context(), poison)
	if outcome.Class != webhook.ClassConnect || outcome.Detail != "connection closed without an answer" {
		t.Errorf("outcome %+v", outcome)
	}
	if n := posts.Load(); n != 2 {
		t.Errorf("the event was posted %d times, want 2", n)
	}
}
