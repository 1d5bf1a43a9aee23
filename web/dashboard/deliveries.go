package dashboard

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
	"garoupa/webhook"
)

// readDelivery shows GET /app/webhooks/:id/entregas/:delivery.
func (s *developers) readDelivery(c *fiber.Ctx) error {
	d, err := s.delivery(c)
	if err != nil {
		return err
	}
	props, err := s.deliveryProps(c, d)
	if err != nil {
		return err
	}
	if props.Shell, err = s.Shell(c); err != nil {
		return err
	}
	if props.CanResend {
		if props.Signature, err = s.checkSignature(c, d); err != nil {
			return err
		}
	}
	return page.Render(c, pages.Delivery(props))
}

// deliveryProps returns the props of a delivery's page, without its frame.
func (s *developers) deliveryProps(c *fiber.Ctx, d *models.Delivery) (pages.DeliveryProps, error) {
	attempts, err := models.DeliveryAttempts(c.UserContext(), s.DB.Read, []string{d.ID})
	if err != nil {
		return pages.DeliveryProps{}, fmt.Errorf("dashboard: list attempts: %w", err)
	}
	asked, err := models.ResendUnderWay(c.UserContext(), s.DB.Pool, d.ID)
	if err != nil {
		return pages.DeliveryProps{}, fmt.Errorf("dashboard: look for an attempt: %w", err)
	}
	due := d.NextAttemptAt != nil && !d.NextAttemptAt.After(s.Now())
	props := pages.DeliveryProps{
		ID: d.ID, Status: deliveryState(d.Status, d.Attempts), EventID: d.Event.ID, Type: d.Event.Type,
		Test:       d.Event.Test,
		CheckoutID: d.Event.CheckoutID, WithdrawalID: d.Event.WithdrawalID, EndpointID: d.Endpoint.ID,
		URL:       d.Endpoint.URL,
		CreatedAt: d.CreatedAt, NextAttemptAt: d.NextAttemptAt, Scheduled: d.Attempts - d.Manual - d.BeforeReplay,
		UnderWay:  asked || d.Status == models.DeliveryPending && due,
		CanResend: page.Visitor(c).Role.Can(models.Integrate), Token: rand.Text(),
		Body: eventBody(d.Event.Body),
	}
	for _, a := range attempts[d.ID] {
		props.Attempts = append(props.Attempts, pages.AttemptRow{
			Number: a.Number, Manual: a.Manual, Late: a.Late, At: a.StartedAt, Duration: a.Duration,
			Status: a.StatusCode,
			Error:  a.ErrorClass,
			Detail: a.Detail, Headers: headerLines(webhook.Sent(a.Headers, d.Event.ID, a.StartedAt)),
			Response: string(a.Response),
		})
	}
	return props, nil
}

// delivery returns the delivery that the address names, under its endpoint.
func (s *developers) delivery(c *fiber.Ctx) (*models.Delivery, error) {
	d, err := models.DeliveryOf(c.UserContext(), s.DB.Pool, page.Scope(c), c.Params("delivery"))
	if err == nil && d.Endpoint.ID != c.Params("id") {
		err = models.ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("dashboard: read delivery: %w", err)
	}
	return d, nil
}

// testDelivery returns the test event of ?test=, as the endpoint's page shows it, or nil if
// there is no such event.
func (s *developers) testDelivery(c *fiber.Ctx, endpointID string) (*pages.DeliveryProps, error) {
	d, err := models.DeliveryOf(c.UserContext(), s.DB.Pool, page.Scope(c), c.Query("test"))
	if errors.Is(err, models.ErrNotFound) || err == nil && (d.Endpoint.ID != endpointID || !d.Event.Test) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("dashboard: read test delivery: %w", err)
	}
	props, err := s.deliveryProps(c, d)
	return &props, err
}

// eventBody returns the body of an event indented, and as it is sent.
func eventBody(raw []byte) pages.EventBody {
	var indented bytes.Buffer
	if json.Indent(&indented, raw, "", "  ") != nil { // cannot fail, because the gateway wrote it
		return pages.EventBody{Formatted: string(raw), Raw: string(raw)}
	}
	return pages.EventBody{Formatted: indented.String(), Raw: string(raw)}
}

// headerLines returns headers as lines, sorted by name.
func headerLines(headers map[string][]string) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		for _, value := range headers[name] {
			lines = append(lines, strings.ToLower(name)+": "+value)
		}
	}
	return strings.Join(lines, "\n")
}

// resendDelivery handles POST /app/webhooks/:id/entregas/:delivery/reenviar.
func (s *developers) resendDelivery(c *fiber.Ctx) error {
	d, err := s.delivery(c)
	if err != nil {
		return err
	}
	token := page.Field(c, "token")
	if token == "" || len(token) > page.MaxFormKey {
		token = rand.Text()
	}
	if !s.Limits.Resends.Take(page.Scope(c).ProjectID, s.Now()).Allowed {
		return s.toEndpoint(c, d.Endpoint.ID, "resends_wait")
	}
	if err := s.Payments.ResendDelivery(c.UserContext(), page.Actor(c), page.Scope(c), d.ID, token); err != nil {
		return err
	}
	return c.Redirect("/app/webhooks/"+d.Endpoint.ID+"/entregas/"+d.ID, fiber.StatusSeeOther)
}

// testEndpoint handles POST /app/webhooks/:id/testar and redirects to the endpoint, where the
// result appears.
func (s *developers) testEndpoint(c *fiber.Ctx) error {
	id := c.Params("id")
	if !s.Limits.Resends.Take(page.Scope(c).ProjectID, s.Now()).Allowed {
		return s.toEndpoint(c, id, "resends_wait")
	}
	delivery, err := s.Payments.SendTestEvent(c.UserContext(), page.Actor(c), page.Scope(c), id, page.Field(c, "type"),
		i18n.T(c.UserContext(), "event.test_description"))
	switch {
	case errors.Is(err, payments.ErrEndpointOff):
		return s.toEndpoint(c, id, "endpoint_off")
	case errors.Is(err, payments.ErrNotSubscribed):
		return s.toEndpoint(c, id, "endpoint_not_subscribed")
	case err != nil:
		return err
	}
	return c.Redirect("/app/webhooks/"+id+"?test="+delivery+"#test", fiber.StatusSeeOther)
}
