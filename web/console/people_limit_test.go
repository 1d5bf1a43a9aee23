package console_test

import (
	"net/http"
	"testing"
	"time"

	"garoupa/internal/ratelimit"
	"garoupa/models"
	"garoupa/web"
	"garoupa/web/webtest"
)

// The limit of a person holds in the console, too.
func TestPeople_Console(t *testing.T) {
	t.Parallel()
	people := ratelimit.New(ratelimit.Rate{Tokens: 1, Per: time.Hour, Burst: 30})
	s := webtest.NewLimited(t, web.Limits{People: people})
	c, _ := s.Console(t, models.StaffReviewer)
	for range 30 {
		c.Get("/ops")
	}
	if a := c.Get("/ops/contas"); a.Status != http.StatusTooManyRequests || a.Header.Get("Retry-After") == "" {
		t.Errorf("a page after all requests: %d", a.Status)
	}
}
