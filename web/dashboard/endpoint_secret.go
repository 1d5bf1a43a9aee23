package dashboard

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// showSecret shows GET /app/webhooks/:id/segredo.
func (s *developers) showSecret(c *fiber.Ctx) error {
	endpoint, err := s.endpoint(c)
	if err != nil {
		return err
	}
	secret, err := s.Merchants.ShowSecret(c.UserContext(), page.Actor(c), page.Scope(c), endpoint.ID)
	if err != nil {
		return err
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	return page.Render(c, pages.WebhookSecret(pages.WebhookSecretProps{
		Shell: shell, ID: endpoint.ID, URL: endpoint.URL, Secret: secret, Seen: lastFour(secret),
		PreviousUntil: s.previousUntil(endpoint),
	}))
}

// rotateSecret handles POST /app/webhooks/:id/segredo/trocar. A form that is sent again finds
// that the secret was rotated.
func (s *developers) rotateSecret(c *fiber.Ctx) error {
	_, err := s.Merchants.RotateSecret(c.UserContext(), page.Actor(c), page.Scope(c), c.Params("id"),
		page.Field(c, "seen"))
	switch {
	case errors.Is(err, merchants.ErrSecretChanged):
		return s.toSecret(c, "secret_changed")
	case err != nil:
		return err
	}
	return s.toSecret(c, "secret_rotated")
}

// retireSecret handles POST /app/webhooks/:id/segredo/encerrar.
func (s *developers) retireSecret(c *fiber.Ctx) error {
	if err := s.Merchants.RetirePreviousSecret(c.UserContext(), page.Actor(c), page.Scope(c),
		c.Params("id")); err != nil {
		return err
	}
	return s.toSecret(c, "secret_retired")
}

func (s *developers) toSecret(c *fiber.Ctx, flash string) error {
	if err := s.Flash(c, flash); err != nil {
		return err
	}
	return c.Redirect("/app/webhooks/"+c.Params("id")+"/segredo", fiber.StatusSeeOther)
}
