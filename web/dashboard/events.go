package dashboard

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// listEvents shows GET /app/eventos.
func (s *developers) listEvents(c *fiber.Ctx) error {
	types := eventTypes(page.Visitor(c).Environment)
	props := pages.EventsProps{Types: types, CheckoutID: strings.TrimSpace(c.Query("checkout")),
		Undelivered: c.Query("delivery") == pages.FilterUndelivered}
	if eventType := c.Query("type"); slices.Contains(types, eventType) {
		props.Type = eventType
	}
	filter := models.EventFilter{
		Type: props.Type, Undelivered: props.Undelivered, CheckoutID: props.CheckoutID,
		After: s.Position(c, payments.ListEvents),
	}
	events, err := models.ReadPage(page.ListSize, func(limit int) ([]models.Event, error) {
		filter.Limit = limit
		return models.ListEvents(c.UserContext(), s.DB.Pool, page.Scope(c), filter)
	})
	if err != nil {
		return fmt.Errorf("dashboard: list events: %w", err)
	}
	if props.Events, err = withDeliveries(s.Site, c, events.Rows); err != nil {
		return err
	}
	props.Pager = s.Pager(payments.ListEvents, "/app/eventos", eventQuery(props), filter.After, events.Next)
	if props.Shell, err = s.Shell(c); err != nil {
		return err
	}
	return page.Render(c, pages.Events(props))
}

// eventQuery returns the query of the filters.
func eventQuery(p pages.EventsProps) string {
	query := url.Values{}
	if p.Type != "" {
		query.Set("type", p.Type)
	}
	if p.CheckoutID != "" {
		query.Set("checkout", p.CheckoutID)
	}
	if p.Undelivered {
		query.Set("delivery", pages.FilterUndelivered)
	}
	return query.Encode()
}

// readEvent shows GET /app/eventos/:id.
func (s *developers) readEvent(c *fiber.Ctx) error {
	event, err := models.EventByID(c.UserContext(), s.DB.Pool, page.Scope(c), c.Params("id"))
	if err != nil {
		return fmt.Errorf("dashboard: read event: %w", err)
	}
	rows, err := withDeliveries(s.Site, c, []models.Event{*event})
	if err != nil {
		return err
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	return page.Render(c, pages.Event(pages.EventProps{Shell: shell, Event: rows[0], Body: eventBody(event.Body)}))
}

// withDeliveries returns rows of events with the state of their deliveries.
func withDeliveries(s *page.Site, c *fiber.Ctx, events []models.Event) ([]pages.EventRow, error) {
	ids := make([]string, len(events))
	for i, e := range events {
		ids[i] = e.ID
	}
	deliveries, err := models.EventDeliveries(c.UserContext(), s.DB.Pool, ids)
	if err != nil {
		return nil, fmt.Errorf("dashboard: list deliveries of events: %w", err)
	}
	var rows []pages.EventRow
	for _, e := range events {
		row := pages.EventRow{ID: e.ID, Type: e.Type, CreatedAt: e.CreatedAt, CheckoutID: e.CheckoutID,
			WithdrawalID: e.WithdrawalID, Test: e.Test}
		for _, d := range deliveries[e.ID] {
			row.Deliveries = append(row.Deliveries, pages.EventDelivery{
				ID: d.ID, WebhookID: d.EndpointID, URL: d.URL, Status: deliveryState(d.Status, d.Attempts),
				Gone: d.EndpointDeleted,
			})
		}
		rows = append(rows, row)
	}
	return rows, nil
}
