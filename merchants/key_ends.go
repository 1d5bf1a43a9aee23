package merchants

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"garoupa/models"
)

// maxKeyYears limits how far away the end of a key is.
const maxKeyYears = 10

// keyWarnings are how long before the end of a key members get a mail, the last first.
var keyWarnings = []time.Duration{24 * time.Hour, 7 * 24 * time.Hour}

// WarnOfKeys mails the members who change keys about keys that end in 7 days and in a day. Several processes may call
// it, any number of times: each warning is mailed once. A key that gets its end late, such as one that was replaced,
// gets only the last warning that is due.
func (s *Service) WarnOfKeys(ctx context.Context) error {
	now := s.now()
	ending, err := models.EndingKeys(ctx, s.DB.Pool, now, now.Add(keyWarnings[len(keyWarnings)-1]))
	if err != nil {
		return fmt.Errorf("merchants: find keys that end: %w", err)
	}
	for i := range ending {
		if err := s.warnOfKey(ctx, &ending[i], now); err != nil {
			return fmt.Errorf("merchants: warn of the end of %s: %w", ending[i].ID, err)
		}
	}
	return nil
}

func (s *Service) warnOfKey(ctx context.Context, key *models.APIKey, now time.Time) error {
	due := 0
	for key.EndsAt.Sub(now) > keyWarnings[due] {
		due++
	}
	at := key.EndsAt.Format(time.RFC3339)
	fact := "api_key_ends/" + key.ID + "/" + at + "/" + strconv.Itoa(due)
	scope := models.Scope{ProjectID: key.ProjectID, Environment: key.Environment}
	return s.DB.InTx(ctx, func(tx *models.Tx) error {
		stored, err := models.LockAPIKey(tx, scope, key.ID)
		if err != nil || stored.RevokedAt != nil || !stored.EndsAt.Equal(*key.EndsAt) {
			return err // the next run warns of another end
		}
		members, err := models.ProjectMembersToTell(tx, key.ProjectID, models.MailKeyEnds)
		if err != nil {
			return err
		}
		var mails []models.Mail
		for _, member := range members {
			mails = append(mails, models.Mail{
				Fact: fact, To: member.Email, Language: member.Language, Kind: models.MailKeyEnds, CreatedAt: now,
				Params: map[string]string{
					"name": member.Name, "key_name": key.Name, "key": DisplayKey(key), "at": at,
				},
			})
		}
		return models.InsertMails(tx, mails...)
	})
}

// DisplayKey returns what is shown of a key's secret: "svc_test_…9f2c".
func DisplayKey(key *models.APIKey) string {
	if key.Environment == models.Live {
		return PrefixLive + "…" + key.Last4
	}
	return PrefixTest + "…" + key.Last4
}

// end checks the end of a key, which may be nil, and returns it as it is stored.
func (p Invalid) end(at *time.Time, now time.Time) *time.Time {
	if at == nil {
		return nil
	}
	if !at.After(now) || at.After(now.AddDate(maxKeyYears, 0, 0)) {
		p["ends"] = Malformed
	}
	end := at.UTC().Truncate(time.Millisecond)
	return &end
}

// earlier returns the earlier of a time and the end of a key.
func earlier(at time.Time, key *models.APIKey) time.Time {
	if key.EndsAt != nil && key.EndsAt.Before(at) {
		return *key.EndsAt
	}
	return at
}
