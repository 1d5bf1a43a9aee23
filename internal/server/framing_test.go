package server_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"garoupa/payments/paymentstest"
)

// A request whose end or host is in doubt is refused, before any handler, and nothing that
// follows on its connection is read as a request.
func TestUnclearRequests(t *testing.T) {
	t.Parallel()
	app := newSite(t, paymentstest.New(t), together)
	app.Server().ReadTimeout = time.Hour // so that a server that waits for a body is seen
	address := listen(t, app)
	const post, next = "POST /v1/checkouts HTTP/1.1\r\n", "GET /livez HTTP/1.1\r\nHost: one.example\r\n\r\n"
	const host, ten, chunked = "Host: one.example\r\n", "Content-Length: 10\r\n", "Transfer-Encoding: chunked\r\n"
	const chunks = "\r\n2\r\n{}\r\n0\r\n\r\n"
	for name, sent := range map[string]string{
		"two lengths":                   post + host + "Content-Length: 2\r\n" + ten + "\r\n" + strings.Repeat("x", 10),
		"two lengths that agree":        post + host + ten + "content-length: 10\r\n\r\n" + strings.Repeat("x", 10),
		"a length that never comes":     post + host + "Content-Length: 2\r\nContent-Length: 60000\r\n\r\n{}",
		"another encoding":              post + host + "Transfer-Encoding: xchunked\r\n" + chunks,
		"a further encoding":            post + host + "Transfer-Encoding: chunked, identity\r\n" + chunks,
		"an encoding before chunks":     post + host + "Transfer-Encoding: gzip, chunked\r\n" + chunks,
		"no encoding":                   post + host + "Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}",
		"two lines of encodings":        post + host + chunked + "Transfer-Encoding: identity\r\n" + chunks,
		"two lines of chunks":           post + host + chunked + "transfer-encoding: chunked\r\n" + chunks,
		"a length and an encoding":      post + host + ten + chunked + chunks,
		"an encoding and a length":      post + host + chunked + ten + chunks,
		"an encoding without a version": "POST /v1/checkouts HTTP/1.0\r\n" + host + chunked + chunks,
		"two hosts":                     "GET /livez HTTP/1.1\r\n" + host + "Host: two.example\r\n\r\n",
		"two hosts that agree":          "GET /livez HTTP/1.1\r\n" + host + "HOST: one.example\r\n\r\n",
		"a continued line":              post + host + "X-Long: a\r\n Content-Length: 10\r\n" + chunked + chunks,
		"a continued encoding":          post + host + "Transfer-Encoding:\r\n chunked\r\n" + chunks,
		"half a line break":             post + host + "X-Long: a\rContent-Length: 10\r\n" + chunked + chunks,
	} {
		answers := sendRaw(t, address, sent+next+next)
		if len(answers) != 1 {
			t.Errorf("%s: %d answers", name, len(answers))
			continue
		}
		if a := answers[0]; a.StatusCode != http.StatusBadRequest || !a.Close || a.Header.Get("Request-Id") == "" {
			t.Errorf("%s: %d, closed %t, Request-Id %q", name, a.StatusCode, a.Close, a.Header.Get("Request-Id"))
		}
	}
	for name, sent := range map[string]string{
		"a length":  post + host + "Content-Length: 2\r\n\r\n{}",
		"chunks":    post + host + chunked + chunks,
		"Chunks":    post + host + "TRANSFER-ENCODING:  Chunked \r\n" + chunks,
		"line ends": strings.ReplaceAll(post+host+"Content-Length: 2\r\n\r\n{}", "\r\n", "\n"),
	} {
		answers := sendRaw(t, address, sent+strings.Replace(next, "\r\n", "\r\nConnection: close\r\n", 1))
		if len(answers) != 2 || answers[0].StatusCode != http.StatusUnauthorized || answers[1].StatusCode != 200 {
			t.Errorf("%s: %v", name, answers)
		}
	}
}

// sendRaw sends bytes on a connection of their own, and returns the answers until the server
// closes it.
func sendRaw(t *testing.T, address, sent string) (answers []*http.Response) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, sent); err != nil {
		t.Fatal(err)
	}
	reader := bufio.NewReader(conn)
	for {
		if _, err := reader.Peek(1); isTimeout(err) {
			t.Fatalf("the connection stays open after %q", sent)
		} else if err != nil {
			return answers // a reset, if the server had not read all
		}
		answer, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatalf("%q: %v", sent, err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			t.Fatalf("%q: %v", sent, err)
		}
		answers = append(answers, answer)
	}
}
