package payments

import (
	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/models"
)

var errAtOwnBank = refusal.New(refusal.WrongState, "The money is at the merchant's own bank account.")

// decider returns an error unless the actor may decide about the exception. If its money is at a merchant's own bank
// account, members who can MoveMoney decide, otherwise staff. accountID is "" if the exception has no account. The
// refusal is Forbidden.
func decider(tx *models.Tx, by models.Actor, x *models.Exception, accountID string) error {
	if x.Own {
		return member(tx, by, accountID, models.MoveMoney)
	}
	return staff(tx, by, models.Matter{AccountID: accountID, Since: x.CreatedAt})
}

// acceptOwn posts an accepted exception whose money is at the merchant's own bank account: from suspense through
// pending to paid_out.
func acceptOwn(tx *models.Tx, x *models.Exception) error {
	pending := ledger.Account(*x.AccountID, x.Environment, ledger.Pending)
	return ledger.Post(tx, *x.DecidedAt, ledger.Posting{Fact: "exception/" + x.PaymentID, Transfers: []ledger.Transfer{
		{From: ledger.Suspense(x.Environment), To: pending, Amount: x.Amount},
		{From: pending, To: ledger.PaidOut(x.Environment), Amount: x.Amount},
	}})
}
