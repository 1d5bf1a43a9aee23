package payments

import (
	"context"
	"fmt"
	"time"

	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/models"
)

// Balance returns the account's balance in an environment (contract 2.4). The refusal
// is Forbidden in live unless the account has production access; no switch hides the
// balance (docs/rules.md, "Account switches").
func (s *Service) Balance(ctx context.Context, account *models.Account,
	environment models.Environment) (models.Balance, error) {
	if environment == models.Live && account.ProductionAccess != models.AccessApproved {
		return models.Balance{}, notApproved
	}
	return s.balances.Ask(ctx, balanceKey{account.ID, environment})
}

// balanceKey identifies a balance: an account in an environment.
type balanceKey struct {
	accountID   string
	environment models.Environment
}

// readBalance reads a balance for all callers that ask for it at the same time.
func (s *Service) readBalance(ctx context.Context, key balanceKey) (models.Balance, error) {
	return ledger.BalanceOf(ctx, s.DB.Pool, key.accountID, key.environment)
}

var notApproved = refusal.New(refusal.Forbidden,
	"This account has no production access yet. Ask for it in the dashboard, or use a test key.")

// SnapshotLedger takes a snapshot of the ledger, which keeps balances quick to read. A job
// runs it about every minute; instances may run it at the same time.
func (s *Service) SnapshotLedger(ctx context.Context) error {
	_, err := ledger.Snapshot(ctx, s.DB.Pool, s.now())
	return err
}

// CheckBooks compares the new part of the books with checkouts, payments and withdrawals, and
// again what did not agree before (see ledger.Prove). It returns and stores the disagreements,
// for staff. A job runs it about every hour; instances may run it at the same time.
func (s *Service) CheckBooks(ctx context.Context) (drift []string, err error) {
	last, err := models.LastExamination(ctx, s.DB.Pool, models.ExaminedBooks)
	if err != nil {
		return nil, fmt.Errorf("payments: check the books: %w", err)
	}
	var before time.Time
	if last.At != nil {
		before = *last.At
	}
	now := s.now()
	if drift, err = ledger.Prove(ctx, s.DB, before, now); err != nil {
		return nil, err
	}
	result := models.Examination{At: &now, Flaws: drift}
	if err := models.RecordExamination(ctx, s.DB.Pool, models.ExaminedBooks, result); err != nil {
		return nil, fmt.Errorf("payments: check the books: %w", err)
	}
	return drift, nil
}

// checkAllEvery is how often the whole history of the books is compared.
const checkAllEvery = 7 * 24 * time.Hour

// CheckAllBooks compares the whole history of the books (see ledger.Pass). It continues an
// unfinished pass, or begins one if the last ended a week ago. CheckBooks reports what does
// not agree. When ctx ends it stops, and the next call continues. A job runs it.
func (s *Service) CheckAllBooks(ctx context.Context) error {
	last, err := models.LastExamination(ctx, s.DB.Pool, models.ExaminedAllBooks)
	if err != nil {
		return fmt.Errorf("payments: check all of the books: %w", err)
	}
	pass, err := models.LastPass(ctx, s.DB.Pool)
	if err != nil {
		return fmt.Errorf("payments: check all of the books: %w", err)
	}
	now := s.now()
	if pass.BeganAt == nil && last.At != nil && now.Sub(*last.At) < checkAllEvery {
		return nil
	}
	done, err := ledger.Pass(ctx, s.DB, now)
	if err != nil || !done {
		return err
	}
	result := models.Examination{At: &now}
	if err := models.RecordExamination(ctx, s.DB.Pool, models.ExaminedAllBooks, result); err != nil {
		return fmt.Errorf("payments: check all of the books: %w", err)
	}
	return nil
}

// Books returns an account's balance in an environment for staff, whether or not the account
// has production access.
func (s *Service) Books(ctx context.Context, accountID string, environment models.Environment) (models.Balance, error) {
	return ledger.BalanceOf(ctx, s.DB.Pool, accountID, environment)
}
