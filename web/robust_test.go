package web_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"garoupa/web/webtest"
)

// Whatever bytes arrive, the answer is HTTP with the envelope and a Request-Id, and
// the server goes on.
func TestRobust(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	const host = "Host: localhost\r\n"
	for name, tc := range map[string]struct {
		request string
		want    int
	}{
		"ten thousand headers": {"GET /v1/health HTTP/1.1\r\n" + host + strings.Repeat("X-A: b\r\n", 10_000) +
			"\r\n", 400},
		"a header of 64 KiB": {"GET /v1/health HTTP/1.1\r\n" + host + "X-A: " + strings.Repeat("b", 64<<10) +
			"\r\n\r\n", 400},
		"a path of 64 KiB": {"GET /" + strings.Repeat("a", 64<<10) + " HTTP/1.1\r\n" + host + "\r\n", 400},
		"a body of 3 MB": {"POST /v1/checkouts HTTP/1.1\r\n" + host + "Content-Length: 3000000\r\n\r\n" +
			strings.Repeat("a", 3_000_000), 413},
		"a length beyond int": {"POST /v1/checkouts HTTP/1.1\r\n" + host +
			"Content-Length: 99999999999999999999\r\n\r\n", 400},
		"a negative length": {"POST /v1/checkouts HTTP/1.1\r\n" + host + "Content-Length: -5\r\n\r\nabc", 400},
		"chunks": {"POST /v1/checkouts HTTP/1.1\r\n" + host +
			"Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n", 401},
		"a made-up method":           {"BREW /v1/checkouts HTTP/1.1\r\n" + host + "\r\n", 405},
		"a made-up method of a page": {"BREW /nope HTTP/1.1\r\n" + host + "\r\n", 404},
		"bytes in the path":          {"GET /v1/checkouts/%ff%00 HTTP/1.1\r\n" + host + "\r\n", 401},
		"bytes in the key": {"GET /v1/balance HTTP/1.1\r\n" + host +
			"Authorization: Bearer svc_test_\xff\x00\r\n\r\n", 401},
		"no host": {"GET /v1/nope HTTP/1.1\r\n\r\n", 404},
	} {
		answers, bodies := s.Exchange(t, tc.request, 1)
		if answers[0].StatusCode != tc.want || !strings.HasPrefix(answers[0].Header.Get("Request-Id"), "req_") {
			t.Errorf("%s: %d, Request-Id %q, %.200s", name, answers[0].StatusCode,
				answers[0].Header.Get("Request-Id"), bodies[0])
		}
		if name != "a made-up method of a page" && !strings.HasPrefix(bodies[0], `{"error":{"type":"`) {
			t.Errorf("%s: %.200s", name, bodies[0])
		}
	}
	if a := s.Client(t).Get("/livez"); a.Status != http.StatusOK {
		t.Errorf("after all that: %d", a.Status)
	}
}

// A form that is larger than its page allows is answered with a page, in the language of the browser.
func TestRobust_LargeForm(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	for request, says := range map[string]string{
		"POST /app/disputas/x/arquivos HTTP/1.1\r\nContent-Length: 9000000\r\n":       "grande demais",
		"POST /entrar HTTP/1.1\r\nAccept-Language: en\r\nContent-Length: 2000000\r\n": "too large",
	} {
		answers, bodies := s.Exchange(t, request+"Host: localhost\r\n\r\n", 1)
		if answers[0].StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(bodies[0], says) ||
			!strings.Contains(bodies[0], answers[0].Header.Get("Request-Id")) {
			t.Errorf("%.40s: %d %.200s", request, answers[0].StatusCode, bodies[0])
		}
	}
}

// Requests sent without waiting are answered in order, each with its own id.
func TestPipelining(t *testing.T) {
	t.Parallel()
	s := webtest.New(t)
	var requests bytes.Buffer
	for _, id := range []string{"one", "two", "three"} {
		requests.WriteString("GET /v1/health HTTP/1.1\r\nHost: localhost\r\nRequest-Id: " + id + "\r\n\r\n")
	}
	answers, _ := s.Exchange(t, requests.String(), 3)
	for i, want := range []string{"one", "two", "three"} {
		if got := answers[i].Header.Get("Request-Id"); answers[i].StatusCode != 200 || got != want {
			t.Errorf("answer %d: %d %q, want %q", i, answers[i].StatusCode, got, want)
		}
	}
}
