package bacen

import (
	"testing"
	"time"

	"garoupa/pix/psp"
)

func newBreaker() (*breaker, *time.Time) {
	now := time.Date(2026, 11, 23, 20, 0, 0, 0, time.UTC)
	return &breaker{now: func() time.Time { return now }}, &now
}

func TestBreaker_InARow(t *testing.T) {
	t.Parallel()
	b, now := newBreaker()
	for _, kind := range []psp.Kind{psp.Unavailable, psp.Ambiguous, psp.Unauthorized, psp.Unavailable, psp.NotFound,
		psp.Unavailable, psp.Unavailable, psp.Unavailable, psp.Unavailable} {
		b.note(kind)
	}
	if b.admit() != proceed || !b.since().IsZero() {
		t.Fatal("it opened before five failures in a row")
	}
	b.note(psp.Ambiguous)
	if b.admit() != refuse || !b.since().Equal(*now) || b.untilProbe() != firstProbe {
		t.Fatalf("it did not open: %v, %v", b.since(), b.untilProbe())
	}
}

func TestBreaker_Half(t *testing.T) {
	t.Parallel()
	for pause, want := range map[time.Duration]admission{time.Second: refuse, 2 * time.Second: proceed} {
		b, now := newBreaker()
		for i := range recentCalls {
			b.note(map[bool]psp.Kind{true: psp.Unavailable, false: ""}[i%2 == 1])
			*now = now.Add(pause)
		}
		b.note(psp.Unavailable)
		if got := b.admit(); got != want {
			t.Errorf("half of %d calls, one every %s: %v, want %v", recentCalls, pause, got, want)
		}
	}
}

// Probes come after 5, 10, 20, 40, 60 and 60 seconds, one at a time. A bank that answers only probes
// is tried less and less too.
func TestBreaker_Probes(t *testing.T) {
	t.Parallel()
	b, now := newBreaker()
	for range failuresInRow {
		b.note(psp.Unavailable)
	}
	for _, seconds := range []int{5, 10, 20, 40, 60, 60} {
		*now = now.Add(time.Duration(seconds)*time.Second - 1)
		if b.admit() != refuse {
			t.Fatalf("a probe before %d seconds", seconds)
		}
		*now = now.Add(1)
		if first, second := b.admit(), b.admit(); first != probe || second != refuse {
			t.Fatalf("after %d seconds: %v, %v", seconds, first, second)
		}
		b.probed(false)
	}
	*now = now.Add(longestProbe)
	b.admit()
	if b.probed(true); b.admit() != proceed || !b.since().IsZero() {
		t.Fatal("a probe that was answered did not close it")
	}
	for range failuresInRow {
		b.note(psp.Unavailable)
	}
	if b.untilProbe() != longestProbe {
		t.Errorf("after it opened again without a success: %v", b.untilProbe())
	}
	*now = now.Add(longestProbe)
	b.admit()
	b.probed(true)
	b.note("")
	for range failuresInRow {
		b.note(psp.Unavailable)
	}
	if b.untilProbe() != firstProbe {
		t.Errorf("after a success: %v", b.untilProbe())
	}
}
