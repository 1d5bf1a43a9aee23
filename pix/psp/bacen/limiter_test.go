package bacen

import (
	"context"
	"testing"
	"time"
)

// Creations that meet the bank's limit again and again pass a look over only once.
func TestLimiter_PauseUponPause(t *testing.T) {
	t.Parallel()
	const latency, wanted = 10 * time.Millisecond, 2 * time.Second
	now, waits := time.Now(), 0
	profiles, err := Profiles(nil)
	if err != nil {
		t.Fatal(err)
	}
	generic, err := Named(profiles, "generic")
	if err != nil {
		t.Fatal(err)
	}
	l := newLimiter(Options{Profile: generic, Now: func() time.Time { return now }})
	l.wait = func(_ context.Context, d time.Duration) error {
		then := now.Add(d)
		for waits++; waits < 10 && !then.Before(l.until.Add(latency)); {
			now = l.until.Add(latency) // a creation continued first, and its answer is a 429
			l.pause(wanted)
		}
		now = then
		return nil
	}
	for r, want := range map[rank]int{first: 1, look: 2, old: 3} {
		waits = 0
		l.pause(wanted)
		if err := l.enter(t.Context(), r, false); err != nil || waits != want {
			t.Errorf("rank %d waited %d times, not %d: %v", r, waits, want, err)
		}
	}
}
