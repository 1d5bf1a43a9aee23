package dashboard

import (
	"context"
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/layouts"
	"garoupa/web/page"
)

// lookForNews is how often an open page reads itself again without an event, for what has none: a
// settlement, or a delivery.
const lookForNews = 30 * time.Second

// pulse handles GET /app/pulso/events: it tells an open page of the project and environment that there is
// something new. Each call is news, since an event may be committed after a later one.
func (s *dashboard) pulse(c *fiber.Ctx) error {
	scope := page.Scope(c)
	latest, err := models.LatestEventID(c.UserContext(), s.DB.Pool, scope)
	if err != nil {
		return fmt.Errorf("dashboard: read the latest event: %w", err)
	}
	return s.Pulse(c, page.Pulse{Watched: scope.Changes(), Person: page.Visitor(c).UserID, Look: lookForNews,
		Mark: func(_ context.Context, beat int) (string, error) {
			if beat == 0 {
				return latest, nil
			}
			return fmt.Sprintf("%s+%d", latest, beat), nil
		}})
}

// keepCurrent lets the page of the shell follow the stream of its scope. It is called before the page's data is
// read. A page that cannot be marked is not followed.
func keepCurrent(s *page.Site, c *fiber.Ctx, shell *layouts.Shell) {
	latest, err := models.LatestEventID(c.UserContext(), s.DB.Pool, page.Scope(c))
	if !lacks(s, c, "pulse", err) {
		shell.Pulse = layouts.Pulse{Stream: "/app/pulso/events", Mark: latest}
	}
}
