package web

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/views/pages"
)

// showSecret shows GET /app/webhooks/:id/segredo.
func (s *server) showSecret(c *fiber.Ctx) error {
	endpoint, err := s.endpoint(c)
	if err != nil {
		return err
	}
	secret, err := s.Merchants.ShowSecret(c.UserContext(), actor(c), scope(c), endpoint.ID)
	if err != nil {
		return err
	}
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	return render(c, pages.WebhookSecret(pages.WebhookSecretProps{
		Shell: shell, ID: endpoint.ID, URL: endpoint.URL, Secret: secret, Seen: lastFour(secret), PreviousUntil: s.previousUntil(endpoint),
	}))
}

// rotateSecret handles POST /app/webhooks/:id/segredo/trocar. A form that is sent
// again finds that it was done.
func (s *server) rotateSecret(c *fiber.Ctx) error {
	_, err := s.Merchants.RotateSecret(c.UserContext(), actor(c), scope(c), c.Params("id"), c.FormValue("seen"))
	switch {
	case errors.Is(err, merchants.ErrSecretChanged):
		return s.toSecret(c, "secret_changed")
	case err != nil:
		return err
	}
	return s.toSecret(c, "secret_rotated")
}

// retireSecret handles POST /app/webhooks/:id/segredo/encerrar.
func (s *server) retireSecret(c *fiber.Ctx) error {
	if err := s.Merchants.RetirePreviousSecret(c.UserContext(), actor(c), scope(c), c.Params("id")); err != nil {
		return err
	}
	return s.toSecret(c, "secret_retired")
}

func (s *server) toSecret(c *fiber.Ctx, flash string) error {
	if err := s.flash(c, flash); err != nil {
		return err
	}
	return c.Redirect("/app/webhooks/"+c.Params("id")+"/segredo", fiber.StatusSeeOther)
}
