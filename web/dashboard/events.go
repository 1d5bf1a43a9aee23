package dashboard

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/input"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// searchedCheckouts limits the charges with one reference whose events are found.
const searchedCheckouts = 100

// listEvents shows GET /app/eventos.
func (s *developers) listEvents(c *fiber.Ctx) error {
	types := eventTypes(page.Visitor(c).Environment)
	props := pages.EventsProps{Types: types, Text: searched(c.Query("q")), Day: strings.TrimSpace(c.Query("day")),
		Undelivered: c.Query("delivery") == pages.FilterUndelivered}
	if eventType := c.Query("type"); slices.Contains(types, eventType) {
		props.Type = eventType
	}
	filter := models.EventFilter{Type: props.Type, Undelivered: props.Undelivered,
		After: s.Position(c, payments.ListEvents)}
	if props.Day != "" {
		var err error
		if filter.From, err = i18n.ParseDay(props.Day); err != nil {
			props.Errors = components.FieldErrors{{Field: "day", Text: i18n.T(c.UserContext(), "problem.period_day")}}
			c.Status(fiber.StatusUnprocessableEntity)
		}
		filter.Until = filter.From.AddDate(0, 0, 1)
	}
	var err error
	if props.Shell, err = s.Shell(c); err != nil {
		return err
	}
	if props.Text == "" && filter.After == nil { // as the list of charges
		keepCurrent(s.Site, c, &props.Shell)
	}
	found, err := s.findEvents(c, props.Text, &filter)
	if err != nil {
		return err
	}
	var events models.Page[models.Event]
	if found && len(props.Errors) == 0 {
		events, err = models.ReadPage(page.ListSize(c), func(limit int) ([]models.Event, error) {
			filter.Limit = limit
			return models.ListEvents(c.UserContext(), s.DB.Read, page.Scope(c), filter)
		})
		if err != nil {
			return fmt.Errorf("dashboard: list events: %w", err)
		}
	}
	if props.Events, err = withDeliveries(s.Site, c, events.Rows); err != nil {
		return err
	}
	props.Pager = s.Pager(c, payments.ListEvents, "/app/eventos", eventQuery(props), filter.After, events.Next)
	return page.Render(c, pages.Events(props))
}

// findEvents narrows the filter to what a text names: an event, a delivery, a charge, or the merchant's own
// reference of charges. It reports false if the text names nothing.
func (s *developers) findEvents(c *fiber.Ctx, text string, filter *models.EventFilter) (found bool, err error) {
	switch {
	case text == "":
	case !input.Plain(text):
		return false, nil
	case strings.HasPrefix(text, "evt_"):
		filter.ID = text
	case strings.HasPrefix(text, "chk_"):
		filter.CheckoutIDs = []string{text}
	case strings.HasPrefix(text, "dlv_"):
		filter.ID, err = models.EventOfDelivery(c.UserContext(), s.DB.Pool, page.Scope(c), text)
		if errors.Is(err, models.ErrNotFound) {
			return false, nil
		}
	default:
		var checkouts []models.Checkout
		checkouts, err = models.ListCheckouts(c.UserContext(), s.DB.Read, page.Scope(c),
			models.CheckoutFilter{ExternalID: text, Limit: searchedCheckouts})
		for _, checkout := range checkouts {
			filter.CheckoutIDs = append(filter.CheckoutIDs, checkout.ID)
		}
		if len(checkouts) == 0 && err == nil {
			return false, nil
		}
	}
	if err != nil {
		return false, fmt.Errorf("dashboard: find events: %w", err)
	}
	return true, nil
}

// eventQuery returns the query of the filters.
func eventQuery(p pages.EventsProps) string {
	query := url.Values{}
	for name, value := range map[string]string{"type": p.Type, "q": p.Text, "day": p.Day} {
		if value != "" {
			query.Set(name, value)
		}
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
	deliveries, err := models.EventDeliveries(c.UserContext(), s.DB.Read, ids)
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
