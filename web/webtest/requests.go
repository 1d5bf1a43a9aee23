package webtest

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Call calls the API as a shop's server does, with further headers by name and value.
func (s *Site) Call(t *testing.T, key, method, path, body string, headers ...string) (status int,
	answer map[string]any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", path)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatalf("%s %s: %d %s", method, path, response.StatusCode, text)
	}
	return response.StatusCode, answer
}

// Exchange sends raw bytes and reads n answers, however they are cut.
func (s *Site) Exchange(t *testing.T, request string, n int) (answers []*http.Response,
	bodies []string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(Patience)); err != nil {
		t.Fatal(err)
	}
	go io.Copy(conn, strings.NewReader(request)) // the server may stop reading half-way
	reader := bufio.NewReader(conn)
	for range n {
		answer, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatalf("%.60q: %v", request, err)
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatalf("%.60q: %v", request, err)
		}
		answers, bodies = append(answers, answer), append(bodies, string(body))
	}
	return answers, bodies
}
