package banks

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"garoupa/internal/ratelimit"
	"garoupa/models"
	"garoupa/pix/psp"
	"garoupa/pix/psp/bacen"
)

// profile returns the profile of an account, with its overrides.
func (s *Service) profile(account *models.BankAccount) (bacen.Profile, error) {
	named, err := bacen.Named(s.Profiles, account.Profile)
	if err != nil {
		return named, fmt.Errorf("banks: %s: %w", account.ID, err)
	}
	profile, err := named.With([]byte(account.Overrides))
	if err != nil {
		return named, fmt.Errorf("banks: %s: %w", account.ID, err)
	}
	return profile, nil
}

// client returns the client of credentials. There is one in each process, so that all calls share
// its token, its limits and its breaker.
func (s *Service) client(account *models.BankAccount, credential *models.BankCredential) (*bacen.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.clients[credential.ID]; c != nil {
		return c, nil
	}
	options, err := s.open(account, credential)
	if err != nil {
		return nil, fmt.Errorf("banks: credentials %s: %w", credential.ID, err)
	}
	c, err := bacen.New(options)
	if err != nil {
		return nil, fmt.Errorf("banks: credentials %s: %w", credential.ID, err)
	}
	s.clients[credential.ID] = c
	return c, nil
}

// forAccount is the client of an account, as it was found at a time.
type forAccount struct {
	client       *bacen.Client
	credentialID string
	found        time.Time
}

// For returns the bank of an account, with its active credentials. Credentials that are replaced serve
// for some seconds more in other processes; banks accept both meanwhile. It fails with
// models.ErrNotFound.
func (s *Service) For(ctx context.Context, bankAccountID string) (psp.Bank, error) {
	s.mu.Lock()
	known := s.accounts[bankAccountID]
	s.mu.Unlock()
	if known.client != nil && s.Now().Sub(known.found).Abs() < readAgainAfter {
		return known.client.Bank(), nil
	}
	account, err := models.BankAccountByID(ctx, s.DB, bankAccountID)
	if err != nil {
		return nil, fmt.Errorf("banks: read the account: %w", err)
	}
	credential, err := models.BankCredentialOf(ctx, s.DB, bankAccountID, models.CredentialActive)
	if err != nil {
		return nil, fmt.Errorf("banks: read the credentials: %w", err)
	}
	c, err := s.client(account, credential)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accounts[bankAccountID] = forAccount{c, credential.ID, s.Now()}
	return c.Bank(), nil
}

// Limits returns what keeps the calls of this process below the limits of each bank, by names that other
// processes use too. Accounts that the process has not used yet are left out.
func (s *Service) Limits() map[string]*ratelimit.Limiter {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]*ratelimit.Limiter{}
	for id, a := range s.accounts {
		for name, limiter := range a.client.Limits() {
			all[id+"/"+name] = limiter
		}
	}
	return all
}

// open unseals credentials.
func (s *Service) open(account *models.BankAccount, credential *models.BankCredential) (o bacen.Options, err error) {
	if o.Profile, err = s.profile(account); err != nil {
		return o, err
	}
	var certificate, key, appKey string
	for _, sealed := range []struct {
		column models.Sealed
		value  []byte
		into   *string
	}{
		{models.SealedBankSecret, credential.ClientSecret, &o.ClientSecret},
		{models.SealedCertificate, credential.Certificate, &certificate},
		{models.SealedPrivateKey, credential.PrivateKey, &key},
		{models.SealedAppKey, credential.AppKey, &appKey},
	} {
		if sealed.value == nil {
			continue
		}
		if *sealed.into, err = s.Vault.Open(sealed.column.Place(credential.ID), sealed.value); err != nil {
			return o, err
		}
	}
	if account.NoticeToken != nil {
		o.NoticeToken, err = s.Vault.Open(models.SealedNoticeToken.Place(account.ID), account.NoticeToken)
		if err != nil {
			return o, err
		}
	}
	if o.Certificate, err = tls.X509KeyPair([]byte(certificate), []byte(key)); err != nil {
		return o, errors.New("the certificate and its key cannot be read")
	}
	o.Sandbox, o.ClientID, o.PixKey = account.Sandbox, credential.ClientID, account.PixKey
	o.Values = map[string]string{"conta": account.AccountNumber, "app_key": appKey}
	o.HolderName = account.HolderName
	o.Proxy, o.AllowTestBank, o.Now, o.Log = s.Proxy, s.AllowPrivate, s.Now, s.Log
	o.Observe = func(seen bacen.Observation) { s.observe(account.ID, credential.ID, seen) }
	return o, nil
}

// readAgainAfter is how long For trusts what it found.
const readAgainAfter = 5 * time.Second

// forget ends the client of credentials that were retired. Others keep their token, their limits and
// their breaker.
func (s *Service) forget(credentialID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.clients[credentialID]; c != nil {
		c.Close()
		delete(s.clients, credentialID)
		maps.DeleteFunc(s.accounts, func(_ string, a forAccount) bool { return a.client == c })
	}
}

// Check tries what an account needs: with its proposed credentials, or with those in use if none are
// proposed. It charges nothing, but asks the bank, so it may take seconds. It fails with
// models.ErrNotFound.
func (s *Service) Check(ctx context.Context, accountID string) ([]psp.Finding, error) {
	account, err := models.BankAccountByID(ctx, s.DB, accountID)
	if err != nil {
		return nil, fmt.Errorf("banks: read the account: %w", err)
	}
	credential, err := models.BankCredentialOf(ctx, s.DB, accountID, models.CredentialNew)
	if errors.Is(err, models.ErrNotFound) {
		credential, err = models.BankCredentialOf(ctx, s.DB, accountID, models.CredentialActive)
	}
	if err != nil {
		return nil, fmt.Errorf("banks: read the credentials: %w", err)
	}
	return s.try(ctx, account, credential)
}

// CheckCharge creates a charge of one centavo at an account's bank and removes it again.
func (s *Service) CheckCharge(ctx context.Context, accountID string) (psp.Finding, error) {
	account, err := models.BankAccountByID(ctx, s.DB, accountID)
	if err != nil {
		return psp.Finding{}, fmt.Errorf("banks: read the account: %w", err)
	}
	credential, err := models.BankCredentialOf(ctx, s.DB, accountID, models.CredentialActive)
	if err != nil {
		return psp.Finding{}, fmt.Errorf("banks: read the credentials: %w", err)
	}
	c, err := s.client(account, credential)
	if err != nil {
		return psp.Finding{}, err
	}
	return c.CheckCharge(ctx), nil
}

func (s *Service) try(ctx context.Context, account *models.BankAccount, credential *models.BankCredential) (
	[]psp.Finding, error) {
	c, err := s.client(account, credential)
	if err != nil {
		return nil, err
	}
	return c.Check(ctx), nil
}

// passed reports whether nothing was found that prevents charges. A certificate that ends soon
// prevents none.
func passed(findings []psp.Finding) bool {
	return !slices.ContainsFunc(findings, func(f psp.Finding) bool { return !f.OK })
}
