//go:build faults || cluster

package faults

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	clients    = 8
	pace       = 150 * time.Millisecond // between the charges of one client
	clientWait = 15 * time.Second       // the client's own time limit, longer than the server's
)

// seen is what the clients observed.
type seen struct {
	mu      sync.Mutex
	charges map[string]string // external id → id of the checkout whose payment was acknowledged
	answers map[string]int    // answers other than success, by kind
	last    time.Time         // of a success
	silence time.Duration     // the longest time without a success
}

func (s *seen) success() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := time.Now(); s.last.IsZero() {
		s.last = now
	} else {
		s.silence = max(s.silence, now.Sub(s.last))
		s.last = now
	}
}

func (s *seen) failure(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[what]++
}

// under lets clients create and pay charges while something is broken, and returns what
// they observed. Each request is repeated with its key, at each process in turn, until it
// succeeds.
func (s *site) under(broken func()) *seen {
	s.t.Helper()
	saw := &seen{charges: map[string]string{}, answers: map[string]int{}}
	stop := make(chan struct{})
	var working sync.WaitGroup
	for i := range clients {
		working.Go(func() {
			c := client{site: s, saw: saw, at: i, http: &http.Client{Timeout: clientWait, Transport: &http.Transport{}}}
			defer c.http.CloseIdleConnections()
			for {
				select {
				case <-stop:
					return
				case <-time.After(pace):
					c.charge()
				}
			}
		})
	}
	time.Sleep(2 * time.Second) // healthy operation before
	broken()
	time.Sleep(2 * time.Second) // and after
	close(stop)
	working.Wait()
	saw.mu.Lock()
	defer saw.mu.Unlock()
	return saw
}

// client creates and pays charges, one after the other.
type client struct {
	site *site
	saw  *seen
	at   int // the process that it uses
	http *http.Client
}

func (c *client) charge() {
	externalID := rand.Text()
	body := `{"amount": 4990, "description": "Vaso", "externalId": "` + externalID + `"}`
	id := c.insist("/v1/checkouts", body, externalID)
	if id == "" || c.insist("/v1/test/checkouts/"+id+"/pay", "", "") == "" {
		return
	}
	c.saw.mu.Lock()
	defer c.saw.mu.Unlock()
	c.saw.charges[externalID] = id
}

// insist repeats the request until it succeeds and returns the checkout's id. If a
// repetition finds the payment already made, that is a success.
func (c *client) insist(path, body, key string) (id string) {
	deadline := time.Now().Add(patience)
	for first := true; time.Now().Before(deadline); first = false {
		id, what := c.ask(path, body, key)
		if what == "" || what == "409" && !first {
			c.saw.success()
			if id == "" {
				id = "made"
			}
			return id
		}
		c.saw.failure(what)
		c.at++
		time.Sleep(100 * time.Millisecond)
	}
	c.saw.failure("gave up")
	return ""
}

// ask sends the request once. what is "" for a success.
func (c *client) ask(path, body, key string) (id, what string) {
	p := c.site.processes[c.at%len(c.site.processes)]
	request, err := http.NewRequest(http.MethodPost, p.url+path, strings.NewReader(body))
	if err != nil {
		return "", err.Error()
	}
	request.Header.Set("Authorization", "Bearer "+c.site.key)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return "", networkWord(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return "", networkWord(err)
	}
	var answer struct{ ID string }
	if response.StatusCode/100 != 2 {
		status := http.StatusText(response.StatusCode)
		if response.StatusCode == http.StatusConflict {
			return "", "409"
		}
		if response.StatusCode == http.StatusServiceUnavailable && response.Header.Get("Retry-After") != "" {
			return "", "503 with Retry-After"
		}
		return "", strings.TrimSpace(response.Status[:3] + " " + status)
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return "", "an answer that is not JSON"
	}
	return answer.ID, ""
}

// networkWord describes in a word why a request got no answer.
func networkWord(err error) string {
	if timed, ok := errors.AsType[net.Error](err); ok && timed.Timeout() {
		return "time-out"
	}
	if strings.Contains(err.Error(), "refused") {
		return "refused"
	}
	return "broken connection"
}

// receiver is the merchant's server.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	events map[string]int // the number of times each event came, by its id
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{events: map[string]int{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		_, _ = io.Copy(io.Discard, request.Body)
		r.mu.Lock()
		r.events[request.Header.Get("x-svc-event-id")]++
		r.mu.Unlock()
	}))
	t.Cleanup(r.Server.Close)
	return r
}

// counts returns the number of events, and how many of them came more than once.
func (r *receiver) counts() (came, again int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.events {
		if n > 1 {
			again++
		}
	}
	return len(r.events), again
}
