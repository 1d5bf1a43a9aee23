package payments

import (
	"context"

	"garoupa/fault"
	"garoupa/ledger"
	"garoupa/models"
)

// Balance returns the account's balance in an environment (contract 2.4). The fault
// is Forbidden for live before the account is approved; no other switch hides it
// (decisions, 2.12).
func (s *Service) Balance(ctx context.Context, account *models.Account, livemode bool) (models.Balance, error) {
	if livemode && account.ProductionAccess != models.AccessApproved {
		return models.Balance{}, notApproved
	}
	return ledger.BalanceOf(ctx, s.DB.Pool, account.ID, livemode)
}

var notApproved = fault.New(fault.Forbidden, "This account has no production access yet. Ask for it in the dashboard, or use a test key.")
