package requestid_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"garoupa/internal/requestid"
)

func TestValid(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]bool{
		"a": true, "req_0123": true, "A.b_c:d-9": true, strings.Repeat("x", 128): true,
		"": false, strings.Repeat("x", 129): false, "a b": false, "a\n": false, "é": false, "a/b": false, `"`: false,
	} {
		if got := requestid.Valid(id); got != want {
			t.Errorf("Valid(%q) = %v", id, got)
		}
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	a, b := requestid.New(), requestid.New()
	if !regexp.MustCompile(`^req_[0-9a-f]{24}$`).MatchString(a) || a == b {
		t.Errorf("New gives %q and %q", a, b)
	}
	if got := requestid.Of(requestid.With(context.Background(), a)); got != a {
		t.Errorf("Of(With(%q)) = %q", a, got)
	}
}
