package web

import (
	"fmt"

	"github.com/gofiber/fiber/v2"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/views/pages"
)

// account reads the account that the visitor looks at, with its switches.
func (s *server) account(c *fiber.Ctx) (*models.Account, error) {
	account, err := models.AccountByID(s.DB.WithContext(c.UserContext()), visitor(c).AccountID)
	if err != nil {
		return nil, fmt.Errorf("web: read account: %w", err)
	}
	return account, nil
}

// readBalance shows GET /app/saldo. A part that cannot be read is said to be missing; the
// others stand.
func (s *server) readBalance(c *fiber.Ctx) error {
	shell, err := s.shell(c)
	if err != nil {
		return err
	}
	props := pages.BalanceProps{Shell: shell, CanWithdraw: visitor(c).Livemode}
	balance, err := s.balance(c)
	props.NoBalance = s.lacks(c, "balance", err)
	if props.NeedsAccess = err == nil && balance == nil; props.NeedsAccess {
		return render(c, pages.BalancePage(props))
	}
	if balance != nil {
		props.Balance = *balance
	}
	if props.Balance.Blocked > 0 {
		props.Blocked, err = s.blockedRows(c)
		props.NoBlocked = s.lacks(c, "blocked", err)
	}
	props.NoStatement = s.lacks(c, "statement", s.addStatement(c, &props))
	return render(c, pages.BalancePage(props))
}

// balance is the one of the environment; nil in live without production access.
func (s *server) balance(c *fiber.Ctx) (*pages.Balance, error) {
	account, err := s.account(c)
	if err != nil {
		return nil, err
	}
	b, err := s.Payments.Balance(c.UserContext(), account, visitor(c).Livemode)
	if err != nil && fault.Of(err).Code == fault.Forbidden {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	return &pages.Balance{Gross: b.Gross, Fee: b.Fee, Pending: b.Pending, Available: b.Available, Reserved: b.Reserved, Blocked: b.Blocked}, nil
}

func (s *server) blockedRows(c *fiber.Ctx) ([]pages.BlockedRow, error) {
	v := visitor(c)
	blocked, err := models.BlockedAmounts(c.UserContext(), s.DB.Pool, v.AccountID, v.Livemode, true)
	if err != nil {
		return nil, fmt.Errorf("web: list blocked amounts: %w", err)
	}
	var rows []pages.BlockedRow
	for _, b := range blocked {
		rows = append(rows, pages.BlockedRow{Amount: b.Amount, Reason: b.Reason, Since: b.CreatedAt})
	}
	return rows, nil
}
