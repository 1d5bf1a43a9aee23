package console

import (
	"context"
	"time"

	"garoupa/banks"
	"garoupa/models"
	pages "garoupa/views/pages/console"
)

// refusedWithin is the time of which a page shows refused requests.
const refusedWithin = 24 * time.Hour

// shownRefusals are the refusals that tell staff something, in their order on the page.
var shownRefusals = []models.NoticeRefusal{models.NoticeUnproven, models.NoticeUnknownToken, models.NoticeGarbage,
	models.NoticeTooLarge, models.NoticeTooMany}

// bankNotices returns what is known of the notices of an account.
func (s *console) bankNotices(ctx context.Context, account *models.BankAccount) (shown pages.BankNotices, err error) {
	switch account.Status {
	case models.BankAccountActive, models.BankAccountRetiring:
	default:
		return shown, nil
	}
	shown.Read, shown.On = true, s.Banks.NoticesURL != ""
	if !shown.On {
		return shown, nil
	}
	registered, err := models.BankRegistrationOf(ctx, s.DB.Pool, account.ID)
	if err != nil {
		return shown, err
	}
	shown.Failure, shown.NoProof = registered.Failure, registered.Failure == banks.ErrNoProof.Error()
	if registered.Address == s.Banks.NoticesURL {
		shown.Since = registered.RegisteredAt
	}
	if shown.Last, err = models.LastBankNotice(ctx, s.DB.Pool, account.ID); err != nil {
		return shown, err
	}
	counts, err := models.NoticeCounts(ctx, s.DB.Pool, account.ID, s.Now().Add(-refusedWithin))
	for _, why := range shownRefusals {
		if n := counts[why]; n > 0 {
			shown.Refused = append(shown.Refused, pages.BankRefusals{Why: string(why), N: n})
		}
	}
	return shown, err
}
