package dashboard

import (
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// mostSold is how many links and products the page names.
const mostSold = 10

// analytics shows GET /app/analises: what was paid in a period, by product, by link, by the hour of the day and by
// the day of the week.
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
	props := pages.AnalyticsProps{Shell: shell, Filter: filter, Errors: problems, Hours: byHour, Weekdays: byWeekday,
		Volume: sumHours(hours).Volume}
	props.NoLinks = lacks(s.Site, c, "links", s.addLinks(c, span, &props))
	return page.Render(c, pages.Analytics(props))
}

// addLinks adds what sold the most by links.
func (s *dashboard) addLinks(c *fiber.Ctx, span figures, props *pages.AnalyticsProps) error {
	ctx, scope := c.UserContext(), page.Scope(c)
	byProduct, err := models.FiguresByProduct(ctx, s.DB.Read, scope, span.since, span.until, mostSold)
	if err != nil {
		return err
	}
	byLink, err := models.FiguresByLink(ctx, s.DB.Read, scope, span.since, span.until, mostSold)
	props.Products, props.Links = linksFigures(byProduct, "/app/produtos/"), linksFigures(byLink, "/app/links/")
	return err
}

// linksFigures returns figures as a page shows them, whose rows have their pages below path.
func linksFigures(all models.LinksFigures, path string) pages.LinksFigures {
	shown := pages.LinksFigures{Others: all.Count - len(all.Most), Volume: all.Volume}
	for _, f := range all.Most {
		shown.Most = append(shown.Most, linkFigures(f, path+f.ID))
	}
	return shown
}

func linkFigures(f models.LinkFigures, href string) pages.LinkFigures {
	return pages.LinkFigures{ID: f.ID, Name: f.Name, Href: href, Visits: f.Visits, Created: f.Created,
		Pending: f.Pending, Paid: f.Converted, Volume: f.Volume, Sales: f.Paid}
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
