package main

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// delivers creates a checkout with a phone number over the API, and fails the test unless
// its event arrives, signed with the endpoint's secret.
func (s *shop) delivers(n int) {
	s.t.Helper()
	body := fmt.Sprintf(`{"amount":4990,"description":"Vaso","externalId":"%d",`+
		`"customer":{"name":"Carla","phone":"+55 11 91234-0000"}}`, n)
	if status, answer := s.call(http.MethodPost, "/v1/checkouts", body, ""); status != http.StatusCreated {
		s.t.Fatalf("created: %d %s", status, answer)
	}
	s.until(fmt.Sprintf("%d posts", n), func() bool { return len(s.seen()) >= n })
}

// link creates a payment link and returns its id.
func (s *shop) link(key string) string {
	s.t.Helper()
	status, answer := s.call(http.MethodPost, "/v1/payment-links", `{"productId":"vaso-lua-nova"}`, key)
	_, id, _ := strings.Cut(answer, `"paymentLinkId":"`)
	id, _, ok := strings.Cut(id, `"`)
	if status != http.StatusCreated && status != http.StatusOK || !ok {
		s.t.Fatalf("a link: %d %s", status, answer)
	}
	return id
}

// cursor returns a cursor of the list of checkouts.
func (s *shop) cursor() string {
	s.t.Helper()
	_, answer := s.call(http.MethodGet, "/v1/checkouts?limit=1", "", "")
	_, cursor, _ := strings.Cut(answer, `"nextCursor":"`)
	cursor, _, ok := strings.Cut(cursor, `"`)
	if !ok {
		s.t.Fatalf("no cursor in %s", answer)
	}
	return cursor
}

// call makes a request with the shop's key.
func (s *shop) call(method, path, body, idempotencyKey string) (status int, answer string) {
	s.t.Helper()
	request, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.key)
	request.Header.Set("Idempotency-Key", idempotencyKey)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func (s *shop) list(cursor string) int {
	s.t.Helper()
	status, _ := s.call(http.MethodGet, "/v1/checkouts?limit=1&cursor="+cursor, "", "")
	return status
}
