package webhook_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"garoupa/webhook"
)

func TestParseBackoff(t *testing.T) {
	t.Parallel()
	got, err := webhook.ParseBackoff(" 1ms, 2s ,3m,4h ")
	if err != nil {
		t.Fatal(err)
	}
	want := []time.Duration{time.Millisecond, 2 * time.Second, 3 * time.Minute, 4 * time.Hour}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParseBackoffErrors(t *testing.T) {
	t.Parallel()
	tests := []struct{ setting, says string }{
		{"", "want 4 waits"},
		{"60s,5m,15m", "want 4 waits"},
		{"60s,5m,15m,60m,2h", "want 4 waits"},
		{"60s,5m,15m,", "wait 4"},
		{"60,5m,15m,60m", "wait 1: time: missing unit"},
		{"60s,0s,15m,60m", "wait 2 is not positive"},
		{"60s,5m,-15m,60m", "wait 3 is not positive"},
		{"60s;5m;15m;60m", "want 4 waits"},
	}
	for _, test := range tests {
		waits, err := webhook.ParseBackoff(test.setting)
		if err == nil {
			t.Errorf("ParseBackoff(%q) = %v, want an error", test.setting, waits)
			continue
		}
		if !strings.Contains(err.Error(), test.says) {
			t.Errorf("ParseBackoff(%q): %q does not say %q", test.setting, err, test.says)
		}
	}
}
