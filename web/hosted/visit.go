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

// countVisit counts a visit of a payment link that can sell. It counts only requests that the browser sends because a
// person navigates (Sec-Fetch-Mode) and not ahead of the person (Sec-Purpose); previews and bots do not send
// Sec-Fetch-Mode. The cookie only keeps further views within visitLasts from counting again.
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
