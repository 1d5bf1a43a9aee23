package payments

import (
	"garoupa/internal/refusal"
	"garoupa/models"
)

// mayPayOut refuses to approve or pay a withdrawal of an account that may not request one now.
// The caller must have locked the account's row. The refusal is AccountStopped.
func mayPayOut(a *models.Account) error {
	if err := withdrawalGate(a); err != nil {
		return accountStopped.Because(err)
	}
	return nil
}

// mayAddDestination refuses to approve a destination of a stopped account. It allows accounts
// whose production access is still in review. The caller must have locked the account's row.
// The refusal is AccountStopped.
func mayAddDestination(a *models.Account) error {
	if a.Suspended || a.WithdrawalsBlocked || a.ProductionAccess == models.AccessRejected {
		return accountStopped
	}
	return nil
}

var accountStopped = refusal.New(refusal.AccountStopped,
	"The account is stopped: nothing of it is approved or paid out until that ends.")
