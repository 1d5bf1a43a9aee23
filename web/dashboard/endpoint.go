package dashboard

import (
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// daysShown is how many days the chart of an endpoint has, today included.
const daysShown = 7

// readEndpoint shows GET /app/webhooks/:id: the endpoint's health and its deliveries in the
// state of ?status=.
func (s *developers) readEndpoint(c *fiber.Ctx) error {
	endpoint, err := s.endpoint(c)
	if err != nil {
		return err
	}
	secret, err := s.Merchants.EndpointSecret(endpoint)
	if err != nil {
		return err
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props := pages.WebhookProps{
		Shell: shell, ID: endpoint.ID, URL: endpoint.URL, Description: endpoint.Description, Types: endpoint.Types,
		SecretDisplay: "whsec_…" + lastFour(secret), PreviousUntil: s.previousUntil(endpoint),
		CreatedAt: endpoint.CreatedAt,
		Enabled:   endpoint.Active, Trouble: trouble(endpoint), CanEdit: page.Visitor(c).Role.Can(models.Integrate),
	}
	if props.Test, err = s.testDelivery(c, endpoint.ID); err != nil {
		return err
	}
	props.NoDays = lacks(s.Site, c, "days", s.addDays(c, &props))
	props.NoDeliveries = lacks(s.Site, c, "deliveries", s.addDeliveries(c, &props))
	return page.Render(c, pages.Webhook(props))
}

func lastFour(secret string) string { return secret[max(0, len(secret)-4):] }

// previousUntil returns until when the previous secret signs too, or nil if it does not any
// more.
func (s *developers) previousUntil(e *models.Endpoint) *time.Time {
	if e.PreviousSecretUntil == nil || !s.Now().Before(*e.PreviousSecretUntil) {
		return nil
	}
	return e.PreviousSecretUntil
}

// addDays adds the chart. The last day is today.
func (s *developers) addDays(c *fiber.Ctx, props *pages.WebhookProps) error {
	today := i18n.DayStart(s.Now())
	var starts []time.Time
	for n := daysShown - 1; n >= 0; n-- {
		starts = append(starts, today.AddDate(0, 0, -n))
	}
	days, answers, err := models.EndpointDays(c.UserContext(), s.DB.Read, props.ID, starts)
	if err != nil {
		return fmt.Errorf("dashboard: read an endpoint's days: %w", err)
	}
	for n, day := range days {
		props.Days = append(props.Days, pages.WebhookDay{
			Day: starts[n], Delivered: day.Delivered, Retried: day.Retried, Failed: day.Failed,
			Answers: pages.Answers(day.Answers),
		})
		if day.Delivered+day.Retried+day.Failed >= models.CountedADay {
			props.Sampled = models.CountedADay
		}
	}
	props.Answers = pages.Answers(answers)
	return nil
}

// addDeliveries adds a page of deliveries. "Retrying" is a pending delivery that has failed
// before.
func (s *developers) addDeliveries(c *fiber.Ctx, props *pages.WebhookProps) error {
	filter := models.DeliveryFilter{After: s.Position(c, payments.ListDeliveries)}
	switch status := c.Query("status"); status {
	case pages.DeliveryRetrying:
		props.Status, filter.Undelivered = status, []models.DeliveryStatus{models.DeliveryPending}
	case pages.DeliveryFailed, pages.DeliverySkipped:
		props.Status, filter.Undelivered = status, []models.DeliveryStatus{models.DeliveryStatus(status)}
	}
	deliveries, err := models.ReadPage(page.ListSize(c), func(limit int) ([]models.Delivery, error) {
		filter.Limit = limit
		return models.EndpointDeliveries(c.UserContext(), s.DB.Read, page.Scope(c), props.ID, filter)
	})
	if err != nil {
		return fmt.Errorf("dashboard: list deliveries: %w", err)
	}
	for _, d := range deliveries.Rows {
		props.Deliveries = append(props.Deliveries, pages.DeliveryRow{
			ID: d.ID, EventID: d.Event.ID, Type: d.Event.Type, Test: d.Event.Test, CreatedAt: d.CreatedAt,
			Status: deliveryState(d.Status, d.Attempts), Attempts: d.Attempts,
			Last: pages.AttemptRow{Number: d.Last.Number, Duration: d.Last.Duration, Status: d.Last.StatusCode,
				Error: d.Last.ErrorClass},
		})
	}
	query := ""
	if props.Status != "" {
		query = "status=" + props.Status
	}
	props.Pager = s.Pager(c, payments.ListDeliveries, "/app/webhooks/"+props.ID, query, filter.After, deliveries.Next)
	return nil
}

func deliveryState(status models.DeliveryStatus, attempts int) string {
	if status == models.DeliveryPending && attempts > 0 {
		return pages.DeliveryRetrying
	}
	return string(status)
}
