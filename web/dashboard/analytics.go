package dashboard

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// analytics shows GET /app/analises: what was paid in a period, by the hour of the day and the day of
// the week.
func (s *dashboard) analytics(c *fiber.Ctx) error {
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	filter, span, problems := readFigures(c, s.Now())
	if len(problems) > 0 {
		c.Status(fiber.StatusUnprocessableEntity)
	}
	hours, err := s.hours(c.UserContext(), page.Scope(c), span.since, span.until)
	if err != nil {
		return err
	}
	byHour := sumBy(hours, 24, func(t time.Time) int { return int(t.Sub(i18n.DayStart(t)) / time.Hour) })
	byWeekday := sumBy(hours, 7, func(t time.Time) int { return int(i18n.DayStart(t).Weekday()) })
	return page.Render(c, pages.Analytics(pages.AnalyticsProps{Shell: shell, Filter: filter, Errors: problems,
		Hours: byHour, Weekdays: byWeekday}))
}

// sumBy sums up hours by which of n parts they belong to.
func sumBy(hours []hour, n int, part func(time.Time) int) []pages.Figures {
	parts := make([][]hour, n)
	for _, h := range hours {
		i := part(h.Hour)
		parts[i] = append(parts[i], h)
	}
	sums := make([]pages.Figures, n)
	for i, part := range parts {
		sums[i] = sumHours(part)
	}
	return sums
}
