package dashboard

import (
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// overviewDays is how far back the start page looks: twice what its chart shows.
const overviewDays = 28

// overview returns the numbers of the environment, from the hours of the last weeks.
func (s *dashboard) overview(c *fiber.Ctx) (*pages.Overview, error) {
	now := s.Now()
	today, err := i18n.ParseDay(i18n.Day(now))
	if err != nil {
		return nil, fmt.Errorf("dashboard: today: %w", err)
	}
	hours, err := models.CheckoutHours(c.UserContext(), s.DB.Pool, page.Scope(c), today.AddDate(0, 0, 1-overviewDays))
	if err != nil {
		return nil, fmt.Errorf("dashboard: read the hours of the last weeks: %w", err)
	}
	return sumHours(hours, today, now), nil
}

// sumHours compares today and the last days with the time before. today is when today began;
// of the same weekday a week before, only the hours up to now are counted.
func sumHours(hours []models.CheckoutHour, today, now time.Time) *pages.Overview {
	o := &pages.Overview{Weekday: int(today.Weekday())}
	var created [2]int // of this week and of the previous one
	var paid [2]int
	const shown = overviewDays / 2
	for back := shown - 1; back >= 0; back-- {
		o.Days = append(o.Days, pages.OverviewDay{Day: today.AddDate(0, 0, -back)})
	}
	for _, h := range hours {
		back := int((today.Add(24*time.Hour).Sub(h.Hour) - 1) / (24 * time.Hour)) // days before today
		if back < 0 || back >= overviewDays {
			continue
		}
		if back < 14 {
			created[back/7] += h.Created
			paid[back/7] += h.Paid
		}
		if back == 7 && !h.Hour.AddDate(0, 0, 7).After(now) {
			o.TodayBefore += h.Volume
		}
		day := &o.Days[shown-1-back%shown]
		if back < shown {
			day.Volume, day.Paid = day.Volume+h.Volume, day.Paid+h.Paid
		} else {
			day.Before += h.Volume
		}
	}
	o.Today = o.Days[shown-1].Volume
	o.Paid, o.PaidBefore = paid[0], paid[1]
	o.Conversion, o.ConversionBefore = share(paid[0], created[0]), share(paid[1], created[1])
	return o
}

// share returns how many of a thousand charges were paid, or nil if there were none. Charges
// paid in the period may have been created before it.
func share(paid, created int) *int {
	if created == 0 {
		return nil
	}
	return new(min(1000, (paid*1000+created/2)/created))
}
