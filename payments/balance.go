package payments

import (
	"context"
	"fmt"

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

// SnapshotLedger keeps balances quick to read, however much was ever moved. It is
// for a job, every minute or so; instances may run it at the same time.
func (s *Service) SnapshotLedger(ctx context.Context) error {
	_, err := ledger.Snapshot(ctx, s.DB.Pool, s.now())
	return err
}

// CheckBooks recomputes every book from its movements, and what they should be from
// checkouts, payments and withdrawals; see ledger.Check. It keeps what it found for staff
// to see.
func (s *Service) CheckBooks(ctx context.Context) (drift []string, err error) {
	if drift, err = ledger.Check(ctx, s.DB.Pool); err != nil {
		return nil, err
	}
	if err := models.RecordExamination(ctx, s.DB.Pool, models.ExaminedBooks, drift, s.now()); err != nil {
		return nil, fmt.Errorf("payments: check the books: %w", err)
	}
	return drift, nil
}

// Books returns what the account has in an environment, for staff: whatever its
// access is.
func (s *Service) Books(ctx context.Context, accountID string, livemode bool) (models.Balance, error) {
	return ledger.BalanceOf(ctx, s.DB.Pool, accountID, livemode)
}
