package main

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"garoupa/internal/faulttest"
	"garoupa/internal/server/servertest"
	"garoupa/models"
)

// beside starts one more process of the program, on an address of its own, with another address of the database.
func (s *shop) beside(database string) *process {
	s.t.Helper()
	address := servertest.Address(s.t)
	other := *s.program
	other.url = "http://" + address
	other.env = append(s.env[:len(s.env):len(s.env)], "GAROUPA_LISTEN="+address, "DATABASE_URL="+database)
	return other.serve()
}

// Of three processes one is cut off from the database without a word, and one is frozen, each in the middle of
// its attempts, while endpoints fail at random. Meanwhile every event arrives, or is shown as failed: the third
// process takes over. When the two return, what they record late changes no schedule, and nothing is lost.
func TestDeliveries_Apart(t *testing.T) {
	t.Parallel()
	const endpoints, events = 4, 60
	var mu sync.Mutex
	accepted := map[parcel]bool{}
	random := rand.New(rand.NewPCG(3, 5))
	s := newShop(t, endpoints, func(w http.ResponseWriter, r *http.Request, p parcel, _ int) {
		mu.Lock()
		roll := random.IntN(100)
		mu.Unlock()
		if roll < 30 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if roll < 50 { // slow, so that the two processes have attempts in progress when they are lost
			select {
			case <-r.Context().Done():
				return
			case <-time.After(2 * time.Second):
			}
		}
		mu.Lock()
		accepted[p] = true
		mu.Unlock()
	}, "GAROUPA_WEBHOOK_BACKOFF=50ms,100ms,150ms,200ms")
	url := s.db.Pool.Config().ConnString()
	network := faulttest.NewProxy(t, url)
	s.serve()
	s.beside(network.URL())
	frozen := s.beside(url)
	for n := range events {
		s.charge(n)
		if n == events/2 {
			s.until("attempts are in progress", func() bool { return len(s.seen()) > events })
			network.Silence()
			thaw := faulttest.Freeze(t, frozen.Process)
			defer thaw()
		}
	}
	check := func(when string) {
		t.Helper()
		for p, f := range s.settled() {
			mu.Lock()
			arrived := accepted[p]
			mu.Unlock()
			delivered := f.status == models.DeliveryDelivered && f.succeeded >= 1 && arrived
			failed := f.status == models.DeliveryFailed && f.succeeded == 0 && f.attempts >= 5
			if f.kept != f.attempts || !delivered && !failed {
				t.Errorf("%s: %+v, accepted: %t, has the delivery %+v", when, p, arrived, f)
			}
		}
	}
	check("while two are lost")
	network.Restore()
	faulttest.Freeze(t, frozen.Process)() // thaws
	s.charge(events)
	check("after their return")
	if len(s.odd) > 0 {
		t.Error(strings.Join(s.odd, "\n"))
	}
}
