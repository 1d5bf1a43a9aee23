package webhook_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"garoupa/webhook"
)

// readRequest reads one whole request from conn.
func readRequest(conn net.Conn) {
	if r, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
}

// reset makes conn end with a TCP reset instead of an orderly close.
func reset(conn net.Conn) { _ = conn.(*net.TCPConn).SetLinger(0) }

func TestPostFailures(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		url    func(*testing.T) string
		class  webhook.Class
		detail string
	}{
		{"nothing listens", func(t *testing.T) string {
			_, address := boundPort(t)
			return "http://" + address
		}, webhook.ClassConnect, "connection refused"},
		{"reset after the request", func(t *testing.T) string {
			return "http://" + serveRaw(t, func(conn net.Conn) { readRequest(conn); reset(conn) })
		}, webhook.ClassConnect, "connection reset"},
		{"closed after the request", func(t *testing.T) string {
			return "http://" + serveRaw(t, readRequest)
		}, webhook.ClassConnect, "connection closed without an answer"},
		{"closed within the headers", func(t *testing.T) string {
			return "http://" + serveRaw(t, func(conn net.Conn) {
				readRequest(conn)
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n")
			})
		}, webhook.ClassConnect, "connection closed without an answer"},
		{"not HTTP", func(t *testing.T) string {
			return "http://" + serveRaw(t, func(conn net.Conn) {
				readRequest(conn)
				_, _ = io.WriteString(conn, "SSH-2.0-OpenSSH_9.2 "+urlToken+"\r\n\r\n")
			})
		}, webhook.ClassConnect, "no valid HTTP answer"},
		{"huge headers", func(t *testing.T) string {
			return "http://" + serveRaw(t, func(conn net.Conn) {
				readRequest(conn)
				_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n")
				_, _ = io.WriteString(conn, strings.Repeat("x-filler: "+strings.Repeat("x", 1<<10)+"\r\n", 100)+"\r\n")
			})
		}, webhook.ClassConnect, "no valid HTTP answer"},
		{"protocol switch", func(t *testing.T) string {
			return "http://" + serveRaw(t, func(conn net.Conn) {
				readRequest(conn)
				_, _ = io.WriteString(conn,
					"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
			})
		}, webhook.ClassStatus, "answered 101"},
		{"unknown authority", func(t *testing.T) string {
			return serveTLS(t, nil, func(*httptest.Server) {}).URL
		}, webhook.ClassTLS, "certificate is signed by an unknown authority"},
		{"TLS too old", func(t *testing.T) string {
			return serveTLS(t, nil, func(s *httptest.Server) {
				s.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
			}).URL
		}, webhook.ClassTLS, "handshake refused: tls: protocol version not supported"},
		{"no TLS at all", func(t *testing.T) string {
			return "https" + strings.TrimPrefix(serve(t, nil).URL, "http")
		}, webhook.ClassTLS, "handshake failed"},
		{"reset in the handshake", func(t *testing.T) string {
			return "https://" + serveRaw(t, func(conn net.Conn) {
				_, _ = io.ReadFull(conn, make([]byte, 64))
				reset(conn)
			})
		}, webhook.ClassTLS, "handshake failed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			requireFailure(t, newClient(), test.url(t), test.class, test.detail)
		})
	}
}

// requireFailure posts to url and checks the outcome, and that the record contains no
// secret.
func requireFailure(t *testing.T, client *webhook.Client, url string, class webhook.Class,
	detail string) webhook.Outcome {
	t.Helper()
	outcome := client.Post(t.Context(), attempt(url))
	if outcome.OK || outcome.Class != class || outcome.Detail != detail {
		t.Errorf("class %q, detail %q, ok %t; want class %q, detail %q", outcome.Class, outcome.Detail, outcome.OK,
			class, detail)
	}
	if outcome.RequestHeaders.Get("x-svc-signature") == "" {
		t.Error("the request's headers are not recorded")
	}
	if record := fmt.Sprintf("%+v", outcome); strings.Contains(record, secret) || strings.Contains(record, urlToken) {
		t.Errorf("the record contains a secret: %s", record)
	}
	return outcome
}

func TestPostTimesOut(t *testing.T) {
	t.Parallel()
	if webhook.Timeout != 5*time.Second {
		t.Errorf("the default is %v; the contract (section 6, rule 4) says 5 s", webhook.Timeout)
	}
	const timeout = webhook.Timeout // long enough for the phases before the one that hangs
	hang := func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }
	tests := []struct {
		name   string
		url    func(*testing.T) string
		detail string
	}{
		{"connecting", func(t *testing.T) string { return "http://" + deafPort(t) }, "timed out connecting"},
		{"handshake", func(t *testing.T) string { return "https://" + serveRaw(t, hang) },
			"timed out in the TLS handshake"},
		{"no answer", func(t *testing.T) string { return "http://" + serveRaw(t, hang) },
			"timed out waiting for the answer"},
		{"half the headers", func(t *testing.T) string {
			return "http://" + serveRaw(t, func(conn net.Conn) {
				readRequest(conn)
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-")
				hang(conn)
			})
		}, "timed out waiting for the answer"},
		{"only interim answers", func(t *testing.T) string {
			return "http://" + serveRaw(t, func(conn net.Conn) {
				readRequest(conn)
				_, _ = io.WriteString(conn, "HTTP/1.1 102 Processing\r\n\r\n")
				hang(conn)
			})
		}, "timed out waiting for the answer"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client := clientWith(webhook.Options{AllowPrivate: true, Timeout: timeout})
			outcome := requireFailure(t, client, test.url(t), webhook.ClassTimeout, test.detail)
			// The client's clock starts a little after the deadline's.
			if outcome.Duration < timeout/2 || outcome.Duration > time.Minute {
				t.Errorf("took %v, want %v", outcome.Duration, timeout)
			}
		})
	}
}

func TestPostNames(t *testing.T) {
	t.Parallel()
	silent, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	tests := []struct {
		name     string
		resolver *net.Resolver
		timeout  time.Duration // zero means patience
		class    webhook.Class
		detail   string
	}{
		{"unknown", resolver(t, func(string, dnsmessage.Type) []netip.Addr { return nil }), 0,
			webhook.ClassDNS, "host name not found"},
		{"no name server", &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			return nil, io.ErrClosedPipe
		}}, 0, webhook.ClassDNS, "host name could not be resolved"},
		{"name server hangs", &net.Resolver{PreferGo: true,
			Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "udp", silent.LocalAddr().String())
			}}, 3 * time.Second, webhook.ClassTimeout, "timed out resolving the host name"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client := clientWith(webhook.Options{Timeout: test.timeout})
			client.UseResolver(test.resolver)
			requireFailure(t, client, "https://hooks.merchant.example", test.class, test.detail)
		})
	}
}

func TestPostRefusesCertificates(t *testing.T) {
	t.Parallel()
	server := serveTLS(t, nil, func(*httptest.Server) {})
	misnamed := clientWith(webhook.Options{AllowPrivate: true, RootCAs: roots(server)})
	misnamed.UseResolver(resolver(t, always("hooks.merchant.example", netip.MustParseAddr("127.0.0.1"))))
	requireFailure(t, misnamed, "https://hooks.merchant.example:"+port(t, server.URL),
		webhook.ClassTLS, "certificate is not valid for the host name")

	for name, validity := range map[string][2]time.Duration{
		"expired":       {-48 * time.Hour, -24 * time.Hour},
		"not yet valid": {24 * time.Hour, 48 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			certificate := selfSigned(t, time.Now().Add(validity[0]), time.Now().Add(validity[1]))
			server := serveTLS(t, nil, func(s *httptest.Server) {
				s.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
			})
			client := clientWith(webhook.Options{AllowPrivate: true, RootCAs: roots(server)})
			requireFailure(t, client, server.URL, webhook.ClassTLS, "certificate has expired or is not yet valid")
		})
	}
}

func selfSigned(t *testing.T, from, to time.Time) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: to,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func TestPostInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // without this the server does not notice that the client left
		cancel()
		<-r.Context().Done()
	})
	outcome := newClient().Post(ctx, attempt(server.URL))
	if outcome.OK || outcome.Class != webhook.ClassTimeout || outcome.Detail != "interrupted" {
		t.Errorf("outcome %+v", outcome)
	}
}

// While one endpoint holds many attempts open, another endpoint receives its event.
func TestPostIsolatesEndpoints(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var arrived sync.WaitGroup
	const stuck = 100
	arrived.Add(stuck)
	slow := serve(t, func(http.ResponseWriter, *http.Request) {
		arrived.Done()
		<-release
	})
	fast := serve(t, func(http.ResponseWriter, *http.Request) {})
	client := newClient()
	var done sync.WaitGroup
	for range stuck {
		done.Go(func() {
			if outcome := client.Post(t.Context(), attempt(slow.URL)); !outcome.OK {
				t.Errorf("the slow endpoint's outcome is %+v", outcome)
			}
		})
	}
	arrived.Wait()
	if outcome := client.Post(t.Context(), attempt(fast.URL)); !outcome.OK {
		t.Errorf("the fast endpoint's outcome is %+v", outcome)
	}
	close(release)
	done.Wait()
}
