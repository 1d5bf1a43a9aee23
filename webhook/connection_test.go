package webhook_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
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

// serveBy starts an endpoint that speaks HTTP or, if secure, HTTPS, and returns a client for it.
func serveBy(t *testing.T, secure, http2 bool, handler http.HandlerFunc, state func(net.Conn, http.ConnState)) (
	*httptest.Server, *webhook.Client) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ConnState, server.EnableHTTP2 = state, http2
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(server.Close)
	if !secure {
		server.Start()
		return server, newClient()
	}
	server.StartTLS()
	return server, clientWith(webhook.Options{AllowPrivate: true, RootCAs: roots(server)})
}

// When an endpoint closes a kept connection just as the next event comes, the attempt succeeds
// on another one, and the endpoint sees the event once.
func TestPostReplacesStaleConnection(t *testing.T) {
	t.Parallel()
	const rounds = 50
	for name, secure := range map[string]bool{"http": false, "https": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var posts atomic.Int32
			var open sync.Map
			server, client := serveBy(t, secure, false, func(http.ResponseWriter, *http.Request) { posts.Add(1) },
				func(c net.Conn, _ http.ConnState) { open.Store(c, true) })
			closed := 0
			closeKept := func(got httptrace.GotConnInfo) {
				if !got.Reused {
					return
				}
				closed++ // the client chose this connection and has written nothing yet
				open.Range(func(c, _ any) bool {
					c.(net.Conn).Close()
					return true
				})
				open.Clear()
			}
			ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: closeKept})
			for n := range 2 * rounds {
				if outcome := client.Post(ctx, attempt(server.URL)); !outcome.OK {
					t.Fatalf("attempt %d: outcome %+v", n+1, outcome)
				}
			}
			if n := posts.Load(); n != 2*rounds || closed < rounds/2 {
				t.Errorf("%d posts for %d attempts, %d of them on a connection that was closed", n, 2*rounds, closed)
			}
		})
	}
}

func resetHTTP(w http.ResponseWriter) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn() // so that no alert says farewell
	}
	reset(c)
	c.Close()
}

// An endpoint that breaks when it receives an event receives it once in an attempt, although it
// breaks a kept connection, and there are others.
func TestPostNeverRepeatsWhatWasReceived(t *testing.T) {
	t.Parallel()
	closes := func(http.ResponseWriter) { panic(http.ErrAbortHandler) }
	for _, test := range []struct {
		name          string
		secure, http2 bool
		breaks        func(http.ResponseWriter)
		detail        string
	}{
		{"closes", false, false, closes, "connection closed without an answer"},
		{"closes TLS", true, false, closes, "connection closed without an answer"},
		{"closes a stream", true, true, closes, "no valid HTTP answer"},
		{"resets", false, false, resetHTTP, "connection reset"},
		{"resets TLS", true, false, resetHTTP, "connection reset"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			const kept, poisoned = 6, 4
			var posts atomic.Int32
			var all sync.WaitGroup
			all.Add(kept)
			server, client := serveBy(t, test.secure, test.http2, func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("x-svc-event-id") == "evt_poison" {
					_, _ = io.Copy(io.Discard, r.Body)
					posts.Add(1)
					test.breaks(w)
					return
				}
				all.Done()
				all.Wait() // each on a connection of its own
			}, nil)
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
			for n := range int32(poisoned) {
				outcome := client.Post(t.Context(), poison)
				if outcome.Class != webhook.ClassConnect || outcome.Detail != test.detail {
					t.Errorf("outcome %+v", outcome)
				}
				if got := posts.Load(); got != n+1 {
					t.Fatalf("the event was posted %d times in %d attempts", got, n+1)
				}
			}
		})
	}
}
