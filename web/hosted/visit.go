package hosted

import (
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/web/page"
)

// visitLasts is how long a browser's views of a link's page are one visit.
const visitLasts = 30 * time.Minute

// countVisit counts a visit of a link's page that can sell. A person's browser says that it navigates, and not ahead
// of the person (Fetch Metadata: Sec-Fetch-Mode, Sec-Purpose); messengers that fetch a preview, and bots, say nothing.
// The cookie tells the browser's next views apart, and nothing about the browser.
func (s *hosted) countVisit(c *fiber.Ctx, link *models.PublicPaymentLink) {
	if c.Method() != fiber.MethodGet || c.Response().StatusCode() != fiber.StatusOK ||
		c.Get("Sec-Fetch-Mode") != "navigate" || c.Get("Sec-Purpose") != "" {
		return
	}
	path := linkPath(link)
	name := page.CookieName(s.CheckoutURL, path, "garoupa_visit")
	if c.Cookies(name) == "" {
		s.Payments.VisitPaymentLink(link.ID)
	}
	c.Cookie(&fiber.Cookie{
		Name: name, Value: "1", Path: path, MaxAge: int(visitLasts / time.Second),
		HTTPOnly: true, Secure: strings.HasPrefix(s.CheckoutURL, "https://"), SameSite: fiber.CookieSameSiteLaxMode,
	})
}
