package payments

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"garoupa/models"
)

const (
	// paidPatience is how long TellPaid waits for payments that are being written.
	paidPatience = 2 * time.Second
	// paidBatch limits the payments that one transaction reports to a member.
	paidBatch = 500
)

// TellPaid mails members about paid live charges if they have turned that notice on: one mail
// for each charge, up to models.PaidMailsAnHour in an hour, and one summary of an hour that
// had more. It finds the charges in the ledger, so payments do no extra work for it. Each
// charge is reported once, because the mails and the progress are committed together.
// Instances may run it at the same time.
func (s *Service) TellPaid(ctx context.Context) error {
	wanted, err := models.AnyPaidNotices(ctx, s.DB.Pool)
	if err != nil || !wanted {
		return err
	}
	through, err := models.DecidedTransfers(ctx, s.DB.Pool, paidPatience)
	if errors.Is(err, models.ErrUndecided) {
		return nil // the next run is soon enough
	}
	var due []models.PaidNotice
	if err == nil {
		due, err = models.DuePaidNotices(ctx, s.DB.Pool, through, s.now())
	}
	if err != nil {
		return fmt.Errorf("payments: find paid charges: %w", err)
	}
	for _, n := range due {
		for more := true; more; {
			err := s.DB.InTx(ctx, func(tx *models.Tx) (err error) {
				more, err = s.tellMember(tx, n.AccountID, n.UserID, through)
				return err
			})
			if err != nil {
				return fmt.Errorf("payments: mail about paid charges: %w", err)
			}
		}
	}
	return nil
}

// tellMember writes a member's mails about payments up to a position in the ledger. It reports
// whether more payments may follow.
func (s *Service) tellMember(tx *models.Tx, accountID, userID string, through int64) (more bool, err error) {
	n, err := models.LockPaidNotice(tx, accountID, userID)
	if errors.Is(err, models.ErrNotFound) {
		return false, nil // another instance is writing them, or the notice was turned off
	} else if err != nil {
		return false, err
	}
	payments, err := models.LivePaymentsFor(tx, n, through, paidBatch)
	if err != nil {
		return false, err
	}
	now := s.now()
	var mails []models.Mail
	var alone []string // the payments that get one mail each
	for _, p := range payments {
		if hour := p.RecordedAt.UTC().Truncate(time.Hour); hour.After(n.Hour) {
			mails = append(mails, closeHour(n, hour, now)...)
		}
		n.ThroughID, n.Paid, n.Amount = p.TransferID, n.Paid+1, n.Amount+p.Amount
		if n.Paid <= models.PaidMailsAnHour {
			alone = append(alone, p.PaymentID)
		}
	}
	if more = len(payments) == paidBatch; !more {
		n.ThroughID = max(n.ThroughID, through)
		if hour := now.Truncate(time.Hour); hour.After(n.Hour) {
			mails = append(mails, closeHour(n, hour, now)...)
		}
	}
	charges, err := models.PaidCharges(tx, alone)
	if err != nil {
		return false, err
	}
	for _, id := range alone {
		mails = append(mails, chargePaid(n, charges[id], now))
	}
	if err := models.InsertMails(tx, mails...); err != nil {
		return false, err
	}
	return more, models.SavePaidNotice(tx, n)
}

// closeHour starts a new hour, and returns the summary of the last one if it had more charges
// than mails.
func closeHour(n *models.PaidNotice, next, now time.Time) (mails []models.Mail) {
	if n.Paid > models.PaidMailsAnHour {
		mails = append(mails, models.Mail{
			Fact: fmt.Sprintf("%s/%s/%s", models.MailChargesPaid, n.AccountID, n.Hour.UTC().Format(time.RFC3339)),
			To:   n.Email, Language: n.Language, Kind: models.MailChargesPaid, CreatedAt: now,
			Params: map[string]string{
				"name": n.Name, "account": n.AccountName, "account_id": n.AccountID,
				"count": strconv.Itoa(n.Paid), "alone": strconv.Itoa(models.PaidMailsAnHour),
				"amount": strconv.FormatInt(int64(n.Amount), 10),
				"at":     n.Hour.Format(time.RFC3339), "until": n.Hour.Add(time.Hour).Format(time.RFC3339),
			},
		})
	}
	n.Hour, n.Paid, n.Amount = next, 0, 0
	return mails
}

// chargePaid returns a member's mail about one charge. The mail does not name the payer.
func chargePaid(n *models.PaidNotice, c models.PaidCharge, now time.Time) models.Mail {
	return models.Mail{
		Fact: models.MailChargePaid + "/" + c.ID, To: n.Email, Language: n.Language, Kind: models.MailChargePaid,
		CreatedAt: now,
		Params: map[string]string{
			"name": n.Name, "account": n.AccountName, "account_id": n.AccountID,
			"amount":      strconv.FormatInt(int64(c.Amount), 10),
			"description": c.Description, "order": c.ExternalID, "at": c.PaidAt.Format(time.RFC3339), "charge": c.ID,
		},
	}
}
