package bacen

import (
	"net/http"
	"testing"
	"time"
)

// The estimate is the median of ten answers, so that one that was delayed changes nothing.
func TestClock(t *testing.T) {
	t.Parallel()
	var c clock
	now := time.Date(2026, 11, 23, 20, 0, 0, 0, time.UTC)
	answered := func(ahead time.Duration) {
		c.note(http.Header{"Date": {now.Add(ahead).Format(http.TimeFormat)}}, now, now.Add(time.Second))
	}
	if c.skew() != 0 {
		t.Errorf("without answers: %v", c.skew())
	}
	c.note(http.Header{"Date": {"yesterday"}}, now, now)
	c.note(http.Header{}, now, now)
	for _, step := range []struct{ ahead, want time.Duration }{
		{30 * time.Second, 30 * time.Second}, {600 * time.Second, 315 * time.Second},
		{30 * time.Second, 30 * time.Second}, {29 * time.Second, 30 * time.Second},
		{-1000 * time.Second, 30 * time.Second},
	} {
		if answered(step.ahead); c.skew() != step.want {
			t.Errorf("after %v: %v, want %v", step.ahead, c.skew(), step.want)
		}
	}
	for range clockSamples {
		answered(-2 * time.Second)
	}
	if c.skew() != -2*time.Second {
		t.Errorf("old answers count: %v", c.skew())
	}
}
