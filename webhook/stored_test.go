package webhook_test

import (
	"net/http"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"garoupa/webhook"
)

// What is stored of an attempt, and what is known of it otherwise, are together the headers that were sent.
func TestStored(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	at := time.Date(2026, 11, 27, 9, 0, 0, 987_654_321, time.UTC)
	kept := at.Truncate(time.Microsecond) // by the database
	for name, tc := range map[string]struct {
		change func(*webhook.Attempt)
		stored int
	}{
		"first":                 {func(*webhook.Attempt) {}, 2},
		"second":                {func(a *webhook.Attempt) { a.Number = 2 }, 3},
		"rotation":              {func(a *webhook.Attempt) { a.PreviousSecret = oldSecret }, 3},
		"no standard signature": {func(a *webhook.Attempt) { a.Secret = "short!" }, 1},
		"own headers":           {func(a *webhook.Attempt) { a.Headers = http.Header{"X-Shop": {"1", "2"}} }, 3},
	} {
		a := attempt(server.URL)
		a.At, a.Number = at, 1
		tc.change(&a)
		sent := newClient().Post(t.Context(), a).RequestHeaders
		stored := webhook.Stored(sent, a.EventID, a.At)
		if len(stored) != tc.stored {
			t.Errorf("%s: %v are stored, want %d", name, stored, tc.stored)
		}
		if diff := gocmp.Diff(sent, webhook.Sent(stored, a.EventID, kept)); diff != "" {
			t.Errorf("%s (-sent +read):\n%s", name, diff)
		}
		// Earlier versions stored all of them.
		if diff := gocmp.Diff(sent, webhook.Sent(sent, a.EventID, at.Add(time.Hour))); diff != "" {
			t.Errorf("%s, stored whole (-sent +read):\n%s", name, diff)
		}
	}
	if sent := webhook.Sent(nil, "evt_0123456789abcdef01234567", at); len(sent) != 0 {
		t.Errorf("without headers, Sent = %v", sent)
	}
}
