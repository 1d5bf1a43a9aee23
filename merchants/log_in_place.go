package merchants

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"garoupa/internal/input"
	"garoupa/internal/ratelimit"
	"garoupa/models"
)

// PlaceLifetime is how long a place counts as known after the last log-in there.
const PlaceLifetime = 90 * 24 * time.Hour

// wrongCodesTold is the number of wrong codes in a day after which their owner is told.
const wrongCodesTold = 10

// Remember records that the person of the token's session has logged in from the address and
// the browser. It does nothing if the session waits for a code.
func (s *Service) Remember(ctx context.Context, token string, from Browser) error {
	err := models.RememberLogInPlaces(ctx, s.DB.Pool, tokenHash(token), s.places(from), s.now())
	if err != nil {
		return fmt.Errorf("merchants: remember where a person logs in: %w", err)
	}
	return nil
}

// Knows reports whether the person with the address has logged in from the address or the
// browser before. It is false, and takes the same time, if no user has the address.
func (s *Service) Knows(ctx context.Context, email string, from Browser) (bool, error) {
	if email = normalEmail(email); !input.Storable(email) {
		return false, nil
	}
	known, err := models.IsLogInPlace(ctx, s.DB.Pool, email, s.places(from), s.now().Add(-PlaceLifetime))
	if err != nil {
		return false, fmt.Errorf("merchants: look up where a person logs in: %w", err)
	}
	return known, nil
}

// places returns the digests of the address and of the browser. They use a key, because
// addresses could be guessed from plain hashes.
func (s *Service) places(from Browser) [][]byte {
	var all [][]byte
	if from.IP != "" {
		all = append(all, s.addressPlace(from.IP))
	}
	if from.Mark != "" {
		all = append(all, s.browserPlace(from.Mark))
	}
	return all
}

func (s *Service) addressPlace(ip string) []byte {
	return s.placeDigest("address/" + ratelimit.AddressKey(ip))
}

func (s *Service) browserPlace(mark string) []byte { return s.placeDigest("browser/" + mark) }

func (s *Service) placeDigest(place string) []byte {
	h := hmac.New(sha256.New, s.Vault.Key("places of log-ins"))
	h.Write([]byte(place))
	return h.Sum(nil)
}

// TellOfGuesses tells the person with the address by mail, once a day, that others guess the
// password. It returns at once, so that its duration does not reveal whether a user has the
// address. An address that is not proven gets no mail.
func (s *Service) TellOfGuesses(ctx context.Context, email string) {
	if email = normalEmail(email); !input.Storable(email) {
		return
	}
	s.noteUse(ctx, func(ctx context.Context) error {
		user, err := models.UserByEmail(ctx, s.DB, email)
		if errors.Is(err, models.ErrNotFound) || err == nil && user.EmailVerifiedAt == nil {
			return nil
		} else if err != nil {
			return err
		}
		return s.DB.InTx(ctx, func(tx *models.Tx) error { return s.tellDaily(tx, user, models.MailLogInGuesses) })
	})
}

// tellDaily writes a mail about a person's log-in, unless one of the kind was written on the
// same day.
func (s *Service) tellDaily(tx *models.Tx, user *models.User, kind string) error {
	now := s.now()
	return models.InsertMails(tx, models.Mail{
		Fact: kind + "/" + user.ID + "/" + now.Format(time.DateOnly), To: user.Email, Language: user.Language,
		Kind: kind, Params: map[string]string{"name": user.Name, "at": now.Format(time.RFC3339)}, CreatedAt: now,
	})
}

// countWrongCode counts a wrong code of a person, and tells the person by mail after the tenth of a
// day. The person who tries has the password, or a session.
func (s *Service) countWrongCode(tx *models.Tx, userID string) error {
	tries, err := models.CountWrongCode(tx, userID, s.now())
	if err != nil || tries != wrongCodesTold {
		return err
	}
	user, err := models.LockUser(tx, userID)
	if err != nil {
		return err
	}
	return s.tellDaily(tx, user, models.MailWrongCodes)
}
