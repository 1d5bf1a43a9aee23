package dashboard

import (
	"errors"
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// overlaps are the answers of the form that replaces a key.
var overlaps = map[string]time.Duration{
	"now": 0, "hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour,
}

// rollKeyForm shows GET /app/chaves/:id/trocar. A key that has an end gets the same time again.
func (s *developers) rollKeyForm(c *fiber.Ctx) error {
	key, err := s.replaceable(c)
	if err != nil {
		return err
	}
	if s.rank(key) > 0 || !canCreateKey(page.Visitor(c)) {
		return c.Redirect("/app/chaves", fiber.StatusSeeOther)
	}
	props := pages.RollKeyProps{Overlap: "day"}
	if key.EndsAt != nil {
		props.Ends = i18n.Day(s.Now().Add(key.EndsAt.Sub(key.CreatedAt)))
	}
	return s.showRollKey(c, key, props)
}

// replaceable returns the key of the address, if the visitor's role may replace it.
func (s *developers) replaceable(c *fiber.Ctx) (*models.APIKey, error) {
	key, err := models.APIKeyByID(c.UserContext(), s.DB.Pool, page.Scope(c), c.Params("id"))
	if err != nil {
		return nil, fmt.Errorf("dashboard: read key: %w", err)
	}
	if !merchants.MayRoll(page.Visitor(c).Role, key) {
		return nil, page.ErrRole
	}
	return key, nil
}

func (s *developers) showRollKey(c *fiber.Ctx, key *models.APIKey, props pages.RollKeyProps) error {
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props.Shell, props.Form, props.Key = shell, page.FormKey(page.Field(c, "key")), s.keyRow(key)
	return page.Render(c, pages.RollKey(props))
}

// rollKey handles POST /app/chaves/:id/trocar. Like createKey, it answers with the secret.
func (s *developers) rollKey(c *fiber.Ctx) error {
	key, err := s.replaceable(c)
	if err != nil {
		return err
	}
	if !canCreateKey(page.Visitor(c)) {
		return c.Redirect("/app/chaves", fiber.StatusSeeOther)
	}
	overlap, known := overlaps[page.Field(c, "overlap")]
	if !known {
		overlap = -1 // the operation refuses it
	}
	made, secret, err := s.Merchants.RollKey(c.UserContext(), page.Actor(c), page.Scope(c), key.ID, merchants.KeyRoll{
		Overlap: overlap, EndsAt: lastMoment(page.Field(c, "ends")), Form: page.FormKey(page.Field(c, "key")),
	})
	if problems := keyErrors(c, err, "overlap", "ends"); problems != nil {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showRollKey(c, key, pages.RollKeyProps{Overlap: page.Field(c, "overlap"), Ends: page.Field(c, "ends"),
			Errors: problems})
	}
	if flash := notRolled(err); flash != "" {
		if err := s.Flash(c, flash); err != nil {
			return err
		}
		return c.Redirect("/app/chaves", fiber.StatusSeeOther)
	} else if err != nil {
		return err
	}
	old, err := models.APIKeyByID(c.UserContext(), s.DB.Pool, page.Scope(c), key.ID)
	if err != nil {
		return fmt.Errorf("dashboard: read key: %w", err)
	}
	shell, err := s.Shell(c)
	if err != nil {
		return err
	}
	props := pages.KeyCreatedProps{Shell: shell, Name: made.Name, Secret: secret, APIURL: s.BaseURL, Rolled: true}
	if old.RevokedAt == nil {
		props.OldEnds = old.EndsAt
	}
	return page.Render(c, pages.KeyCreated(props))
}

// notRolled returns what to say about a form that had no effect, or "".
func notRolled(err error) string {
	switch {
	case errors.Is(err, merchants.ErrMade):
		return "key_rolled_before"
	case errors.Is(err, merchants.ErrKeyOver):
		return "key_over"
	}
	return ""
}
