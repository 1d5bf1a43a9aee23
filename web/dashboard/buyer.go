package dashboard

import (
	"errors"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// registerBuyer adds the page of the data of a buyer. Who the buyer is stands in forms alone, so that no
// address has it.
func (s *dashboard) registerBuyer(app fiber.Router) {
	own := page.Only(models.Own)
	app.Get("/configuracoes/comprador", own, s.StepUp, s.askBuyer)
	app.Post("/configuracoes/comprador", own, s.StepUp, s.findBuyer)
	app.Post("/configuracoes/comprador/arquivo", own, s.StepUp, s.buyerFile)
	app.Post("/configuracoes/comprador/apagar", own, s.StepUp, s.removeBuyer)
}

// askBuyer shows GET /app/configuracoes/comprador.
func (s *dashboard) askBuyer(c *fiber.Ctx) error { return s.showBuyer(c, pages.SettingsBuyerProps{}) }

// findBuyer handles POST /app/configuracoes/comprador: it counts the charges of the buyer.
func (s *dashboard) findBuyer(c *fiber.Ctx) error {
	props, err := s.countBuyer(c)
	if err != nil {
		return err
	}
	return s.showBuyer(c, props)
}

// countBuyer returns the page with what the account holds about the buyer of the form, or with what is wrong.
func (s *dashboard) countBuyer(c *fiber.Ctx) (props pages.SettingsBuyerProps, err error) {
	props.Text = strings.TrimSpace(page.Field(c, "buyer"))
	n, err := s.Payments.FindBuyer(c.UserContext(), page.Actor(c), page.Visitor(c).AccountID, props.Text)
	if problem := buyerProblem(err); problem != "" {
		props.Errors = components.FieldErrors{{Field: "buyer", Text: i18n.T(c.UserContext(), problem)}}
		return props, nil
	}
	props.Found, props.Charges, props.Kept = true, n.Charges, n.Kept
	return props, err
}

// buyerProblem returns the key of the text that explains err beside the field, or "" if err is not about the field.
func buyerProblem(err error) string {
	switch {
	case errors.Is(err, payments.ErrNoBuyer):
		return "problem.buyer_unnamed"
	case errors.Is(err, payments.ErrSealing):
		return "problem.buyer_sealing"
	}
	return ""
}

func (s *dashboard) showBuyer(c *fiber.Ctx, props pages.SettingsBuyerProps) (err error) {
	if props.Shell, err = s.Shell(c); err != nil {
		return err
	}
	if len(props.Errors) > 0 {
		c.Status(fiber.StatusUnprocessableEntity)
	}
	return page.Render(c, pages.SettingsBuyer(props))
}

// buyerFile handles POST /app/configuracoes/comprador/arquivo.
func (s *dashboard) buyerFile(c *fiber.Ctx) error {
	write, err := s.Payments.BuyerFile(c.UserContext(), page.Actor(c), page.Visitor(c).AccountID,
		page.Field(c, "buyer"))
	if buyerProblem(err) != "" {
		return s.findBuyer(c)
	} else if err != nil {
		return err
	}
	return page.SendJSONFile(c, i18n.T(c.UserContext(), "settings.buyer_file_name")+".json", write)
}

// removeBuyer handles POST /app/configuracoes/comprador/apagar. It requires typing the number of charges from which
// the buyer is removed, because that cannot be undone.
func (s *dashboard) removeBuyer(c *fiber.Ctx) error {
	props, err := s.countBuyer(c)
	if err != nil {
		return err
	}
	removable := props.Charges - props.Kept
	if len(props.Errors) > 0 || removable == 0 {
		return s.showBuyer(c, props)
	}
	if strings.TrimSpace(page.Field(c, "confirm")) != strconv.Itoa(removable) {
		props.Errors = components.FieldErrors{{Field: "confirm",
			Text: i18n.T(c.UserContext(), "problem.buyer_confirm", strconv.Itoa(removable))}}
		return s.showBuyer(c, props)
	}
	_, err = s.Payments.RemoveBuyer(c.UserContext(), page.Actor(c), page.Visitor(c).AccountID, props.Text)
	if err != nil {
		return err
	}
	if err := s.Flash(c, "buyer_removed"); err != nil {
		return err
	}
	return c.Redirect(pages.SettingsBuyerPath, fiber.StatusSeeOther)
}
