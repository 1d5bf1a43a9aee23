package dashboard

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
	"garoupa/webhook"
)

// listEndpoints shows GET /app/webhooks.
func (s *developers) listEndpoints(c *fiber.Ctx) error {
	after := s.Position(c, payments.ListEndpoints)
	endpoints, err := models.ReadPage(page.ListSize(c), func(limit int) ([]models.Endpoint, error) {
		return models.Endpoints(c.UserContext(), s.DB.Pool, page.Scope(c), after, limit)
	})
	if err != nil {
		return fmt.Errorf("dashboard: list endpoints: %w", err)
	}
	var ids []string
	for _, e := range endpoints.Rows {
		ids = append(ids, e.ID)
	}
	days, err := models.EndpointHours(c.UserContext(), s.DB.Read, ids, s.Now())
	uncounted := lacks(s.Site, c, "deliveries", err)
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props := pages.WebhooksProps{Shell: shell, CanCreate: page.Visitor(c).Role.Can(models.Integrate),
		NoDeliveries: uncounted, Pager: s.Pager(c, payments.ListEndpoints, "/app/webhooks", "", after, endpoints.Next)}
	for _, e := range endpoints.Rows {
		sum := days[e.ID].Sum()
		row := pages.EndpointRow{
			ID: e.ID, URL: e.URL, Description: e.Description, Types: e.Types, Enabled: e.Active,
			Delivered: sum.Delivered, Missed: sum.Missed, Trouble: trouble(&e),
		}
		for _, hour := range days[e.ID] {
			row.Hours = append(row.Hours, components.SparkBar{Good: hour.Delivered, Bad: hour.Missed})
		}
		props.Endpoints = append(props.Endpoints, row)
	}
	return page.Render(c, pages.Webhooks(props))
}

// trouble returns an endpoint's problem for members.
func trouble(e *models.Endpoint) pages.EndpointTrouble {
	t := pages.EndpointTrouble{ID: e.ID, URL: e.URL, Failed: e.FailedEvents, DisabledAt: e.DisabledAt,
		Gone: e.DisabledReason == models.DisabledGone}
	if e.Active && e.TroubledAt != nil {
		t.Since = e.FailingSince
	}
	return t
}

// troubles returns the endpoints of the scope that have a problem.
func troubles(s *page.Site, c *fiber.Ctx) ([]pages.EndpointTrouble, error) {
	endpoints, err := models.TroubledEndpoints(c.UserContext(), s.DB.Pool, page.Scope(c))
	if err != nil {
		return nil, err
	}
	var all []pages.EndpointTrouble
	for _, e := range endpoints {
		all = append(all, trouble(&e))
	}
	return all, nil
}

// newEndpoint shows GET /app/webhooks/novo.
func (s *developers) newEndpoint(c *fiber.Ctx) error {
	return s.showEndpointForm(c, pages.WebhookFormProps{Types: models.EventTypes})
}

func (s *developers) showEndpointForm(c *fiber.Ctx, props pages.WebhookFormProps) error {
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props.Shell, props.AllTypes, props.Key = shell, offeredTypes(page.Visitor(c),
		props.Types), page.FormKey(page.Field(c, "key"))
	props.HTTPAllowed = page.Visitor(c).Environment == models.Test
	return page.Render(c, pages.WebhookForm(props))
}

// eventTypes returns the types that an endpoint of the environment can receive. Withdrawals
// exist only in live.
func eventTypes(environment models.Environment) []string {
	types := slices.Concat(models.EventTypes, models.OptionalEventTypes)
	if environment == models.Live {
		types = append(types, models.WithdrawalEventTypes...)
	}
	return types
}

// offeredTypes returns the types that the visitor may select: those of withdrawals only if the
// visitor may see money, or if they are selected already.
func offeredTypes(v *models.Visitor, ticked []string) []string {
	return slices.DeleteFunc(eventTypes(v.Environment), func(t string) bool {
		return slices.Contains(models.WithdrawalEventTypes, t) && !v.Role.Can(models.MoveMoney) &&
			!slices.Contains(ticked, t)
	})
}

// endpointForm reads the form of an endpoint.
func endpointForm(c *fiber.Ctx) merchants.NewEndpoint {
	return merchants.NewEndpoint{URL: page.Field(c, "url"), Description: page.Field(c, "description"),
		Types: page.FormValues(c, "types")}
}

// refuseEndpoint shows the form again with its errors. It returns err if err is something
// else.
func (s *developers) refuseEndpoint(c *fiber.Ctx, id string, in merchants.NewEndpoint, err error) error {
	errs := endpointErrors(c, err)
	if errs == nil {
		return err
	}
	c.Status(fiber.StatusUnprocessableEntity)
	return s.showEndpointForm(c, pages.WebhookFormProps{ID: id, URL: in.URL, Description: in.Description,
		Types: in.Types, Errors: errs})
}

// createEndpoint handles POST /app/webhooks and shows the signing secret.
func (s *developers) createEndpoint(c *fiber.Ctx) error {
	in := endpointForm(c)
	in.Form = page.FormKey(page.Field(c, "key"))
	endpoint, secret, err := s.Merchants.CreateEndpoint(c.UserContext(), page.Actor(c), page.Scope(c), in)
	if errors.Is(err, merchants.ErrMade) {
		if err := s.Flash(c, "webhook_made"); err != nil {
			return err
		}
		return c.Redirect("/app/webhooks", fiber.StatusSeeOther)
	} else if err != nil {
		return s.refuseEndpoint(c, "", in, err)
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	return page.Render(c, pages.WebhookCreated(pages.WebhookCreatedProps{Shell: shell, ID: endpoint.ID,
		URL: endpoint.URL, Secret: secret}))
}

// editEndpoint shows GET /app/webhooks/:id/editar.
func (s *developers) editEndpoint(c *fiber.Ctx) error {
	e, err := s.endpoint(c)
	if err != nil {
		return err
	}
	return s.showEndpointForm(c, pages.WebhookFormProps{ID: e.ID, URL: e.URL, Description: e.Description,
		Types: e.Types})
}

// updateEndpoint handles POST /app/webhooks/:id/editar.
func (s *developers) updateEndpoint(c *fiber.Ctx) error {
	id, in := c.Params("id"), endpointForm(c)
	if err := s.Merchants.UpdateEndpoint(c.UserContext(), page.Actor(c), page.Scope(c), id, in); err != nil {
		return s.refuseEndpoint(c, id, in, err)
	}
	return s.toEndpoint(c, id, "webhook_saved")
}

// endpoint returns the endpoint that the address names.
func (s *developers) endpoint(c *fiber.Ctx) (*models.Endpoint, error) {
	e, err := models.EndpointByID(c.UserContext(), s.DB.Pool, page.Scope(c), c.Params("id"))
	if err != nil {
		return nil, fmt.Errorf("dashboard: read endpoint: %w", err)
	}
	return e, nil
}

// toEndpoint redirects to the page of an endpoint with a message.
func (s *developers) toEndpoint(c *fiber.Ctx, id, flash string) error {
	if err := s.Flash(c, flash); err != nil {
		return err
	}
	return c.Redirect("/app/webhooks/"+id, fiber.StatusSeeOther)
}

// endpointErrors returns the texts for a refusal that concerns the form of an endpoint, or
// nil.
func endpointErrors(c *fiber.Ctx, err error) components.FieldErrors {
	if problems, ok := errors.AsType[merchants.Invalid](err); ok {
		return page.FieldErrors(c, problems, "description", "types")
	}
	if errors.Is(err, merchants.ErrManyEndpoints) {
		return components.FieldErrors{{Text: i18n.T(c.UserContext(), "problem.webhook_many")}}
	}
	refused, ok := errors.AsType[*webhook.URLError](err)
	if !ok {
		return nil
	}
	var args []any
	if refused.Reason == webhook.ReasonPort {
		args = []any{refused.Port}
	}
	return components.FieldErrors{{Field: "url", Text: i18n.T(c.UserContext(),
		"problem.webhook_url_"+string(refused.Reason), args...)}}
}

// switchEndpoint handles POST /app/webhooks/:id/ativar and …/desativar.
func (s *developers) switchEndpoint(active bool, flash string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		id := c.Params("id")
		if err := s.Merchants.SwitchEndpoint(c.UserContext(), page.Actor(c), page.Scope(c), id, active); err != nil {
			return err
		}
		return s.toEndpoint(c, id, flash)
	}
}

// deleteEndpoint handles POST /app/webhooks/:id/excluir.
func (s *developers) deleteEndpoint(c *fiber.Ctx) error {
	if err := s.Merchants.DeleteEndpoint(c.UserContext(), page.Actor(c), page.Scope(c), c.Params("id")); err != nil {
		return err
	}
	if err := s.Flash(c, "webhook_deleted"); err != nil {
		return err
	}
	return c.Redirect("/app/webhooks", fiber.StatusSeeOther)
}
