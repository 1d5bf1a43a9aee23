package banks

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"garoupa/models"
)

// warnings are how long before the end of a certificate supervisors get a mail, the last first.
var warnings = []time.Duration{24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour}

// WarnOfExpiry mails all who may manage banks, or the owner of an own account, about certificates in use that end in 30
// days, in 7 days and in a day. Several processes may call it, any number of times: each warning is mailed once. A
// certificate that was approved late gets only the last warning that is due.
func (s *Service) WarnOfExpiry(ctx context.Context) error {
	now := s.now()
	ending, err := models.EndingBankCredentials(ctx, s.DB, now, now.Add(warnings[len(warnings)-1]))
	if err != nil {
		return fmt.Errorf("banks: find certificates that end: %w", err)
	}
	for _, c := range ending {
		if err := s.warn(ctx, c, now); err != nil {
			return fmt.Errorf("banks: warn of the end of %s: %w", c.ID, err)
		}
	}
	return nil
}

func (s *Service) warn(ctx context.Context, c models.BankCredential, now time.Time) error {
	account, err := models.BankAccountByID(ctx, s.DB, c.BankAccountID)
	if err != nil {
		return err
	}
	due := 0
	for c.ExpiresAt.Sub(now) > warnings[due] {
		due++
	}
	params := map[string]string{"bank": account.ID, "bank_name": account.Name, "certificate": c.Subject,
		"at": c.ExpiresAt.Format(time.RFC3339)}
	fact := "bank_certificate_ends/" + c.ID + "/" + strconv.Itoa(due)
	return s.DB.InTx(ctx, func(tx *models.Tx) error {
		if account.Own() {
			return s.tellOwner(tx, account, models.MailOwnBankCertificateEnds, fact, params)
		}
		return s.tell(tx, models.MailBankCertificateEnds, fact, params)
	})
}
