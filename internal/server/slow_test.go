package server_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"garoupa/payments/paymentstest"
)

// Clients that never finish their request delay no other client, and are disconnected when
// their time is over, even if they continue byte by byte.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	app := newSite(t, paymentstest.New(t), together)
	if limit := app.Server().ReadTimeout; limit <= 0 || limit > 30*time.Second {
		t.Errorf("a request may take %s to arrive", limit)
	}
	app.Server().ReadTimeout = 5 * time.Second
	address := listen(t, app)

	const head = "POST /v1/checkouts HTTP/1.1\r\nHost: one.example\r\nContent-Length: 60000\r\n\r\n{"
	var slow []net.Conn
	for i := range 100 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, head[:len(head)*(i%10+1)/10]); err != nil {
			t.Fatal(err)
		}
		slow = append(slow, conn)
	}
	go drip(slow[len(slow)-1])

	response, err := http.Get("http://" + address + "/livez")
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("beside a hundred slow clients: %v, %v", response, err)
	}
	response.Body.Close()
	for i, conn := range slow {
		conn.SetReadDeadline(time.Now().Add(time.Minute))
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			continue // closed without an answer, or reset while data were being sent
		}
		if answer.StatusCode < 400 || answer.StatusCode >= 500 || answer.Header.Get("Request-Id") == "" {
			t.Errorf("client %d: %d, Request-Id %q", i, answer.StatusCode, answer.Header.Get("Request-Id"))
		}
	}
	for i, conn := range slow {
		conn.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := io.Copy(io.Discard, conn); isTimeout(err) {
			t.Errorf("client %d is still connected", i)
		}
	}
}

// drip sends a byte from time to time, until the connection is closed.
func drip(conn net.Conn) {
	for range time.Tick(10 * time.Millisecond) {
		if _, err := io.WriteString(conn, "x"); err != nil {
			return
		}
	}
}

func isTimeout(err error) bool {
	timed, ok := err.(net.Error)
	return ok && timed.Timeout()
}

// A client that does not read its answer is disconnected; streams last as long as their
// client reads.
func TestSlowReaders(t *testing.T) {
	t.Parallel()
	app := newSite(t, paymentstest.New(t), together)
	for path, bounded := range map[string]bool{
		"/v1/checkouts?limit=100": true, "/pay/chk_0/qr.png": true, "/pay/chk_0/events": false,
		"/v1/test/events?after=1": false, "/app?x=/events": true, "/app/pulso/events": false,
		"/ops/pulso/events": false, "/v1/events": true, "/v1/events?limit=100": true, "/v1/checkouts#/events": true,
	} {
		var header fasthttp.RequestHeader
		header.SetRequestURI(path)
		if got := app.Server().HeaderReceived(&header).WriteTimeout; (got > 0) != bounded {
			t.Errorf("%s may take %s", path, got)
		}
	}
}
