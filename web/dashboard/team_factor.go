package dashboard

import (
	"errors"

	"github.com/gofiber/fiber/v2"

	"garoupa/merchants"
	"garoupa/models"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// factorRule returns what the owner reads about the second factors of the members.
func (s *dashboard) factorRule(v *models.Visitor, people []models.Colleague) *pages.FactorRule {
	rule := &pages.FactorRule{Required: v.SecondNeeded, Owner: s.HasSecondFactor(v)}
	for _, p := range people {
		if !p.TOTP && !(p.Passkey && s.OffersPasskeys()) {
			rule.Without++
		}
	}
	return rule
}

// requireSecondFactor handles POST /app/equipe/segunda-etapa.
func (s *dashboard) requireSecondFactor(c *fiber.Ctx) error {
	required := page.Field(c, "required") != ""
	err := s.Merchants.RequireSecondFactor(c.UserContext(), page.Actor(c), required)
	if errors.Is(err, merchants.ErrNoSecondFactor) {
		return c.Redirect(page.SetUpPath+"?next=/app/equipe", fiber.StatusSeeOther)
	}
	flash := "factor_released"
	if required {
		flash = "factor_required"
	}
	if err == nil {
		err = s.Flash(c, flash)
	}
	if err != nil {
		return err
	}
	return c.Redirect("/app/equipe", fiber.StatusSeeOther)
}
