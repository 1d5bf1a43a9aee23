package banks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/models"
)

// toldAfter is how long a bank is silent before supervisors get a mail.
const toldAfter = 10 * time.Minute

// WarnOfSilence mails all who may manage banks about accounts in use whose banks have answered nothing for ten minutes.
// Several processes may call it, any number of times: each silence is mailed once.
func (s *Service) WarnOfSilence(ctx context.Context) error {
	silent, err := models.SilentBanks(ctx, s.DB.Pool, s.now().Add(-toldAfter))
	if err != nil {
		return fmt.Errorf("banks: find silent banks: %w", err)
	}
	var failed []error
	for _, state := range silent {
		if err := s.warnOfSilence(ctx, state); err != nil {
			failed = append(failed, fmt.Errorf("banks: warn of the silence of %s: %w", state.BankAccountID, err))
		}
	}
	return errors.Join(failed...)
}

func (s *Service) warnOfSilence(ctx context.Context, state models.BankState) error {
	account, err := models.BankAccountByID(ctx, s.DB, state.BankAccountID)
	if err != nil {
		return err
	}
	since := state.SilentSince.UTC().Format(time.RFC3339Nano)
	params := map[string]string{"bank": account.ID, "bank_name": account.Name, "at": since}
	return s.DB.InTx(ctx, func(tx *models.Tx) error {
		return s.tell(tx, models.MailBankSilent, "bank_silent/"+account.ID+"/"+since, params)
	})
}
