package console

import (
	"errors"
	"net/url"
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/input"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/console"
	"garoupa/web/page"
)

// endpointRateSpan is the period of an endpoint's failure rate.
const endpointRateSpan = 24 * time.Hour

// endpoints shows GET /ops/webhooks: all merchants' endpoints with the numbers of failed
// events, failing endpoints first.
func (s *console) endpoints(c *fiber.Ctx) error {
	ctx, tabs := c.UserContext(), []string{"failing", "all"}
	tab := c.Query("tab")
	if !slices.Contains(tabs, tab) {
		tab = tabs[0]
	}
	list := payments.List("ops_webhooks_" + tab)
	after := s.Position(c, list)
	found, err := models.ReadPage(page.ListSize(c), func(limit int) ([]models.EndpointRate, error) {
		return models.EndpointRates(ctx, s.DB.Read,
			models.EndpointRateFilter{Failing: tab == tabs[0], After: after, Limit: limit},
			s.Now().Add(-endpointRateSpan))
	})
	if err != nil {
		return err
	}
	shell, err := s.ConsoleShell(c)
	if err != nil {
		return err
	}
	props := pages.EndpointsProps{Shell: shell, Tabs: components.TabsProps{Label: i18n.T(ctx, "ops.tabs")},
		Pager: s.Pager(c, list, "/ops/webhooks", "tab="+tab, after, found.Next)}
	for _, t := range tabs {
		props.Tabs.Tabs = append(props.Tabs.Tabs, components.Tab{Label: i18n.T(ctx, "ops.tab_webhooks_"+t),
			Href: "/ops/webhooks?tab=" + t, Current: t == tab})
	}
	for _, e := range found.Rows {
		props.Rows = append(props.Rows, endpointRow(e))
	}
	return page.Render(c, pages.Endpoints(props))
}

// endpointRow returns an endpoint without the part of its address that may contain secrets.
func endpointRow(e models.EndpointRate) pages.EndpointRow {
	return pages.EndpointRow{
		ID: e.ID, Host: hostOf(e.URL), Account: e.AccountName, AccountID: e.AccountID,
		Test: e.Environment == models.Test, Active: e.Active,
		Delivered: e.Delivered, Retrying: e.Retrying, Failed: e.Failed, FailedEvents: e.FailedEvents,
		FailingSince: e.FailingSince, DisabledAt: e.DisabledAt,
		CreatedAt: e.CreatedAt,
	}
}

// hostOf returns the part of a merchant's address that staff see: the rest may contain a
// token.
func hostOf(raw string) string {
	address, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return address.Host
}

// anyEndpoint returns an endpoint of any account, or models.ErrNotFound.
func (s *console) anyEndpoint(c *fiber.Ctx) (models.EndpointRate, error) {
	if !input.Plain(c.Params("id")) {
		return models.EndpointRate{}, models.ErrNotFound
	}
	found, err := models.EndpointRates(c.UserContext(), s.DB.Read,
		models.EndpointRateFilter{ID: c.Params("id"), Limit: 1}, s.Now().Add(-endpointRateSpan))
	if err == nil && len(found) == 0 {
		err = models.ErrNotFound
	}
	if err != nil {
		return models.EndpointRate{}, err
	}
	return found[0], nil
}

// readEndpoint shows GET /ops/webhooks/:id, with the number of deliveries since ?since=.
func (s *console) readEndpoint(c *fiber.Ctx) error { return s.showOpsEndpoint(c, "") }

// showOpsEndpoint answers with the page of an endpoint. problem says why nothing was resent.
func (s *console) showOpsEndpoint(c *fiber.Ctx, problem string) error {
	ctx := c.UserContext()
	e, err := s.anyEndpoint(c)
	if err != nil {
		return err
	}
	period := c.Query("since", "24h")
	if _, ok := page.ReplayPeriods[period]; !ok {
		period = "24h"
	}
	props := pages.EndpointProps{Row: endpointRow(e), Period: period, Until: s.Now(),
		Since: s.Now().Add(-page.ReplayPeriods[period]), Limit: payments.MaxReplay, Problem: problem}
	scope := models.Scope{ProjectID: e.ProjectID, Environment: e.Environment}
	count, err := s.Payments.CountReplay(ctx, scope, models.Replay{EndpointID: e.ID, Since: props.Since,
		Until: props.Until})
	if err != nil {
		return err
	}
	props.Count, props.More = min(count, payments.MaxReplay), count > payments.MaxReplay
	deliveries, err := models.EndpointDeliveries(ctx, s.DB.Read, scope, e.ID, models.DeliveryFilter{Limit: latestRows})
	if err != nil {
		return err
	}
	for _, d := range deliveries {
		props.Deliveries = append(props.Deliveries,
			pages.Delivery{EventID: d.Event.ID, Type: d.Event.Type, State: string(d.Status), At: d.CreatedAt,
				Attempts: d.Attempts, StatusCode: d.Last.StatusCode, ErrorClass: d.Last.ErrorClass})
	}
	if props.Account, err = s.accountHead(c, e.AccountID); err != nil {
		return err
	}
	if page.Visitor(c).StaffRole.Can(models.ReadAudit) {
		props.AuditHref = "/ops/auditoria?object=" + e.ID
	}
	if props.Shell, err = s.ConsoleShell(c); err != nil {
		return err
	}
	return page.Render(c, pages.Endpoint(props))
}

// replay handles POST /ops/webhooks/:id/repetir: it resends the deliveries that were counted.
// It skips pending ones, so a form that is sent twice resends once.
func (s *console) replay(c *fiber.Ctx) error {
	e, err := s.anyEndpoint(c)
	if err != nil {
		return err
	}
	path := "/ops/webhooks/" + e.ID
	since, err := time.Parse(time.RFC3339Nano, page.Field(c, "since"))
	if err != nil {
		return c.Redirect(path, fiber.StatusSeeOther)
	}
	until, err := time.Parse(time.RFC3339Nano, page.Field(c, "until"))
	if err != nil {
		return c.Redirect(path, fiber.StatusSeeOther)
	}
	done, err := s.Payments.ReplayAsStaff(c.UserContext(), page.Actor(c),
		models.Scope{ProjectID: e.ProjectID, Environment: e.Environment},
		models.Replay{EndpointID: e.ID, Since: since, Until: until})
	switch {
	case errors.Is(err, payments.ErrEndpointOff):
		c.Status(fiber.StatusConflict)
		return s.showOpsEndpoint(c, i18n.T(c.UserContext(), "ops.replay_off"))
	case err != nil:
		return err
	case done.Count == 0:
		return s.goTo(c, path, "replayed_before")
	}
	return s.goTo(c, path, "replayed")
}
