package server

import (
	"context"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/migrations"
	"garoupa/models"
)

// readyTimeout bounds how long a readiness check may take.
const readyTimeout = 2 * time.Second

// ready handles GET /readyz: 200 when the database answers and has the schema,
// River's queue included, that this program was built for; else 503.
func ready(db *models.DB, timeout time.Duration) fiber.Handler {
	return func(c *fiber.Ctx) error {
		ctx, cancel := context.WithTimeout(c.UserContext(), timeout)
		defer cancel()
		current, err := migrations.Current(ctx, db.Pool)
		if err != nil {
			slog.WarnContext(ctx, "not ready", "err", err)
			return c.Status(fiber.StatusServiceUnavailable).SendString("the database does not answer\n")
		}
		if !current {
			return c.Status(fiber.StatusServiceUnavailable).SendString("the database is not at this program's version: run garoupa migrate\n")
		}
		return c.SendString("ok\n")
	}
}
