package web

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
	"garoupa/webhook"
)

// listEndpoints shows GET /app/webhooks.
func (s *server) listEndpoints(c *fiber.Ctx) error {
	endpoints, err := models.Endpoints(c.UserContext(), s.DB.Pool, scope(c))
	if err != nil {
		return err
	}
	days, err := models.EndpointHours(c.UserContext(), s.DB.Pool, scope(c), s.Now())
	uncounted := s.lacks(c, "deliveries", err)
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.WebhooksProps{Shell: shell, CanCreate: mayDevelop(visitor(c)), NoDeliveries: uncounted}
	for _, e := range endpoints {
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
	return render(c, pages.Webhooks(props))
}

// trouble is what a member should know of an endpoint.
func trouble(e *models.Endpoint) pages.EndpointTrouble {
	t := pages.EndpointTrouble{ID: e.ID, URL: e.URL, Failed: e.FailedEvents, DisabledAt: e.DisabledAt}
	if e.Active && e.TroubledAt != nil {
		t.Since = e.FailingSince
	}
	return t
}

// troubles are the endpoints of the scope that a member should look at.
func (s *server) troubles(c *fiber.Ctx) ([]pages.EndpointTrouble, error) {
	endpoints, err := models.TroubledEndpoints(c.UserContext(), s.DB.Pool, scope(c))
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
func (s *server) newEndpoint(c *fiber.Ctx) error {
	return s.showEndpointForm(c, pages.WebhookFormProps{Types: models.EventTypes})
}

func (s *server) showEndpointForm(c *fiber.Ctx, props pages.WebhookFormProps) error {
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props.Shell, props.AllTypes, props.Key = shell, eventTypes(visitor(c).Livemode), formKey(c.FormValue("key"))
	props.HTTPAllowed = !visitor(c).Livemode
	return render(c, pages.WebhookForm(props))
}

// eventTypes are the types that an endpoint of the environment may ask for.
// Withdrawals exist in live alone.
func eventTypes(livemode bool) []string {
	types := slices.Concat(models.EventTypes, models.OptionalEventTypes)
	if livemode {
		types = append(types, models.WithdrawalEventTypes...)
	}
	return types
}

// endpointForm reads what was typed about an endpoint.
func endpointForm(c *fiber.Ctx) merchants.NewEndpoint {
	return merchants.NewEndpoint{URL: c.FormValue("url"), Description: c.FormValue("description"), Types: values(c, "types")}
}

// refuseEndpoint shows the form again with what is wrong with it. It returns err if
// it is something else.
func (s *server) refuseEndpoint(c *fiber.Ctx, id string, in merchants.NewEndpoint, err error) error {
	errs := endpointErrors(c, err)
	if errs == nil {
		return err
	}
	c.Status(fiber.StatusUnprocessableEntity)
	return s.showEndpointForm(c, pages.WebhookFormProps{ID: id, URL: in.URL, Description: in.Description, Types: in.Types, Errors: errs})
}

// createEndpoint handles POST /app/webhooks and shows the signing secret.
func (s *server) createEndpoint(c *fiber.Ctx) error {
	if s.madeBefore(c) {
		if err := s.flash(c, "webhook_made"); err != nil {
			return err
		}
		return c.Redirect("/app/webhooks", fiber.StatusSeeOther)
	}
	in := endpointForm(c)
	endpoint, secret, err := s.Merchants.CreateEndpoint(c.UserContext(), actor(c), scope(c), in)
	if err != nil {
		return s.refuseEndpoint(c, "", in, err)
	}
	if err := s.made(c); err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	return render(c, pages.WebhookCreated(pages.WebhookCreatedProps{Shell: shell, ID: endpoint.ID, URL: endpoint.URL, Secret: secret}))
}

// editEndpoint shows GET /app/webhooks/:id/editar.
func (s *server) editEndpoint(c *fiber.Ctx) error {
	e, err := s.endpoint(c)
	if err != nil {
		return err
	}
	return s.showEndpointForm(c, pages.WebhookFormProps{ID: e.ID, URL: e.URL, Description: e.Description, Types: e.Types})
}

// updateEndpoint handles POST /app/webhooks/:id/editar.
func (s *server) updateEndpoint(c *fiber.Ctx) error {
	id, in := c.Params("id"), endpointForm(c)
	if err := s.Merchants.UpdateEndpoint(c.UserContext(), actor(c), scope(c), id, in); err != nil {
		return s.refuseEndpoint(c, id, in, err)
	}
	return s.toEndpoint(c, id, "webhook_saved")
}

// endpoint is the endpoint that the address names.
func (s *server) endpoint(c *fiber.Ctx) (*models.Endpoint, error) {
	e, err := models.EndpointByID(c.UserContext(), s.DB.Pool, scope(c), c.Params("id"))
	if err != nil {
		return nil, fmt.Errorf("web: read endpoint: %w", err)
	}
	return e, nil
}

// toEndpoint leads to the page of an endpoint, which then says what was done.
func (s *server) toEndpoint(c *fiber.Ctx, id, flash string) error {
	if err := s.flash(c, flash); err != nil {
		return err
	}
	return c.Redirect("/app/webhooks/"+id, fiber.StatusSeeOther)
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

// switchEndpoint handles POST /app/webhooks/:id/ativar and …/desativar.
func (s *server) switchEndpoint(active bool, flash string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		id := c.Params("id")
		if err := s.Merchants.SwitchEndpoint(c.UserContext(), actor(c), scope(c), id, active); err != nil {
			return err
		}
		return s.toEndpoint(c, id, flash)
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
