package server

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
)

// The context of a request ends after the request's time, and with the server's.
func TestDeadline(t *testing.T) {
	t.Parallel()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for name, tc := range map[string]struct {
		base context.Context
		time time.Duration
		want error
	}{
		"the time of the request is over": {t.Context(), time.Millisecond, context.DeadlineExceeded},
		"the server stops":                {stopped, time.Hour, context.Canceled},
	} {
		app := fiber.New()
		app.Use(deadline(tc.base, tc.time))
		app.Get("/", func(c *fiber.Ctx) error {
			select {
			case <-c.UserContext().Done():
				return c.SendString(c.UserContext().Err().Error())
			case <-time.After(time.Minute):
				return fiber.ErrInternalServerError
			}
		})
		answer, err := app.Test(httptest.NewRequest("GET", "/", nil), -1)
		if err != nil {
			t.Fatal(err)
		}
		text := make([]byte, 64)
		n, _ := answer.Body.Read(text) // at its end, with the data so far
		if answer.StatusCode != 200 || string(text[:n]) != tc.want.Error() {
			t.Errorf("%s: %d %q, want %q", name, answer.StatusCode, text[:n], tc.want)
		}
	}
}
