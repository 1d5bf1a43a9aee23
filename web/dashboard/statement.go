package dashboard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	pages "garoupa/views/pages/dashboard"
	"garoupa/web/page"
)

// movementKinds are the groups of pages.MovementKinds.
var movementKinds = map[string][]models.MovementKind{
	"payments":    {models.MovementPayment, models.MovementAcceptance},
	"fees":        {models.MovementFee, models.MovementWithdrawalFee},
	"settlements": {models.MovementSettlement},
	"withdrawals": {models.MovementReservation, models.MovementReservationEnd, models.MovementWithdrawal,
		models.MovementWithdrawalFee, models.MovementWithdrawalReturned},
	"refunds":  {models.MovementRefund, models.MovementRefundUndone},
	"blocks":   {models.MovementBlock, models.MovementRelease},
	"own_bank": {models.MovementOwnBank, models.MovementOwnBankReturn},
}

// internal are the movements between the account's own books.
var internal = []models.MovementKind{
	models.MovementSettlement, models.MovementBlock, models.MovementRelease, models.MovementReservation,
	models.MovementReservationEnd,
}

// readStatementFilter reads the filters of the statement: the typed values, and their parsed
// form.
func readStatementFilter(c *fiber.Ctx) (typed pages.StatementFilter, meant models.StatementFilter,
	problems components.FieldErrors) {
	typed = pages.StatementFilter{From: strings.TrimSpace(c.Query("from")), Until: strings.TrimSpace(c.Query("until"))}
	if kind := c.Query("kind"); slices.Contains(pages.MovementKinds, kind) {
		typed.Kind, meant.Kinds = kind, movementKinds[kind]
	}
	meant.From, meant.Until, problems = page.ReadPeriod(c, typed.From, typed.Until)
	return typed, meant, problems
}

// addStatement adds a page of the statement.
func (s *treasury) addStatement(c *fiber.Ctx, props *pages.BalanceProps) error {
	typed, meant, problems := readStatementFilter(c)
	props.Filter, props.Errors = typed, problems
	props.Periods = presets(s.Now(), pages.PeriodAll, pages.PeriodMonth, pages.PeriodLastMonth)
	if len(problems) > 0 {
		c.Status(fiber.StatusUnprocessableEntity)
		return nil
	}
	after := s.Position(c, payments.ListStatement)
	meant.Before = after.Number()
	v := page.Visitor(c)
	movements, err := models.ReadPage(page.ListSize(c), func(limit int) ([]models.Movement, error) {
		meant.Limit = limit
		return models.Statement(c.UserContext(), s.DB.Read, v.AccountID, v.Environment, meant)
	})
	if err != nil {
		return fmt.Errorf("dashboard: read statement: %w", err)
	}
	props.Pager = s.Pager(c, payments.ListStatement, "/app/saldo", typed.Query(), after, movements.Next)
	props.Movements, err = s.movementRows(c, movements.Rows)
	return err
}

func (s *treasury) movementRows(c *fiber.Ctx, movements []models.Movement) ([]pages.MovementRow, error) {
	charges, err := models.CheckoutReferences(c.UserContext(), s.DB.Read, page.Visitor(c).AccountID,
		chargeIDs(movements))
	if err != nil {
		return nil, fmt.Errorf("dashboard: read the charges of a statement: %w", err)
	}
	var rows []pages.MovementRow
	for _, m := range movements {
		row := pages.MovementRow{
			At: m.At, Kind: string(m.Kind), Internal: slices.Contains(internal, m.Kind), Amount: m.Amount,
			Available: m.Available, Total: m.Total,
			LinkedID: m.LinkedID,
		}
		if charge, known := charges[m.LinkedID]; known {
			row.Href, row.Reference, row.LinkedID = "/app/cobrancas/"+m.LinkedID, charge.ExternalID, ""
		} else if strings.HasPrefix(m.LinkedID, "wdr_") {
			row.Href = "/app/saques/" + m.LinkedID
		} else if strings.HasPrefix(m.LinkedID, "dsp_") {
			row.Href = "/app/disputas/" + m.LinkedID
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// chargeIDs returns the checkouts of movements.
func chargeIDs(movements []models.Movement) []string {
	var ids []string
	for _, m := range movements {
		if strings.HasPrefix(m.LinkedID, "chk_") {
			ids = append(ids, m.LinkedID)
		}
	}
	return ids
}
