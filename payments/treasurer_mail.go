package payments

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"garoupa/models"
)

// tellOfDestination mails the treasurers about a change of a destination, so that those who
// did not add it can notice it before it is used. at is when it was added or when it can be
// used.
func (s *Service) tellOfDestination(tx *models.Tx, d *models.Destination, kind string, at time.Time) error {
	return s.tellMembers(tx, d.AccountID, kind, d.ID,
		map[string]string{"destination": d.Masked, "at": at.Format(time.RFC3339)})
}

// withdrawalMails maps the statuses in which a withdrawal ends to mails. A cancellation sends
// none, because the member who canceled knows of it.
var withdrawalMails = map[models.WithdrawalStatus]string{
	models.WithdrawalCompleted: models.MailWithdrawalCompleted,
	models.WithdrawalRejected:  models.MailWithdrawalRejected,
	models.WithdrawalFailed:    models.MailWithdrawalFailed, models.WithdrawalReturned: models.MailWithdrawalReturned,
}

// mailWithdrawal sends the mail about the end of a withdrawal, if it has ended.
func (s *Service) mailWithdrawal(tx *models.Tx, w *models.Withdrawal) error {
	kind, ended := withdrawalMails[w.Status]
	if !ended {
		return nil
	}
	return s.tellMembers(tx, w.AccountID, kind, w.ID, map[string]string{
		"amount": strconv.FormatInt(int64(w.Amount), 10), "destination": w.Destination.Masked, "withdrawal": w.ID,
	})
}

// tellMembers mails the members of the account who get mails of the kind.
func (s *Service) tellMembers(tx *models.Tx, accountID, kind, objectID string, params map[string]string) error {
	account, err := models.AccountByID(tx.Context(), tx, accountID)
	if err != nil {
		return fmt.Errorf("read the account: %w", err)
	}
	var members []models.Recipient
	err = tx.PGX(func(ctx context.Context, conn models.Querier) (err error) {
		members, err = models.MembersToTell(ctx, conn, accountID, kind)
		return err
	})
	if err != nil {
		return fmt.Errorf("members to notify: %w", err)
	}
	params["account"] = account.Name
	mails := make([]models.Mail, len(members))
	for i, m := range members {
		own := map[string]string{"name": m.Name}
		for name, value := range params {
			own[name] = value
		}
		mails[i] = models.Mail{Fact: kind + "/" + objectID, To: m.Email, Language: m.Language, Kind: kind, Params: own,
			CreatedAt: s.now()}
	}
	return models.InsertMails(tx, mails...)
}
