package web

import (
	"errors"
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
	"garoupa/webhook"
)

// deliveriesShown is how many deliveries the page of an endpoint lists.
const deliveriesShown = 50

// listEndpoints shows GET /app/webhooks.
func (s *server) listEndpoints(c *fiber.Ctx) error {
	endpoints, err := models.Endpoints(c.UserContext(), s.DB.Pool, scope(c))
	if err != nil {
		return err
	}
	counts, err := models.EndpointCounts(c.UserContext(), s.DB.Pool, scope(c), s.dayAgo())
	if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.WebhooksProps{Shell: shell, CanCreate: mayDevelop(visitor(c))}
	for _, e := range endpoints {
		props.Endpoints = append(props.Endpoints, pages.EndpointRow{
			ID: e.ID, URL: e.URL, Description: e.Description, Types: e.Types, Enabled: e.Active,
			Delivered: counts[e.ID].Delivered, Failed: counts[e.ID].Failed,
		})
	}
	return render(c, pages.Webhooks(props))
}

func (s *server) dayAgo() time.Time { return s.Now().Add(-24 * time.Hour) }

// newEndpoint shows GET /app/webhooks/novo.
func (s *server) newEndpoint(c *fiber.Ctx) error {
	return s.showNewEndpoint(c, pages.NewWebhookProps{Types: models.EventTypes})
}

func (s *server) showNewEndpoint(c *fiber.Ctx, props pages.NewWebhookProps) error {
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props.Shell, props.AllTypes = shell, models.EventTypes
	props.HTTPAllowed = !visitor(c).Livemode
	return render(c, pages.NewWebhook(props))
}

// createEndpoint handles POST /app/webhooks and shows the signing secret.
func (s *server) createEndpoint(c *fiber.Ctx) error {
	in := merchants.NewEndpoint{URL: c.FormValue("url"), Description: c.FormValue("description"), Types: values(c, "types")}
	endpoint, secret, err := s.Merchants.CreateEndpoint(c.UserContext(), actor(c), scope(c), in)
	if errs := endpointErrors(c, err); errs != nil {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showNewEndpoint(c, pages.NewWebhookProps{URL: in.URL, Description: in.Description, Types: in.Types, Errors: errs})
	} else if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	return render(c, pages.WebhookCreated(pages.WebhookCreatedProps{Shell: shell, ID: endpoint.ID, URL: endpoint.URL, Secret: secret}))
}

// endpointErrors words why an endpoint was refused, nil if err is something else.
func endpointErrors(c *fiber.Ctx, err error) components.FieldErrors {
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		return fieldErrors(c, problems, "description", "types")
	}
	refused, ok := errors.AsType[*webhook.URLError](err)
	if !ok {
		return nil
	}
	return components.FieldErrors{{Field: "url", Text: i18n.T(c.UserContext(), "problem.webhook_url_"+string(refused.Reason))}}
}

// readEndpoint shows GET /app/webhooks/:id, with its latest deliveries.
func (s *server) readEndpoint(c *fiber.Ctx) error {
	endpoint, err := models.EndpointByID(c.UserContext(), s.DB.Pool, scope(c), c.Params("id"))
	if err != nil {
		return fmt.Errorf("web: read endpoint: %w", err)
	}
	secret, err := s.Merchants.EndpointSecret(endpoint)
	if err != nil {
		return err
	}
	counts, err := models.EndpointCounts(c.UserContext(), s.DB.Pool, scope(c), s.dayAgo())
	if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.WebhookProps{
		Shell: shell, ID: endpoint.ID, URL: endpoint.URL, Description: endpoint.Description, Types: endpoint.Types,
		SecretDisplay: "whsec_…" + secret[len(secret)-4:], CreatedAt: endpoint.CreatedAt, Enabled: endpoint.Active,
		CanEdit: mayDevelop(visitor(c)), Stats: pages.WebhookStats(counts[endpoint.ID]), Status: c.Query("status"),
	}
	if props.Deliveries, err = s.deliveryRows(c, endpoint.ID, props.Status); err != nil {
		return err
	}
	return render(c, pages.Webhook(props))
}

// deliveryRows returns the latest deliveries in the state that the page filters by.
// "Retrying" is a pending one that has failed before.
func (s *server) deliveryRows(c *fiber.Ctx, endpointID, filter string) ([]pages.DeliveryRow, error) {
	var statuses []models.DeliveryStatus
	switch filter {
	case pages.DeliveryRetrying:
		statuses = []models.DeliveryStatus{models.DeliveryPending}
	case pages.DeliveryDelivered, pages.DeliveryFailed, pages.DeliverySkipped, pages.DeliveryPending:
		statuses = []models.DeliveryStatus{models.DeliveryStatus(filter)}
	}
	deliveries, err := models.EndpointDeliveries(c.UserContext(), s.DB.Pool, scope(c), endpointID, models.DeliveryFilter{Limit: deliveriesShown, Undelivered: statuses})
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(deliveries))
	for i, d := range deliveries {
		ids[i] = d.ID
	}
	attempts, err := models.DeliveryAttempts(c.UserContext(), s.DB.Pool, ids)
	if err != nil {
		return nil, err
	}
	var rows []pages.DeliveryRow
	for _, d := range deliveries {
		row := pages.DeliveryRow{
			ID: d.ID, EventID: d.Event.ID, Type: d.Event.Type, CreatedAt: d.CreatedAt, NextAttemptAt: d.NextAttemptAt,
			Status: deliveryState(d.Status, d.Attempts),
		}
		for _, a := range attempts[d.ID] {
			row.Attempts = append(row.Attempts, pages.AttemptRow{
				Number: a.Number, At: a.StartedAt, Duration: a.Duration, Status: a.StatusCode, Error: a.ErrorClass, Response: string(a.Response),
			})
		}
		if filter != pages.DeliveryRetrying || row.Status == filter {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func deliveryState(status models.DeliveryStatus, attempts int) string {
	if status == models.DeliveryPending && attempts > 0 {
		return pages.DeliveryRetrying
	}
	return string(status)
}

// switchEndpoint handles POST /app/webhooks/:id/ativar and …/desativar.
func (s *server) switchEndpoint(active bool, flash string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		id := c.Params("id")
		if err := s.Merchants.SwitchEndpoint(c.UserContext(), actor(c), scope(c), id, active); err != nil {
			return err
		}
		if err := s.flash(c, flash); err != nil {
			return err
		}
		return c.Redirect("/app/webhooks/"+id, fiber.StatusSeeOther)
	}
}

// deleteEndpoint handles POST /app/webhooks/:id/excluir.
func (s *server) deleteEndpoint(c *fiber.Ctx) error {
	if err := s.Merchants.DeleteEndpoint(c.UserContext(), actor(c), scope(c), c.Params("id")); err != nil {
		return err
	}
	if err := s.flash(c, "webhook_deleted"); err != nil {
		return err
	}
	return c.Redirect("/app/webhooks", fiber.StatusSeeOther)
}
