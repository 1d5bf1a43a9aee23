package web

import (
	"cmp"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	"garoupa/views/pages"
)

// opsShown is how many things of each queue the first page shows.
const opsShown = 5

// queue is a list of things to decide, with those decided in tabs beside it.
type queue struct {
	id   string // one of the Ops constants of package layouts
	path string
	tabs []string // of the address; the first is what waits
	// rows reads at most limit rows of a tab after a place.
	rows func(c *fiber.Ctx, tab string, after *models.Position, limit int) ([]queued, error)
}

// queued is a row of a queue with its place in it.
type queued struct {
	pages.OpsItem
	at models.Position
}

// items are the rows of a list without their places.
func items(rows []queued) (shown []pages.OpsItem) {
	for _, row := range rows {
		shown = append(shown, row.OpsItem)
	}
	return shown
}

// ownItems are rows of one account, which is named around them.
func ownItems(rows []queued) []pages.OpsItem {
	shown := items(rows)
	for i := range shown {
		shown[i].Title, shown[i].Detail = shown[i].Detail, ""
	}
	return shown
}

// opsQueue shows GET /ops/acessos and its likes.
func (s *server) opsQueue(q queue) fiber.Handler {
	list := payments.List("ops_" + q.id)
	return func(c *fiber.Ctx) error {
		tab := c.Query("aba")
		if !slices.Contains(q.tabs, tab) {
			tab = q.tabs[0]
		}
		here := q.path + "?aba=" + tab
		after := s.position(c, list+payments.List(tab))
		rows, err := q.rows(c, tab, after, pageSize+1)
		if err != nil {
			return err
		}
		shell, err := s.opsShell(c)
		if err != nil {
			return err
		}
		props := pages.OpsListProps{Shell: shell, ID: q.id, Tabs: components.TabsProps{Label: i18n.T(c.UserContext(), "ops.tabs")}}
		if len(rows) > pageSize {
			rows = rows[:pageSize]
			props.Pager.Next = here + "&cursor=" + s.Payments.Cursor(list+payments.List(tab), rows[pageSize-1].at)
		}
		if after != nil {
			props.Pager.Previous = here
		}
		props.Items = items(rows)
		for _, t := range q.tabs {
			props.Tabs.Tabs = append(props.Tabs.Tabs, components.Tab{
				Label: i18n.T(c.UserContext(), "ops.tab_"+q.id+"_"+t), Href: q.path + "?aba=" + t, Current: t == tab,
			})
		}
		return render(c, pages.OpsList(props))
	}
}

// opsHome shows GET /ops: what waits, the oldest first.
func (s *server) opsHome(c *fiber.Ctx) error {
	counts, err := models.StaffQueues(c.UserContext(), s.DB.Pool)
	if err != nil {
		return err
	}
	shell, err := s.opsShell(c)
	if err != nil {
		return err
	}
	props := pages.OpsHomeProps{Shell: shell}
	for _, q := range []struct {
		id    string
		tab   int
		size  models.Queue
		queue queue
	}{
		{layouts.OpsWithdrawals, 0, counts.Withdrawals, s.withdrawalQueue()},
		{"payouts", 1, counts.Payouts, s.withdrawalQueue()},
		{layouts.OpsDestinations, 0, counts.Destinations, s.destinationQueue()},
		{layouts.OpsAccess, 0, counts.Access, s.accessQueue()},
		{layouts.OpsExceptions, 0, counts.Exceptions, s.exceptionQueue()},
	} {
		tab := q.queue.tabs[q.tab]
		rows, err := q.queue.rows(c, tab, nil, opsShown)
		if err != nil {
			return err
		}
		shown := pages.OpsQueue{ID: q.id, Href: q.queue.path + "?aba=" + tab, Count: q.size.Count, Oldest: q.size.Oldest}
		shown.Late, shown.Items = q.size.Oldest != nil && s.late(*q.size.Oldest), items(rows)
		props.Queues = append(props.Queues, shown)
	}
	failing, err := s.failingQueue(c, counts.Webhooks)
	if err != nil {
		return err
	}
	silent, err := s.institutionQueue(c)
	if err != nil {
		return err
	}
	props.Queues = append(props.Queues, failing, silent)
	slices.SortStableFunc(props.Queues, func(a, b pages.OpsQueue) int {
		if a.Oldest == nil || b.Oldest == nil {
			return cmp.Compare(b.Count, a.Count) // nothing waits in one of them
		}
		return a.Oldest.Compare(*b.Oldest)
	})
	return render(c, pages.OpsHome(props))
}

// failingQueue is the merchants' endpoints that fail.
func (s *server) failingQueue(c *fiber.Ctx, size models.Queue) (pages.OpsQueue, error) {
	shown := pages.OpsQueue{ID: layouts.OpsWebhooks, Href: "/ops/webhooks", Count: size.Count, Oldest: size.Oldest, Late: size.Oldest != nil && s.late(*size.Oldest)}
	failing, err := models.FailingEndpoints(c.UserContext(), s.DB.Pool, opsShown)
	for _, e := range failing {
		shown.Items = append(shown.Items, failingItem(c.UserContext(), e))
	}
	return shown, err
}

// institutionQueue is the calls of merchants that an institution left unanswered.
func (s *server) institutionQueue(c *fiber.Ctx) (pages.OpsQueue, error) {
	ctx, shown := c.UserContext(), pages.OpsQueue{ID: "institutions", Href: "/ops/saude"}
	for _, livemode := range []bool{true, false} {
		silence, err := models.InstitutionSilence(ctx, s.DB.Pool, livemode, s.Now().Add(-healthLooksBack))
		if err != nil {
			return shown, err
		}
		if silence.Count == 0 || livemode && s.Payments.Institution(true) == "none" {
			continue
		}
		shown.Count += silence.Count
		if shown.Oldest == nil || silence.Oldest.Before(*shown.Oldest) {
			shown.Oldest = silence.Oldest
		}
		id := map[bool]string{true: "ops.health_live", false: "ops.health_test"}[livemode]
		shown.Items = append(shown.Items, pages.OpsItem{
			Href: "/ops/saude", Title: i18n.T(ctx, id), Detail: i18n.N(ctx, "ops.unanswered", silence.Count), Since: *silence.Oldest, Test: !livemode,
		})
	}
	return shown, nil
}
