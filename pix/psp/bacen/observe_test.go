package bacen_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"garoupa/pix/psp"
	"garoupa/pix/psp/bacen"
)

// The client tells of each try how it ended and how long the bank took. After five failures in a row calls are
// held, and what its caller gave up is not told.
func TestObserve(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []bacen.Observation
	status, body := http.StatusInternalServerError, ""
	var p *played
	p = play(t, func(w http.ResponseWriter, _ *http.Request) {
		_ = p.Clock.Wait(context.Background(), 40*time.Millisecond) // the bank takes that long
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}, func(o *bacen.Options) {
		o.Observe = func(one bacen.Observation) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, one)
		}
	})
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, _ = p.Charge(gone, txID)
	if len(seen) != 0 {
		t.Errorf("of a call that was given up it tells %+v", seen)
	}
	status = http.StatusNotFound
	_, _ = p.Charge(t.Context(), txID)
	if len(seen) != 1 || seen[0].Op != "read charge" || seen[0].Err.Kind != psp.NotFound || !seen[0].Answered() ||
		seen[0].Took != 40*time.Millisecond {
		t.Errorf("of a refusal it tells %+v", seen)
	}
	seen, status = nil, http.StatusInternalServerError
	for range 2 {
		_, _ = p.Charge(t.Context(), txID)
	}
	held := 0
	for i, one := range seen {
		if one.Answered() || one.Err == nil || one.Err.Kind != psp.Unavailable || one.Held != (i >= 5) {
			t.Errorf("try %d: %+v", i+1, one)
		}
		if one.Held {
			held++
		}
	}
	if len(seen) != 6 || held != 1 {
		t.Errorf("of two looks it tells %d times, %d held", len(seen), held)
	}
}
