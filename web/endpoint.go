package web

import (
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// daysShown is how many days the chart of an endpoint has, today included.
const daysShown = 7

// readEndpoint shows GET /app/webhooks/:id: how the endpoint fares, and its
// deliveries in the state that ?status= filters by.
func (s *server) readEndpoint(c *fiber.Ctx) error {
	endpoint, err := s.endpoint(c)
	if err != nil {
		return err
	}
	secret, err := s.Merchants.EndpointSecret(endpoint)
	if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.WebhookProps{
		Shell: shell, ID: endpoint.ID, URL: endpoint.URL, Description: endpoint.Description, Types: endpoint.Types,
		SecretDisplay: "whsec_…" + lastFour(secret), PreviousUntil: s.previousUntil(endpoint), CreatedAt: endpoint.CreatedAt,
		Enabled: endpoint.Active, Trouble: trouble(endpoint), CanEdit: mayDevelop(visitor(c)),
	}
	if props.Test, err = s.testDelivery(c, endpoint.ID); err != nil {
		return err
	}
	props.NoDays = s.lacks(c, "days", s.addDays(c, &props))
	props.NoDeliveries = s.lacks(c, "deliveries", s.addDeliveries(c, &props))
	return render(c, pages.Webhook(props))
}

func lastFour(secret string) string { return secret[max(0, len(secret)-4):] }

// previousUntil is how long the secret before signs too, nil if it does no more.
func (s *server) previousUntil(e *models.Endpoint) *time.Time {
	if e.PreviousSecretUntil == nil || !s.Now().Before(*e.PreviousSecretUntil) {
		return nil
	}
	return e.PreviousSecretUntil
}

// addDays fills in the chart, the day of today last.
func (s *server) addDays(c *fiber.Ctx, props *pages.WebhookProps) error {
	today := i18n.DayStart(s.Now())
	var starts []time.Time
	for n := daysShown - 1; n >= 0; n-- {
		starts = append(starts, today.AddDate(0, 0, -n))
	}
	days, answers, err := models.EndpointDays(c.UserContext(), s.DB.Pool, props.ID, starts)
	if err != nil {
		return fmt.Errorf("web: read an endpoint's days: %w", err)
	}
	for n, day := range days {
		props.Days = append(props.Days, pages.WebhookDay{
			Day: starts[n], Delivered: day.Delivered, Retried: day.Retried, Failed: day.Failed, Answers: pages.Answers(day.Answers),
		})
		if day.Delivered+day.Retried+day.Failed >= models.CountedADay {
			props.Sampled = models.CountedADay
		}
	}
	props.Answers = pages.Answers(answers)
	return nil
}

// addDeliveries fills in a page of deliveries. "Retrying" is a pending one that has
// failed before.
func (s *server) addDeliveries(c *fiber.Ctx, props *pages.WebhookProps) error {
	filter := models.DeliveryFilter{Limit: pageSize + 1, After: s.position(c, payments.ListDeliveries)}
	switch status := c.Query("status"); status {
	case pages.DeliveryRetrying:
		props.Status, filter.Undelivered = status, []models.DeliveryStatus{models.DeliveryPending}
	case pages.DeliveryFailed, pages.DeliverySkipped:
		props.Status, filter.Undelivered = status, []models.DeliveryStatus{models.DeliveryStatus(status)}
	}
	deliveries, err := models.EndpointDeliveries(c.UserContext(), s.DB.Pool, scope(c), props.ID, filter)
	if err != nil {
		return fmt.Errorf("web: list deliveries: %w", err)
	}
	next := ""
	if len(deliveries) > pageSize {
		deliveries = deliveries[:pageSize]
		last := deliveries[pageSize-1]
		next = s.Payments.Cursor(payments.ListDeliveries, models.Position{CreatedAt: last.CreatedAt, ID: last.ID})
	}
	for _, d := range deliveries {
		props.Deliveries = append(props.Deliveries, pages.DeliveryRow{
			ID: d.ID, EventID: d.Event.ID, Type: d.Event.Type, Test: d.Event.Test, CreatedAt: d.CreatedAt,
			Status: deliveryState(d.Status, d.Attempts), Attempts: d.Attempts,
			Last: pages.AttemptRow{Number: d.Last.Number, Duration: d.Last.Duration, Status: d.Last.StatusCode, Error: d.Last.ErrorClass},
		})
	}
	query := ""
	if props.Status != "" {
		query = "status=" + props.Status
	}
	props.Pager = filterPager("/app/webhooks/"+props.ID, query, filter.After != nil, next)
	return nil
}

func deliveryState(status models.DeliveryStatus, attempts int) string {
	if status == models.DeliveryPending && attempts > 0 {
		return pages.DeliveryRetrying
	}
	return string(status)
}
