package browsertest

import (
	"net/http"
	"testing"

	"github.com/gofiber/fiber/v2"
)

func TestServeStopsWithTheTest(t *testing.T) {
	t.Parallel()
	var base string
	t.Run("served", func(t *testing.T) {
		app := fiber.New(fiber.Config{DisableStartupMessage: true})
		app.Get("/", func(c *fiber.Ctx) error {
			c.Type("html")
			return c.SendString(`<!doctype html><link rel="icon" href="data:,"><h1>Fiber</h1>`)
		})
		base = Serve(t, app)
		Open(t, base, Options{}).WaitText("h1", "Fiber")
	})
	if answer, err := http.Get(base); err == nil {
		answer.Body.Close()
		t.Error("the server still answers")
	}
}
