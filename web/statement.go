package web

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"garoupa/models"
	"garoupa/payments"
	"garoupa/views/components"
	"garoupa/views/i18n"
	"garoupa/views/pages"
)

// movementKinds are the groups of pages.MovementKinds.
var movementKinds = map[string][]models.MovementKind{
	"payments":    {models.MovementPayment, models.MovementAcceptance},
	"fees":        {models.MovementFee, models.MovementWithdrawalFee},
	"settlements": {models.MovementSettlement},
	"withdrawals": {models.MovementReservation, models.MovementReservationEnd, models.MovementWithdrawal, models.MovementWithdrawalFee, models.MovementWithdrawalReturned},
	"refunds":     {models.MovementRefund},
	"blocks":      {models.MovementBlock, models.MovementRelease},
}

// internal are the movements between an account's own amounts.
var internal = []models.MovementKind{
	models.MovementSettlement, models.MovementBlock, models.MovementRelease, models.MovementReservation, models.MovementReservationEnd,
}

// readStatementFilter reads what narrows the statement: as it stands in the address,
// and as it is meant.
func readStatementFilter(c *fiber.Ctx) (typed pages.StatementFilter, meant models.StatementFilter, problems components.FieldErrors) {
	typed = pages.StatementFilter{From: strings.TrimSpace(c.Query("from")), Until: strings.TrimSpace(c.Query("until"))}
	if kind := c.Query("kind"); slices.Contains(pages.MovementKinds, kind) {
		typed.Kind, meant.Kinds = kind, movementKinds[kind]
	}
	meant.From, meant.Until, problems = readPeriod(c, typed.From, typed.Until)
	return typed, meant, problems
}

// addStatement fills in a page of the statement.
func (s *server) addStatement(c *fiber.Ctx, props *pages.BalanceProps) error {
	typed, meant, problems := readStatementFilter(c)
	props.Filter, props.Errors = typed, problems
	props.ThisMonth, props.LastMonth = months(s.Now())
	if len(problems) > 0 {
		c.Status(fiber.StatusUnprocessableEntity)
		return nil
	}
	after := s.position(c, payments.ListStatement)
	if after != nil {
		meant.Before, _ = strconv.ParseInt(after.ID, 10, 64) // the cursor is one that was given out
	}
	meant.Limit = pageSize + 1 // one more tells whether there is a further page
	v := visitor(c)
	movements, err := models.Statement(c.UserContext(), s.DB.Pool, v.AccountID, v.Livemode, meant)
	if err != nil {
		return fmt.Errorf("web: read statement: %w", err)
	}
	next := ""
	if len(movements) > pageSize {
		movements = movements[:pageSize]
		last := movements[pageSize-1]
		next = s.Payments.Cursor(payments.ListStatement, models.Position{CreatedAt: last.At, ID: strconv.FormatInt(last.ID, 10)})
	}
	props.Pager = filterPager("/app/saldo", typed.Query(), after != nil, next)
	props.Movements, err = s.movementRows(c, movements)
	return err
}

func (s *server) movementRows(c *fiber.Ctx, movements []models.Movement) ([]pages.MovementRow, error) {
	charges, err := models.CheckoutReferences(c.UserContext(), s.DB.Pool, visitor(c).AccountID, chargeIDs(movements))
	if err != nil {
		return nil, fmt.Errorf("web: read the charges of a statement: %w", err)
	}
	var rows []pages.MovementRow
	for _, m := range movements {
		row := pages.MovementRow{
			At: m.At, Kind: string(m.Kind), Internal: slices.Contains(internal, m.Kind), Amount: m.Amount, Available: m.Available, Total: m.Total,
			LinkedID: m.LinkedID,
		}
		if charge, known := charges[m.LinkedID]; known {
			row.Href, row.Reference, row.LinkedID = "/app/cobrancas/"+m.LinkedID, charge.ExternalID, ""
		} else if strings.HasPrefix(m.LinkedID, "wdr_") {
			row.Href = "/app/saques/" + m.LinkedID
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// chargeIDs are the checkouts that movements are about.
func chargeIDs(movements []models.Movement) []string {
	var ids []string
	for _, m := range movements {
		if strings.HasPrefix(m.LinkedID, "chk_") {
			ids = append(ids, m.LinkedID)
		}
	}
	return ids
}

// months are the days of the month of now, and of the one before.
func months(now time.Time) (this, last pages.StatementFilter) {
	today, _ := i18n.ParseDay(i18n.Day(now)) // a day that was just written
	first := today.AddDate(0, 0, 1-today.Day())
	span := func(from time.Time) pages.StatementFilter {
		return pages.StatementFilter{From: i18n.Day(from), Until: i18n.Day(from.AddDate(0, 1, -1))}
	}
	return span(first), span(first.AddDate(0, -1, 0))
}
