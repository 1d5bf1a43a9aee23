package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sync/errgroup"

	"garoupa/webhook"
)

// senders is the number of concurrent posts on both sides: as many as the product makes to
// one endpoint.
const senders = 100

// receiver is a merchant's server that only answers and records times.
type receiver struct {
	url    string
	server *fasthttp.Server
	count  atomic.Int64
	first  atomic.Int64 // Unix nanoseconds of the first post since reset

	mu       sync.Mutex
	expected map[string]time.Time // when a checkout was requested, by externalId
	delays   *histogram
}

// newReceiver listens on an address that the system chooses.
func newReceiver() (*receiver, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{url: "http://" + listener.Addr().String() + "/hook", expected: map[string]time.Time{},
		delays: &histogram{}}
	r.server = &fasthttp.Server{Handler: r.answer, NoDefaultServerHeader: true}
	go r.server.Serve(listener)
	return r, nil
}

func (r *receiver) answer(c *fasthttp.RequestCtx) {
	now := time.Now()
	r.count.Add(1)
	r.first.CompareAndSwap(0, now.UnixNano())
	c.SetStatusCode(fasthttp.StatusNoContent)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.expected) == 0 {
		return
	}
	_, rest, _ := bytes.Cut(c.PostBody(), []byte(`"externalId":"`))
	id, _, _ := bytes.Cut(rest, []byte(`"`))
	if asked, ok := r.expected[string(id)]; ok {
		delete(r.expected, string(id))
		r.delays.add(now.Sub(asked))
	}
}

func (r *receiver) reset() {
	r.count.Store(0)
	r.first.Store(0)
}

// expect records that a checkout is about to be requested.
func (r *receiver) expect(externalID string, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expected[externalID] = at
}

// missing returns how many expected events have not come.
func (r *receiver) missing() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.expected)
}

// postAll is the bare loop: it signs a body and posts it with the product's headers for a
// time, and returns the posts per second. It makes no look-up, checks no address and stores
// nothing.
func postAll(ctx context.Context, url string, body []byte, length time.Duration) (float64, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: senders, DisableCompression: true},
		Timeout: webhook.Timeout}
	defer client.CloseIdleConnections()
	group, ctx := errgroup.WithContext(ctx)
	var posted atomic.Int64
	start := time.Now()
	for range senders {
		group.Go(func() error {
			for time.Since(start) < length && ctx.Err() == nil {
				if err := postOne(ctx, client, url, body); err != nil {
					return err
				}
				posted.Add(1)
			}
			return nil
		})
	}
	err := group.Wait()
	return float64(posted.Load()) / time.Since(start).Seconds(), err
}

func postOne(ctx context.Context, client *http.Client, url string, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header = http.Header{
		"Content-Type": {"application/json"}, "User-Agent": {"Garoupa-Webhooks/1.0"},
		"X-Svc-Signature": {webhook.Sign("whsec_00000000000000000000000000000000", body)},
		"X-Svc-Event-Id":  {"evt_000000000000000000000000"},
		"X-Svc-Timestamp": {time.Now().UTC().Format("2006-01-02T15:04:05.000Z")}, "X-Svc-Attempt": {"1"},
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err == nil && answer.StatusCode != http.StatusNoContent {
		err = fmt.Errorf("the receiver answered %s", answer.Status)
	}
	return err
}
