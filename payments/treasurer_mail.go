package payments

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"garoupa/models"
)

// tellOfDestination mails what became of a destination: somebody who did not add it
// has until it is used to notice. At is when it was added, or can be used.
func (s *Service) tellOfDestination(tx *models.Tx, d *models.Destination, kind string, at time.Time) error {
	return s.tellTreasurers(tx, d.AccountID, kind, d.ID, map[string]string{"destination": d.Masked, "at": at.Format(time.RFC3339)})
}

// withdrawalMails are the mails of the states in which a withdrawal ends. Who
// cancels one knows.
var withdrawalMails = map[models.WithdrawalStatus]string{
	models.WithdrawalCompleted: models.MailWithdrawalCompleted, models.WithdrawalRejected: models.MailWithdrawalRejected,
	models.WithdrawalFailed: models.MailWithdrawalFailed, models.WithdrawalReturned: models.MailWithdrawalReturned,
}

// mailWithdrawal tells how a withdrawal ended, if it did.
func (s *Service) mailWithdrawal(tx *models.Tx, w *models.Withdrawal) error {
	kind, ended := withdrawalMails[w.Status]
	if !ended {
		return nil
	}
	return s.tellTreasurers(tx, w.AccountID, kind, w.ID, map[string]string{
		"amount": strconv.FormatInt(int64(w.Amount), 10), "destination": w.Destination.Masked, "withdrawal": w.ID,
	})
}

// tellTreasurers mails those who look after the account's money.
func (s *Service) tellTreasurers(tx *models.Tx, accountID, kind, objectID string, params map[string]string) error {
	account, err := models.AccountByID(tx.DB, accountID)
	if err != nil {
		return fmt.Errorf("account to tell: %w", err)
	}
	var members []models.Recipient
	err = tx.PGX(func(ctx context.Context, conn *pgx.Conn) (err error) {
		members, err = models.MembersToTell(ctx, conn, accountID, kind)
		return err
	})
	if err != nil {
		return fmt.Errorf("members to tell: %w", err)
	}
	params["account"] = account.Name
	mails := make([]models.Mail, len(members))
	for i, m := range members {
		own := map[string]string{"name": m.Name}
		for name, value := range params {
			own[name] = value
		}
		mails[i] = models.Mail{Fact: kind + "/" + objectID, To: m.Email, Language: m.Language, Kind: kind, Params: own, CreatedAt: s.now()}
	}
	return models.InsertMails(tx, mails...)
}
