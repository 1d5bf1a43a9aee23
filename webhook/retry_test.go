package webhook_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"garoupa/webhook"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 400_000_000, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                               0,
		"0":                              0,
		"1":                              time.Second,
		"120":                            2 * time.Minute,
		"3600":                           time.Hour,
		"3601":                           time.Hour,
		"9223372036854775807":            time.Hour, // too long for a time.Duration
		"99999999999999999999999999999":  time.Hour,
		"-1":                             0,
		"1.5":                            0,
		"soon":                           0,
		"60, 120":                        0,
		"Fri, 20 Nov 2026 12:00:30 GMT":  29*time.Second + 600*time.Millisecond,
		"Friday, 20-Nov-26 12:00:30 GMT": 29*time.Second + 600*time.Millisecond,
		"Fri, 20 Nov 2026 11:59:59 GMT":  0,
		"Sat, 21 Nov 2026 12:00:00 GMT":  time.Hour,
		"Sun, 21 Nov 9999 12:00:00 GMT":  time.Hour, // 8000 years are too long for a time.Duration
	} {
		if got := webhook.RetryAfter(value, now); got != want {
			t.Errorf("Retry-After: %s: %s, want %s", value, got, want)
		}
	}
}

// Every answer that is not a success may ask for a longer wait. A success has no next attempt.
func TestPostReadsRetryAfter(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]time.Duration{
		200: 0, 204: 0, 302: 90 * time.Second, 404: 90 * time.Second, 429: 90 * time.Second, 503: 90 * time.Second,
	} {
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "90")
			w.WriteHeader(status)
		})
		if outcome := newClient().Post(t.Context(), attempt(server.URL)); outcome.RetryAfter != want {
			t.Errorf("%d: %s, want %s", status, outcome.RetryAfter, want)
		}
	}
	date := time.Now().Add(30 * time.Minute).UTC().Format(http.TimeFormat)
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", date)
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	before := time.Now()
	outcome := newClient().Post(t.Context(), attempt(server.URL))
	until, err := http.ParseTime(date)
	if least, most := time.Until(until), until.Sub(before); err != nil || outcome.RetryAfter < least ||
		outcome.RetryAfter > most {
		t.Errorf("until %s: %s, want %s to %s, %v", strconv.Quote(date), outcome.RetryAfter, least, most, err)
	}
}
