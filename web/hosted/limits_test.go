package hosted_test

import (
	"net/http"
	"testing"
	"time"

	"garoupa/internal/ratelimit"
	"garoupa/payments"
	"garoupa/web"
	"garoupa/web/webtest"
)

// Too many requests of one address are told to wait; others are not.
func TestLimits(t *testing.T) {
	t.Parallel()
	s := webtest.NewLimited(t, web.Limits{
		Pages: ratelimit.New(ratelimit.Rate{Tokens: 1, Per: time.Minute, Burst: 3}),
	})
	c := s.Checkout(t, payments.NewCheckout{})
	visitor := s.Client(t)
	for i := range 5 {
		a := visitor.Get("/pay/" + c.ID)
		if want := map[bool]int{true: 200, false: 429}[i < 3]; a.Status != want ||
			(want == 429) != (a.Header.Get("Retry-After") != "") {
			t.Errorf("request %d: %d, Retry-After %q", i+1, a.Status, a.Header.Get("Retry-After"))
		}
	}
	if a := visitor.Get("/qr/" + c.ID + ".png"); a.Status != http.StatusTooManyRequests {
		t.Errorf("another public page of the same address: %d", a.Status)
	}
	s.Clock.Advance(time.Minute)
	if a := visitor.Get("/pay/" + c.ID); a.Status != http.StatusOK {
		t.Errorf("a minute later: %d", a.Status)
	}
}
