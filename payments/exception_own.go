package payments

import (
	"garoupa/internal/refusal"
	"garoupa/ledger"
	"garoupa/models"
)

var errAtOwnBank = refusal.New(refusal.WrongState, "The money is at the merchant's own bank account.")

// decider refuses actors who may not decide about an exception of an account, "" for none: staff decide about
// money that the installation has, and members who can MoveMoney about that at their own bank account. The
// refusal is Forbidden.
func decider(tx *models.Tx, by models.Actor, x *models.Exception, accountID string) error {
	if x.Own {
		return member(tx, by, accountID, models.MoveMoney)
	}
	return staff(tx, by, models.Matter{AccountID: accountID, Since: x.CreatedAt})
}

// acceptOwn books the money of an exception at the own bank account that has it already.
func acceptOwn(tx *models.Tx, x *models.Exception) error {
	pending := ledger.Account(*x.AccountID, x.Environment, ledger.Pending)
	return ledger.Post(tx, *x.DecidedAt, ledger.Posting{Fact: "exception/" + x.PaymentID, Transfers: []ledger.Transfer{
		{From: ledger.Suspense(x.Environment), To: pending, Amount: x.Amount},
		{From: pending, To: ledger.PaidOut(x.Environment), Amount: x.Amount},
	}})
}
