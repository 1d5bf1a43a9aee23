package dashboard

import (
	"context"
	"fmt"
	"sort"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/money"
	"garoupa/models"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// overview returns the numbers of the environment in a period, and in the one before.
func (s *dashboard) overview(c *fiber.Ctx, span figures) (*pages.Overview, error) {
	ctx, scope := c.UserContext(), page.Scope(c)
	hours, err := s.hours(ctx, scope, span.since, span.until)
	if err != nil {
		return nil, err
	}
	shift := span.since.Sub(span.before)
	// What it is compared with ends at the same moment, and before the period begins.
	end := min(span.until.Sub(span.since), shift)
	if passed := s.Now().Add(time.Hour).Truncate(time.Hour).Sub(span.since); passed > 0 {
		end = min(end, passed)
	}
	before, err := s.hours(ctx, scope, span.before, span.before.Add(end))
	if err != nil {
		return nil, err
	}
	refunded, err := models.RefundedWithin(ctx, s.DB.Read, scope, span.since, span.until)
	if err != nil {
		return nil, fmt.Errorf("dashboard: sum what was refunded: %w", err)
	}
	o := &pages.Overview{Versus: span.versus, Unit: span.unit, Refunded: refunded,
		Now: sumHours(hours), Before: sumHours(before)}
	o.Slots = slotHours(span.slots(), hours, before, shift)
	return o, nil
}

// hour is what happened in an hour, and how many of the charges created in it are still pending.
type hour struct {
	models.CheckoutHour
	pending int
}

// hours returns the hours of a period.
func (s *dashboard) hours(ctx context.Context, scope models.Scope, since, until time.Time) ([]hour, error) {
	pending, err := models.PendingHours(ctx, s.DB.Read, scope, since, until)
	if err != nil {
		return nil, fmt.Errorf("dashboard: count what is pending: %w", err)
	}
	counted, err := models.CheckoutHours(ctx, s.DB.Read, scope, since, until)
	if err != nil {
		return nil, fmt.Errorf("dashboard: read the hours of a period: %w", err)
	}
	hours := make([]hour, 0, len(counted))
	for _, h := range counted {
		hours = append(hours, hour{h, pending[h.Hour.Unix()]})
	}
	return hours, nil
}

// sumHours sums up hours.
func sumHours(hours []hour) (sum pages.Figures) {
	created, converted, pending := 0, 0, 0
	for _, h := range hours {
		sum.Volume, sum.Paid = sum.Volume+h.Volume, sum.Paid+h.Paid
		created, converted, pending = created+h.Created, converted+h.Converted, pending+h.pending
	}
	if sum.Paid > 0 {
		sum.Average = (sum.Volume + money.Cents(sum.Paid/2)) / money.Cents(sum.Paid)
	}
	sum.Conversion = share(converted, created-pending)
	return sum
}

// slotHours sums up hours by the parts of a chart, which begin at starts, and beside them those
// that were before by shift.
func slotHours(starts []time.Time, hours, before []hour, shift time.Duration) []pages.OverviewSlot {
	slots := make([]pages.OverviewSlot, len(starts))
	for i, start := range starts {
		slots[i].Start = start
	}
	at := func(t time.Time) *pages.OverviewSlot { // starts[0] is not after t
		return &slots[sort.Search(len(starts), func(i int) bool { return starts[i].After(t) })-1]
	}
	for _, h := range hours {
		slot := at(h.Hour)
		slot.Volume, slot.Paid = slot.Volume+h.Volume, slot.Paid+h.Paid
	}
	for _, h := range before {
		at(h.Hour.Add(shift)).Before += h.Volume
	}
	return slots
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
