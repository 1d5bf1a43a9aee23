package banks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"garoupa/models"
)

const (
	// registerWithin limits one try to register an address. After registerLease another process tries.
	registerWithin, registerLease = 45 * time.Second, time.Minute
	// registerPause is the wait after the first failure. It doubles up to longestRegisterPause.
	registerPause, longestRegisterPause = 2 * time.Second, time.Minute
	// registeredFor is how long an address stays at least, also if processes have different settings.
	registeredFor = time.Minute
)

// ErrNoProof is why an address is not registered: notices could not be told from those of strangers. It is
// written to the registration as it is.
var ErrNoProof = errors.New("the profile does not say how notices are proven: " +
	"set notice_proof.ca, notice_proof.common_name or both, or the kind secret")

// RegisterNotices tells the bank of an account where to post notices, if it was not told this address since
// this process started. The address is Options.NoticesURL and the account's token. A failure is written to
// the registration, and the next call after a pause tries again. Without NoticesURL nothing is done.
func (s *Service) RegisterNotices(ctx context.Context, accountID string) error {
	if s.NoticesURL == "" {
		return nil
	}
	now := s.now()
	claimed, err := models.ClaimBankRegistration(ctx, s.DB.Pool, accountID, s.NoticesURL, s.started, now,
		now.Add(registerLease))
	if err != nil || claimed == nil {
		return err
	}
	trying, cancel := context.WithTimeout(ctx, registerWithin)
	defer cancel()
	failure, err := s.register(trying, accountID)
	switch {
	case err != nil:
		return fmt.Errorf("banks: register notices of %s: %w", accountID, err)
	case failure != "":
		pause := min(registerPause<<min(claimed.Tries-1, 10), longestRegisterPause)
		s.Log.WarnContext(ctx, "notices are not registered at the bank", "bank_account", accountID, "err", failure)
		err = models.FailBankRegistration(ctx, s.DB.Pool, accountID, failure, s.now().Add(pause))
	default:
		now = s.now()
		err = models.ConfirmBankRegistration(ctx, s.DB.Pool, accountID, s.NoticesURL, now, now.Add(registeredFor))
	}
	if err != nil {
		return fmt.Errorf("banks: write the registration of %s: %w", accountID, err)
	}
	return nil
}

// register asks the bank. failure is why it did not take the address.
func (s *Service) register(ctx context.Context, accountID string) (failure string, err error) {
	account, err := models.BankAccountByID(ctx, s.DB, accountID)
	if err != nil {
		return "", err
	}
	profile, err := s.profile(account)
	if err != nil {
		return "", err
	}
	if _, err := newProof(profile.NoticeProof); err != nil {
		return err.Error(), nil
	}
	token, err := s.noticeToken(ctx, account)
	if err != nil {
		return "", err
	}
	bank, err := s.For(ctx, accountID)
	if err != nil {
		return "", err
	}
	if err := bank.RegisterNotices(ctx, s.NoticesURL+noticePath+token); err != nil {
		return err.Error(), nil
	}
	return "", nil
}
