package webhook_test

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"garoupa/webhook"
)

const (
	secret   = "whsec_0123456789abcdefghijABCDEFGHIJ01"
	urlToken = "url-token-7c1f"
)

// TestMain points every proxy variable at a port where nothing listens, so a client that
// obeys them reaches no endpoint by name.
func TestMain(m *testing.M) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"} {
		os.Setenv(name, "http://127.0.0.1:1")
	}
	os.Unsetenv("NO_PROXY")
	os.Unsetenv("no_proxy")
	os.Exit(m.Run())
}

// attempt returns a valid attempt at url, with a secret token in the query.
func attempt(url string) webhook.Attempt {
	return webhook.Attempt{
		URL:     url + "/hook?token=" + urlToken,
		Secret:  secret,
		EventID: "evt_0123456789abcdef01234567",
		Number:  1,
		At:      time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		Body:    []byte(`{"id":"evt_0123456789abcdef01234567"}`),
	}
}

// serve starts an endpoint that speaks HTTP.
func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server
}

// serveTLS starts an endpoint that speaks HTTPS, with the certificate of httptest for
// 127.0.0.1 and example.com. configure may change the server before it starts.
func serveTLS(t *testing.T, handler http.HandlerFunc, configure func(*httptest.Server)) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	configure(server)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// serveRaw starts an endpoint that runs talk on each connection, and returns its host and
// port. The connection is closed after talk.
func serveRaw(t *testing.T, talk func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				talk(conn)
			}()
		}
	}()
	return listener.Addr().String()
}

// boundPort binds a port of 127.0.0.1 without listening on it, and returns its socket too.
func boundPort(t *testing.T) (fd int, hostPort string) {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := name.(*syscall.SockaddrInet4)
	return fd, netip.AddrPortFrom(netip.AddrFrom4(address.Addr), uint16(address.Port)).String()
}

// deafPort returns a port whose connections neither open nor fail: its accept queue is
// full, so the kernel drops new connections.
func deafPort(t *testing.T) string {
	t.Helper()
	fd, hostPort := boundPort(t)
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	for range 16 {
		conn, err := net.DialTimeout("tcp", hostPort, time.Second)
		if err != nil {
			return hostPort
		}
		t.Cleanup(func() { conn.Close() })
	}
	t.Fatal("the queue of the listening socket does not fill")
	return ""
}

// port returns the port of a URL or of host:port.
func port(t *testing.T, address string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(address[strings.LastIndexByte(address, '/')+1:])
	if err != nil {
		t.Fatal(err)
	}
	return port
}
