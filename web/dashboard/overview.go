package dashboard

import (
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
	hours, err := models.CheckoutHours(ctx, s.DB.Pool, scope, span.since, span.until)
	if err != nil {
		return nil, fmt.Errorf("dashboard: read the hours of a period: %w", err)
	}
	shift := span.since.Sub(span.before)
	// What it is compared with ends at the same moment, and before the period begins.
	end := min(span.until.Sub(span.since), shift)
	if passed := s.Now().Add(time.Hour).Truncate(time.Hour).Sub(span.since); passed > 0 {
		end = min(end, passed)
	}
	before, err := models.CheckoutHours(ctx, s.DB.Pool, scope, span.before, span.before.Add(end))
	if err != nil {
		return nil, fmt.Errorf("dashboard: read the hours of the period before: %w", err)
	}
	pending, err := models.PendingWithin(ctx, s.DB.Pool, scope, span.since, span.until)
	if err != nil {
		return nil, fmt.Errorf("dashboard: count what is pending: %w", err)
	}
	pendingBefore, err := models.PendingWithin(ctx, s.DB.Pool, scope, span.before, span.before.Add(end))
	if err != nil {
		return nil, fmt.Errorf("dashboard: count what is pending: %w", err)
	}
	refunded, err := models.RefundedWithin(ctx, s.DB.Pool, scope, span.since, span.until)
	if err != nil {
		return nil, fmt.Errorf("dashboard: sum what was refunded: %w", err)
	}
	o := &pages.Overview{Versus: span.versus, Unit: span.unit, Refunded: refunded,
		Now: sumHours(hours, pending), Before: sumHours(before, pendingBefore)}
	o.Slots = slotHours(span.slots(), hours, before, shift)
	return o, nil
}

// sumHours sums up hours, of whose charges some are still pending.
func sumHours(hours []models.CheckoutHour, pending int) (sum pages.Figures) {
	created, converted := 0, 0
	for _, h := range hours {
		sum.Volume, sum.Paid = sum.Volume+h.Volume, sum.Paid+h.Paid
		created, converted = created+h.Created, converted+h.Converted
	}
	if sum.Paid > 0 {
		sum.Average = (sum.Volume + money.Cents(sum.Paid/2)) / money.Cents(sum.Paid)
	}
	sum.Conversion = share(converted, created-pending)
	return sum
}

// slotHours sums up hours by the parts of a chart, which begin at starts, and beside them those
// that were before by shift.
func slotHours(starts []time.Time, hours, before []models.CheckoutHour, shift time.Duration) []pages.OverviewSlot {
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
