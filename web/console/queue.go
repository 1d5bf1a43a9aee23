package console

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/layouts"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// queueRows is how many objects of each queue the first page shows.
const queueRows = 5

// queue is a list of pending decisions, with tabs for past decisions.
type queue struct {
	id   string // one of the Ops constants of package layouts
	path string
	tabs []string // in the address; the first tab shows pending decisions
	// sorted are the tabs that can show the largest amounts first; rows asks largestFirst.
	sorted []string
	inTime string // the text of the other order; "" if that is the oldest first
	// rows reads at most limit rows of a tab after a position.
	rows func(c *fiber.Ctx, tab string, after *models.Position, limit int) ([]queued, error)
}

// queued is a row of a queue with its position.
type queued struct {
	pages.Item
	at models.Position
}

// Position is the row's place in the queue.
func (q queued) Position() models.Position { return q.at }

// allTab is the tab of a queue that shows decided cases, too.
const allTab = "all"

// next returns the page of the case of a section that waits after the one in the address, or "". After the last
// one, one that no longer waits, and one that is not among the first ListSize, it is the first. The address has
// the tab and the order of the list from which the person came.
func (s *console) next(c *fiber.Ctx, section string) (string, error) {
	for _, q := range []queue{s.withdrawalQueue(), s.destinationQueue(), s.accessQueue(), s.exceptionQueue(),
		s.disputeQueue(), s.feeQueue(), s.nameQueue()} {
		if q.id != section {
			continue
		}
		tab := c.Query("tab")
		if tab == allTab || !slices.Contains(q.tabs, tab) {
			tab = q.tabs[0]
		}
		rows, err := q.rows(c, tab, nil, page.ListSize(c))
		if err != nil {
			return "", fmt.Errorf("console: find the next case of %s: %w", section, err)
		}
		here := slices.IndexFunc(rows, func(row queued) bool { return row.Href == c.Path() })
		if len(rows) == 0 || len(rows) == 1 && here == 0 {
			return "", nil
		}
		return inPlace(c, rows[(here+1)%len(rows)].Href), nil
	}
	return "", nil
}

// inPlace adds the tab and the order in the address to a path, so that one case of a list leads to the next.
func inPlace(c *fiber.Ctx, path string) string {
	place := url.Values{}
	if tab := c.Query("tab"); tab != "" && tab != allTab {
		place.Set("tab", tab)
	}
	if largestFirst(c) {
		place.Set("order", byAmount)
	}
	if len(place) == 0 {
		return path
	}
	return path + "?" + place.Encode()
}

// items returns the rows of a list without their positions.
func items(rows []queued) (shown []pages.Item) {
	for _, row := range rows {
		shown = append(shown, row.Item)
	}
	return shown
}

// ownItems returns the rows of one account, without its name, which the page shows.
func ownItems(rows []queued) []pages.Item {
	shown := items(rows)
	for i := range shown {
		shown[i].Title, shown[i].Detail = shown[i].Detail, ""
	}
	return shown
}

// The orders in the address: byAmount shows the largest amounts first, and byAge, as any other, the oldest.
const (
	byAmount = "amount"
	byAge    = "age"
)

// largestFirst reports whether the address asks for the largest amounts first.
func largestFirst(c *fiber.Ctx) bool { return c.Query("order") == byAmount }

// orders are the links between the orders of a tab of a queue, or none if it has only one.
func (q queue) orders(c *fiber.Ctx, tab string) components.TabsProps {
	if !slices.Contains(q.sorted, tab) {
		return components.TabsProps{}
	}
	ctx, path := c.UserContext(), q.path+"?tab="+tab+"&order="
	return components.TabsProps{Label: i18n.T(ctx, "ops.order"), Tabs: []components.Tab{
		{Label: i18n.T(ctx, cmp.Or(q.inTime, "ops.order_oldest")), Href: path + byAge, Current: !largestFirst(c)},
		{Label: i18n.T(ctx, "ops.order_amount"), Href: path + byAmount, Current: largestFirst(c)},
	}}
}

// queue shows a queue, such as GET /ops/acessos.
func (s *console) queue(q queue) fiber.Handler {
	return func(c *fiber.Ctx) error {
		tab := c.Query("tab")
		if !slices.Contains(q.tabs, tab) {
			tab = q.tabs[0]
		}
		list := payments.List("ops_" + q.id + tab)
		after := s.Position(c, list)
		rows, err := models.ReadPage(page.ListSize(c), func(limit int) ([]queued, error) {
			return q.rows(c, tab, after, limit)
		})
		if err != nil {
			return err
		}
		for i := range rows.Rows {
			rows.Rows[i].Href = inPlace(c, rows.Rows[i].Href)
		}
		shell, err := s.ConsoleShell(c)
		if err != nil {
			return err
		}
		shell.KeepCurrent()
		props := pages.ListProps{Shell: shell, ID: q.id, Items: items(rows.Rows),
			Pager: s.Pager(c, list, q.path, "tab="+tab, after, rows.Next),
			Tabs:  components.TabsProps{Label: i18n.T(c.UserContext(), "ops.tabs")}, Order: q.orders(c, tab)}
		if largestFirst(c) && len(props.Order.Tabs) > 0 {
			props.Pager = components.PagerProps{}
		}
		for _, t := range q.tabs {
			props.Tabs.Tabs = append(props.Tabs.Tabs, components.Tab{
				Label: i18n.T(c.UserContext(), "ops.tab_"+q.id+"_"+t), Href: q.path + "?tab=" + t, Current: t == tab,
			})
		}
		return page.Render(c, pages.List(props))
	}
}

// home shows GET /ops: pending decisions, the oldest first.
func (s *console) home(c *fiber.Ctx) error {
	counts, err := models.StaffQueues(c.UserContext(), s.DB.Read)
	if err != nil {
		return err
	}
	shell, err := s.ConsoleShell(c)
	if err != nil {
		return err
	}
	shell.KeepCurrent()
	props := pages.HomeProps{Shell: shell}
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
		{layouts.OpsDisputes, 0, counts.Disputes, s.disputeQueue()},
		{layouts.OpsFees, 0, counts.Fees, s.feeQueue()},
		{layouts.OpsNames, 0, counts.Names, s.nameQueue()},
	} {
		tab := q.queue.tabs[q.tab]
		rows, err := q.queue.rows(c, tab, nil, queueRows)
		if err != nil {
			return err
		}
		shown := pages.Queue{ID: q.id, Href: q.queue.path + "?tab=" + tab, Count: q.size.Count,
			Oldest: q.size.Oldest}
		shown.Late, shown.Items = q.size.Oldest != nil && s.late(*q.size.Oldest), items(rows)
		for i := range shown.Items {
			if q.tab > 0 {
				shown.Items[i].Href += "?tab=" + tab
			}
		}
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
	slices.SortStableFunc(props.Queues, func(a, b pages.Queue) int {
		if a.Oldest == nil || b.Oldest == nil {
			return cmp.Compare(b.Count, a.Count) // one of the queues is empty
		}
		return a.Oldest.Compare(*b.Oldest)
	})
	return page.Render(c, pages.Home(props))
}

// failingQueue is the queue of merchants' endpoints that fail.
func (s *console) failingQueue(c *fiber.Ctx, size models.Queue) (pages.Queue, error) {
	shown := pages.Queue{ID: layouts.OpsWebhooks, Href: "/ops/webhooks", Count: size.Count, Oldest: size.Oldest,
		Late: size.Oldest != nil && s.late(*size.Oldest)}
	failing, err := models.FailingEndpoints(c.UserContext(), s.DB.Read, queueRows)
	for _, e := range failing {
		shown.Items = append(shown.Items, failingItem(c.UserContext(), e))
	}
	return shown, err
}

// institutionQueue is the queue of calls that an institution did not answer.
func (s *console) institutionQueue(c *fiber.Ctx) (pages.Queue, error) {
	ctx, shown := c.UserContext(), pages.Queue{ID: "institutions", Href: "/ops/saude"}
	if err := s.bankQueue(ctx, &shown); err != nil {
		return shown, err
	}
	for _, environment := range []models.Environment{models.Live, models.Test} {
		if environment == models.Live && s.Payments.ChargesAtBank() {
			continue // the banks' own calls tell
		}
		silence, err := models.InstitutionSilence(ctx, s.DB.Pool, environment, s.Now().Add(-healthLooksBack))
		if err != nil {
			return shown, err
		}
		if silence.Count == 0 || environment == models.Live && s.Payments.Institution(models.Live) == "none" {
			continue
		}
		shown.Count += silence.Count
		if shown.Oldest == nil || silence.Oldest.Before(*shown.Oldest) {
			shown.Oldest = silence.Oldest
		}
		shown.Items = append(shown.Items, pages.Item{
			Href: "/ops/saude", Title: i18n.T(ctx, "ops.health_"+environment.String()),
			Detail: i18n.N(ctx, "ops.unanswered", silence.Count), Since: *silence.Oldest,
			Test: environment == models.Test,
		})
	}
	return shown, nil
}
