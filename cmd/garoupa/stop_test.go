package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"garoupa/internal/faulttest"
	"garoupa/models/modelstest"
)

// balancer sends requests to the processes that are ready, over connections that it keeps,
// and repeats none.
type balancer struct {
	client    http.Client
	processes []string
	ready     []atomic.Bool
}

func newBalancer(t *testing.T, processes ...string) *balancer {
	t.Helper()
	b := &balancer{client: http.Client{Timeout: patience}, processes: processes,
		ready: make([]atomic.Bool, len(processes))}
	ctx, cancel := context.WithCancel(context.Background())
	var probes sync.WaitGroup
	t.Cleanup(func() { cancel(); probes.Wait() })
	for i, url := range processes {
		b.ready[i].Store(true)
		probes.Go(func() {
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for {
				answer, err := b.client.Get(url + "/readyz")
				if err == nil {
					answer.Body.Close()
				}
				b.ready[i].Store(err == nil && answer.StatusCode == http.StatusOK)
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
			}
		})
	}
	return b
}

// create creates a checkout at a ready process and returns "201" or the error.
func (b *balancer) create(n int, key, idempotencyKey string) string {
	at := b.processes[n%len(b.processes)]
	for i := range b.processes {
		if j := (n + i) % len(b.processes); b.ready[j].Load() {
			at = b.processes[j]
			break
		}
	}
	body := bytes.NewReader([]byte(`{"amount": 4990, "description": "Vaso", "externalId": "x"}`))
	// net/http cannot read it twice, so it repeats nothing
	request, err := http.NewRequest(http.MethodPost, at+"/v1/checkouts", io.NopCloser(body))
	if err != nil {
		return err.Error()
	}
	request.ContentLength = body.Size()
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Idempotency-Key", idempotencyKey)
	answer, err := b.client.Do(request)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusCreated {
		return fmt.Sprintf("%d %s %v", answer.StatusCode, text, err)
	}
	return "201"
}

// Clients that keep their connections to a balancer do not notice when one of two processes
// stops.
func TestStop_Drains(t *testing.T) {
	t.Parallel()
	url := modelstest.NewURL(t)
	settings := []string{"GAROUPA_DRAIN_TIME=4s", "GAROUPA_SECRET_KEY=" + strings.Repeat("ab", 32)}
	one, other := newProgramOver(t, "DATABASE_URL="+url, settings...),
		newProgramOver(t, "DATABASE_URL="+url, settings...)
	key := one.demo().Keys.Test
	stopping := one.serve()
	other.serve()
	b := newBalancer(t, one.url, other.url)

	stopped := make(chan struct{})
	var clients sync.WaitGroup
	var made atomic.Int64
	for client := range 8 {
		clients.Go(func() {
			for n := 0; ; n++ {
				if got := b.create(n, key, fmt.Sprintf("%d-%d", client, n)); got != "201" {
					t.Errorf("client %d: %s", client, got)
				}
				made.Add(1)
				select {
				case <-stopped:
					return
				default:
				}
			}
		})
	}
	for tick := time.NewTicker(10 * time.Millisecond); made.Load() < 50; {
		<-tick.C
	}
	one.stop(stopping, syscall.SIGTERM)
	close(stopped)
	clients.Wait()
}

// Unused connections, which clients opened in advance, do not delay a stop.
func TestStop_UnusedConnections(t *testing.T) {
	t.Parallel()
	p := newProgramOver(t, "DATABASE_URL="+modelstest.NewURL(t))
	server := p.serve()
	var last net.Conn
	for range 4 {
		var err error
		if last, err = net.Dial("tcp", strings.TrimPrefix(p.url, "http://")); err != nil {
			t.Fatal(err)
		}
		defer last.Close()
	}
	// Once the last connection is answered, the earlier ones are accepted.
	if _, err := io.WriteString(last, "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := last.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	p.stop(server, syscall.SIGTERM)
}

// A stop ends, and every request is answered, while the database hangs.
func TestStop_DatabaseHangs(t *testing.T) {
	t.Parallel()
	proxy := faulttest.NewProxy(t, modelstest.NewURL(t))
	// long enough for the requests to arrive
	p := newProgramOver(t, "DATABASE_URL="+proxy.URL(), "GAROUPA_REQUEST_TIMEOUT=1h", "GAROUPA_DRAIN_TIME=3s")
	key := p.demo().Keys.Test
	server := p.serve()
	if status, _ := p.create(key, "before"); status != http.StatusCreated {
		t.Fatalf("created %d", status)
	}
	proxy.Silence()
	answers := make(chan int)
	for i := range 8 {
		go func() {
			status, _ := p.create(key, fmt.Sprint(i))
			answers <- status
		}()
	}
	if err := server.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for range 8 {
		if status := <-answers; status != http.StatusServiceUnavailable {
			t.Errorf("a request that hung was answered with %d", status)
		}
	}
	select {
	case err := <-server.ended: // normally, or with a line about what did not finish
		if err != nil && !strings.Contains(server.log.String(), "jobs in progress did not end in time") {
			t.Errorf("ended with %v\n%s", err, server.log)
		}
	case <-time.After(patience):
		t.Fatal("the process did not end")
	}
}

// The probe reports why a process is not ready.
func TestProbe_Reasons(t *testing.T) {
	t.Parallel()
	proxy := faulttest.NewProxy(t, modelstest.NewURL(t))
	p := newProgramOver(t, "DATABASE_URL="+proxy.URL())
	p.serve()
	if ran := p.try("serve", "-probe"); ran.status != 0 {
		t.Errorf("ready: %d %s", ran.status, ran.wrong)
	}
	proxy.Refuse()
	if ran := p.try("serve", "-probe"); ran.status != 1 ||
		!strings.Contains(ran.wrong, "the database does not answer") {
		t.Errorf("without a database: %d %s", ran.status, ran.wrong)
	}
}
