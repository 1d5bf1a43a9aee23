package banks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"garoupa/models"
)

// Trouble names what is wrong with a bank account. Its value is stable, so that it can name a text in a
// catalog.
type Trouble string

const (
	Silent       Trouble = "silent"       // the bank did not answer the last call
	Unanswered   Trouble = "unanswered"   // it did not answer some calls of this hour and the one before
	Unauthorized Trouble = "unauthorized" // in these hours it refused the credentials
	Doubted      Trouble = "doubted"      // in these hours it gave wrong answers, or refused what the contract lacks
	Behind       Trouble = "behind"       // its list of Pix was not read for some time
	Odd          Trouble = "odd"          // charges differ between the bank and the gateway
	Contested    Trouble = "contested"    // it has disputes in a status that the gateway does not know
	Unnoticed    Trouble = "unnoticed"    // Pix came of which it posted no notice
	Certificate  Trouble = "certificate"  // the certificate in use ends soon, or has ended
	Scopes       Trouble = "scopes"       // it did not grant all scopes that the profile asks for
	Clock        Trouble = "clock"        // its clock and ours differ
	Days         Trouble = "days"         // it and the books do not agree on a day
)

// Concern is a trouble of a bank account. A bad one keeps payments from being made or noticed, or is about
// money.
type Concern struct {
	Trouble Trouble
	Bad     bool
}

const (
	// lately is how far back calls are counted, with the rest of the hour.
	lately = time.Hour
	// unansweredFrom is the number of lost answers, and a hundredth the part of the calls, that is a concern.
	unansweredFrom, hundredth = 3, 100
	// A bank is silent for a moment before it is bad, and its list may be read a little late.
	silentBad             = time.Minute
	behindFrom, behindBad = 5 * time.Minute, time.Hour
	// A certificate must be replaced before it ends.
	endsSoon, endsVerySoon = 30 * 24 * time.Hour, 7 * 24 * time.Hour
	// Differences of the clocks: one is worth a remark, the other makes times wrong.
	someSkew, muchSkew = 5 * time.Second, time.Minute
	// oddFor is how long a charge that the bank has otherwise is shown, and a dispute after its end.
	oddFor    = 7 * 24 * time.Hour
	oddAtMost = 20
	// noticeDue is how long after a Pix its notice comes, and noticesFor is less than notices are kept for.
	noticeDue, noticesFor = time.Minute, 28 * 24 * time.Hour
)

// Health is how a bank account fares.
type Health struct {
	Account   models.BankAccount
	State     models.BankState
	Watermark *time.Time // until when its Pix are recorded; nil before the first reading
	Ends      *time.Time // of the certificate in use; nil without one
	Missing   []string   // scopes that were not granted
	Odd       []models.OddCharge
	Contested []models.OddDispute
	Unnoticed *time.Time         // when the first Pix without a notice came; nil if notices come, or are off
	Differing int                // days
	Lately    models.BankAnswers // in this hour and the one before
	Concerns  []Concern          // the bad ones first
}

// Bad reports whether one of the concerns is bad.
func (h *Health) Bad() bool { return len(h.Concerns) > 0 && h.Concerns[0].Bad }

// Has reports whether the account has a trouble.
func (h *Health) Has(t Trouble) bool {
	return slices.ContainsFunc(h.Concerns, func(c Concern) bool { return c.Trouble == t })
}

// Skew returns how much the bank's clock is ahead of ours.
func (h *Health) Skew() time.Duration { return time.Duration(h.State.SkewMs) * time.Millisecond }

// AllHealth returns the health of the accounts in use, the newest first. It asks no bank.
func (s *Service) AllHealth(ctx context.Context) (all []Health, err error) {
	accounts, err := models.BankAccounts(ctx, s.DB)
	if err != nil {
		return nil, fmt.Errorf("banks: list accounts: %w", err)
	}
	for i := range accounts {
		if status := accounts[i].Status; status != models.BankAccountActive && status != models.BankAccountRetiring {
			continue
		}
		h, err := s.Health(ctx, &accounts[i])
		if err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	return all, nil
}

// Health returns the health of an account. It asks no bank. An account that is not in use has no concerns.
func (s *Service) Health(ctx context.Context, account *models.BankAccount) (Health, error) {
	h := Health{Account: *account}
	if err := s.readHealth(ctx, &h); err != nil {
		return h, fmt.Errorf("banks: read the health of %s: %w", account.ID, err)
	}
	if account.Status == models.BankAccountActive || account.Status == models.BankAccountRetiring {
		h.judge(s.now())
	}
	return h, nil
}

func (s *Service) readHealth(ctx context.Context, h *Health) (err error) {
	id, now := h.Account.ID, s.now()
	if h.State, err = models.BankStateOf(ctx, s.DB.Pool, id); err != nil {
		return err
	}
	if h.Watermark, err = models.BankWatermark(ctx, s.DB.Pool, id); err != nil {
		return err
	}
	if h.Odd, err = models.OddCharges(ctx, s.DB.Pool, id, now.Add(-oddFor), oddAtMost); err != nil {
		return err
	}
	if h.Contested, err = models.OddDisputes(ctx, s.DB.Pool, id, now.Add(-oddFor), oddAtMost); err != nil {
		return err
	}
	if h.Unnoticed, err = s.unnoticed(ctx, h, now); err != nil {
		return err
	}
	if h.Differing, err = models.CountDifferingBankDays(ctx, s.DB.Pool, id); err != nil {
		return err
	}
	answers, err := models.BanksAnswers(ctx, s.DB.Pool, now.Add(-lately))
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(answers, func(a models.BankAnswers) bool { return a.BankAccountID == id }); i >= 0 {
		h.Lately = answers[i]
	}
	credential, err := models.BankCredentialOf(ctx, s.DB, id, models.CredentialActive)
	if err == nil {
		h.Ends = &credential.ExpiresAt
	} else if !errors.Is(err, models.ErrNotFound) {
		return err
	}
	if profile, err := s.profile(&h.Account); err == nil && h.State.GrantedScopes != nil {
		h.Missing = slices.DeleteFunc(slices.Clone(profile.Scopes), func(scope string) bool {
			return slices.Contains(h.State.GrantedScopes, scope)
		})
	}
	return nil
}

// unnoticed returns when the first Pix came of which the bank has posted no notice and none since, nil if there is
// none. The bank's clock may differ from ours.
func (s *Service) unnoticed(ctx context.Context, h *Health, now time.Time) (*time.Time, error) {
	if s.NoticesURL == "" {
		return nil, nil
	}
	return models.FirstUnnoticedPix(ctx, s.DB.Pool, h.Account.ID, s.NoticesURL, noticeDue+h.Skew().Abs(),
		now.Add(-noticesFor), now.Add(-noticeDue))
}

// judge finds what is wrong.
func (h *Health) judge(now time.Time) {
	concern := func(t Trouble, some, bad bool) {
		if some || bad {
			h.Concerns = append(h.Concerns, Concern{t, bad})
		}
	}
	ago := func(t *time.Time, d time.Duration) bool { return t != nil && now.Sub(*t) > d }
	silent := h.State.SilentSince
	concern(Silent, silent != nil, ago(silent, silentBad))
	concern(Unanswered, silent == nil && h.Lately.Unanswered >= unansweredFrom &&
		h.Lately.Unanswered*hundredth >= h.Lately.Calls, false)
	concern(Unauthorized, silent == nil && h.Lately.Unauthorized > 0, false)
	concern(Doubted, h.Lately.Doubted > 0, false)
	concern(Behind, ago(h.Watermark, behindFrom), ago(h.Watermark, behindBad))
	concern(Odd, false, len(h.Odd) > 0)
	concern(Contested, false, len(h.Contested) > 0)
	concern(Unnoticed, h.Unnoticed != nil, false)
	concern(Certificate, ago(h.Ends, -endsSoon), ago(h.Ends, -endsVerySoon))
	concern(Scopes, len(h.Missing) > 0, false)
	concern(Clock, h.Skew().Abs() > someSkew, h.Skew().Abs() > muchSkew)
	concern(Days, false, h.Differing > 0)
	slices.SortStableFunc(h.Concerns, func(a, b Concern) int {
		switch {
		case a.Bad == b.Bad:
			return 0
		case a.Bad:
			return -1
		}
		return 1
	})
}
