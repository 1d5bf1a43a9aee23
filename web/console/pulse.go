package console

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/web/page"
)

// lookAtQueues is how often an open page of the console learns what waits for staff. Only staff watch, so each
// stream looks by itself.
const lookAtQueues = 5 * time.Second

// pulse handles GET /ops/pulso/events: it tells an open page of the console that other work waits.
func (s *console) pulse(c *fiber.Ctx) error {
	return s.Pulse(c, page.Pulse{Person: page.Visitor(c).UserID, Look: lookAtQueues,
		Mark: func(ctx context.Context, _ int) (string, error) {
			queues, err := models.StaffQueues(ctx, s.DB.Read)
			return queues.Mark(), err
		}})
}
