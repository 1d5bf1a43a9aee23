package dashboard

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"garoupa/internal/input"
	"garoupa/internal/refusal"
	"garoupa/models"
	"garoupa/views/components"
	"garoupa/views/i18n"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// ownPixShown limits the list of Pix that wait for a decision; the others follow once these are decided.
const ownPixShown = 100

// openOwnPix returns the Pix at the merchant's own bank account about which a member decides, oldest first.
func (s *treasury) openOwnPix(c *fiber.Ctx) ([]models.Exception, error) {
	open, err := models.Exceptions(c.UserContext(), s.DB.Read, models.ExceptionFilter{Open: true, Own: new(true),
		AccountID: page.Visitor(c).AccountID, Limit: ownPixShown})
	if err != nil {
		return nil, fmt.Errorf("dashboard: list Pix at the own bank account: %w", err)
	}
	return open, nil
}

// addOwnBank says on the balance's page that money is at the own bank account.
func (s *treasury) addOwnBank(c *fiber.Ctx, props *pages.BalanceProps) error {
	if page.Visitor(c).Environment == models.Test {
		return nil
	}
	accounts, err := models.OwnBankAccounts(c.UserContext(), s.DB, page.Visitor(c).AccountID)
	if err != nil {
		return fmt.Errorf("dashboard: read own bank accounts: %w", err)
	}
	for _, account := range accounts {
		props.OwnBank = props.OwnBank || account.Used()
	}
	if props.OwnBank {
		open, err := s.openOwnPix(c)
		if err != nil {
			return err
		}
		props.OwnOpen = len(open)
	}
	return nil
}

// listOwnPix shows GET /app/saldo/avulsos.
func (s *treasury) listOwnPix(c *fiber.Ctx) error {
	open, err := s.openOwnPix(c)
	if err != nil {
		return err
	}
	props := pages.OwnPixListProps{}
	for i := range open {
		props.Rows = append(props.Rows, ownPix(&open[i]))
	}
	if props.Shell, err = s.Shell(c); err != nil {
		return err
	}
	return page.Render(c, pages.OwnPixList(props))
}

func ownPix(x *models.Exception) pages.OwnPix {
	return pages.OwnPix{ID: x.PaymentID, Kind: string(x.Kind), Amount: x.Amount, PaidAt: x.PaidAt,
		EndToEndID: x.EndToEndID, CheckoutID: page.Text(x.CheckoutID)}
}

// readOwnPix shows GET /app/saldo/avulsos/:id.
func (s *treasury) readOwnPix(c *fiber.Ctx) error { return s.showOwnPix(c, pages.OwnPixProps{}) }

// showOwnPix shows a Pix with the form about it, or the list if it is decided.
func (s *treasury) showOwnPix(c *fiber.Ctx, props pages.OwnPixProps) error {
	x, err := s.ownException(c)
	if err != nil {
		return err
	}
	if x.Decision != nil {
		return c.Redirect("/app/saldo/avulsos", fiber.StatusSeeOther)
	}
	props.Pix = ownPix(x)
	if props.Shell, err = s.Shell(c); err != nil {
		return err
	}
	return page.Render(c, pages.OwnPixDecision(props))
}

// ownException returns the exception of the path, if it is about money at the merchant's own account.
func (s *treasury) ownException(c *fiber.Ctx) (*models.Exception, error) {
	x, err := models.ExceptionByPayment(c.UserContext(), s.DB.Pool, c.Params("id"))
	if err == nil && (!x.Own || *x.AccountID != page.Visitor(c).AccountID) {
		err = models.ErrNotFound
	}
	return x, err
}

// decideOwnPix handles POST /app/saldo/avulsos/:id. A second form finds the decision made.
func (s *treasury) decideOwnPix(c *fiber.Ctx) error {
	if _, err := s.ownException(c); err != nil {
		return err
	}
	ctx := c.UserContext()
	form := pages.OwnPixProps{Outcome: page.Field(c, "outcome"), Reason: page.FormText(c, "reason"),
		ReturnID: input.TrimLine(page.Field(c, "returnId"))}
	if form.Outcome != string(models.ExceptionAccepted) && form.Outcome != string(models.ExceptionRefunded) {
		form.Errors = append(form.Errors, components.FieldError{Field: "outcome",
			Text: i18n.T(ctx, "problem.ops_outcome")})
	}
	if form.Outcome == string(models.ExceptionRefunded) && form.ReturnID == "" { // without it the bank would be asked
		form.Errors = append(form.Errors, components.FieldError{Field: "returnId",
			Text: i18n.T(ctx, "problem.own_pix_return_missing")})
	}
	if _, ok := input.Reason(form.Reason); !ok {
		form.Errors = append(form.Errors, components.FieldError{Field: "reason",
			Text: i18n.T(ctx, "problem.ops_reason")})
	}
	if len(form.Errors) > 0 {
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showOwnPix(c, form)
	}
	err := s.decideAs(c, form)
	switch {
	case err == nil:
		err = s.Flash(c, "own_pix_decided")
	case refusal.Of(err).Code == refusal.ProofRequired || refusal.Of(err).Code == refusal.ProofTaken:
		form.Errors = components.FieldErrors{{Field: "returnId",
			Text: i18n.T(ctx, "problem.own_pix_"+string(refusal.Of(err).Code))}}
		c.Status(fiber.StatusUnprocessableEntity)
		return s.showOwnPix(c, form)
	case refusal.Of(err).Code == refusal.WrongState: // decided meanwhile
		err = nil
	}
	if err != nil {
		return err
	}
	return c.Redirect("/app/saldo/avulsos", fiber.StatusSeeOther)
}

func (s *treasury) decideAs(c *fiber.Ctx, form pages.OwnPixProps) (err error) {
	ctx, by, id := c.UserContext(), page.Actor(c), c.Params("id")
	if form.Outcome == string(models.ExceptionAccepted) {
		_, err = s.Payments.AcceptException(ctx, by, id, form.Reason)
	} else {
		_, err = s.Payments.RefundException(ctx, by, id, form.Reason, form.ReturnID)
	}
	return err
}
