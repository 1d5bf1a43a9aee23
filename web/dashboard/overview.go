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
	var pending [2]int
	pending[1], pending[0], err = models.PendingSince(c.UserContext(), s.DB.Pool, page.Scope(c),
		today.AddDate(0, 0, 1-2*week), today.AddDate(0, 0, 1-week))
	if err != nil {
		return nil, fmt.Errorf("dashboard: count what is pending: %w", err)
	}
	return sumHours(hours, pending, today, now), nil
}

// week is how many days the conversion and the number of paid charges look back.
const week = 7

// sumHours compares today and the last days with the time before. today is when today began;
// of the same weekday a week before, only the hours up to now are counted.
// pending is how many charges of this week and of the one before are still pending.
func sumHours(hours []models.CheckoutHour, pending [2]int, today, now time.Time) *pages.Overview {
	o := &pages.Overview{Weekday: int(today.Weekday())}
	var created, converted, paid [2]int // of this week and of the previous one
	const shown = overviewDays / 2
	for back := shown - 1; back >= 0; back-- {
		o.Days = append(o.Days, pages.OverviewDay{Day: today.AddDate(0, 0, -back)})
	}
	for _, h := range hours {
		back := int((today.Add(24*time.Hour).Sub(h.Hour) - 1) / (24 * time.Hour)) // days before today
		if back < 0 || back >= overviewDays {
			continue
		}
		if back < 2*week {
			created[back/week] += h.Created
			converted[back/week] += h.Converted
			paid[back/week] += h.Paid
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
	o.Conversion = share(converted[0], created[0]-pending[0])
	o.ConversionBefore = share(converted[1], created[1]-pending[1])
	return o
}

// share returns how many of a thousand decided charges are paid, or nil if none is decided. The
// numbers are read one after the other, so more may be paid than decided.
func share(paid, decided int) *int {
	decided = max(paid, decided)
	if decided == 0 {
		return nil
	}
	return new((paid*1000 + decided/2) / decided)
}
