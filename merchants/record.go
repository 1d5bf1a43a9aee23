package merchants

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"garoupa/internal/ratelimit"
	"garoupa/models"
)

// The ways of logging in, in the member "way" of lines of the audit log.
const (
	wayPassword = "password"
	wayCode     = "code"
	wayRecovery = "recovery_code"
	wayPasskey  = "passkey"
	waySSO      = "sso" // at the company's OpenID Connect provider
)

const (
	// recordedAMinute limits the lines of the audit log about failures of one person, and about those
	// from one address, and about new addresses of one key, in a minute.
	recordedAMinute = 10
	// recordedOfAll is the limit for all of them together.
	recordedOfAll = 300
	// countsAtOnce limits the counts that one transaction writes to the audit log.
	countsAtOnce = 500
)

// Sources of failures that are no id of a person or of a key.
const (
	sourceAll     = "all"
	sourceAddress = "address "
)

// actor returns the browser of a person as the actor of an operation on the person's first account.
func (b Browser) actor(tx *models.Tx, userID string) (models.Actor, error) {
	accountID, err := accountOf(tx, userID)
	return models.Actor{UserID: userID, AccountID: accountID, IP: b.IP, RequestID: b.RequestID}, err
}

// recordSession writes a line about a session that began or went on.
func (s *Service) recordSession(tx *models.Tx, action string, session *models.Session, way string, from Browser) error {
	by, err := from.actor(tx, session.UserID)
	if err != nil {
		return err
	}
	return s.audit(tx, by, action, session.ID, map[string]string{"way": way, "browser": cut(from.Name, 100)})
}

// accountOf returns the first account of a person, or "" for a person without one. The lines about
// log-ins of its members belong to it.
func accountOf(tx *models.Tx, userID string) (string, error) {
	project, err := models.FirstProject(tx.Context(), tx, userID)
	if errors.Is(err, models.ErrNotFound) {
		return "", nil
	} else if err != nil {
		return "", err
	}
	return project.AccountID, nil
}

// failure is an attempt to log in, or to prove an identity, that failed.
type failure struct {
	action string
	userID string // whose log-in it is; "" if unknown
	email  string // the address in the form; used if userID is ""
	way    string
	from   Browser
}

// recordFailure writes a line about a failure, unless there were too many in this minute:
// RecordCounts then writes how many there were. The line's object is the person whose log-in it is.
// The actor is unknown.
func (s *Service) recordFailure(tx *models.Tx, f failure) error {
	object := f.userID
	if object == "" && f.email != "" {
		object = s.strangerID(f.email)
	}
	recorded, err := s.mayRecord(tx, object, sourceAddress+ratelimit.AddressKey(f.from.IP))
	if err != nil || !recorded {
		return err
	}
	by, err := f.from.actor(tx, f.userID)
	if err != nil {
		return err
	}
	by.UserID = models.ActorSystem
	return s.audit(tx, by, f.action, object, map[string]string{"way": f.way, "browser": cut(f.from.Name, 100)})
}

// refused records the failure if err is ErrCredentials, and returns err. It returns another error
// if the failure cannot be recorded. Wrong codes are counted even when no more lines are written.
func (s *Service) refused(ctx context.Context, err error, f failure) error {
	if !errors.Is(err, ErrCredentials) {
		return err
	}
	recording := s.DB.InTx(ctx, func(tx *models.Tx) error {
		if f.way == wayCode {
			if err := s.countWrongCode(tx, f.userID); err != nil {
				return err
			}
		}
		return s.recordFailure(tx, f)
	})
	if recording != nil {
		return fmt.Errorf("record a failure: %w", recording)
	}
	return err
}

// mayRecord counts an occurrence for the sources, and reports whether a line may be written about it.
func (s *Service) mayRecord(tx *models.Tx, sources ...string) (bool, error) {
	counted := []string{sourceAll}
	for _, source := range sources {
		if source != "" {
			counted = append(counted, source)
		}
	}
	counts, err := models.CountForAudit(tx, counted, s.now())
	for _, c := range counts {
		if c.Count > limitOf(c.Source) {
			return false, err
		}
	}
	return true, err
}

func limitOf(source string) int64 {
	if source == sourceAll {
		return recordedOfAll
	}
	return recordedAMinute
}

// RecordCounts writes, for each source of a past minute that had more occurrences than lines, one
// line with their number. A job calls it every minute.
func (s *Service) RecordCounts(ctx context.Context) error {
	for more := true; more; {
		err := s.DB.InTx(ctx, func(tx *models.Tx) error {
			counts, err := models.TakeAuditCounts(tx, s.now(), countsAtOnce)
			more = len(counts) == countsAtOnce
			if err != nil {
				return err
			}
			for _, c := range counts {
				if c.Count <= limitOf(c.Source) {
					continue
				}
				if err := s.recordCount(tx, c); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("merchants: record counts: %w", err)
		}
	}
	return nil
}

func (s *Service) recordCount(tx *models.Tx, c models.AuditCount) error {
	by := models.Actor{UserID: models.ActorSystem}
	object, address := c.Source, ""
	if c.Source == sourceAll {
		object = ""
	} else if network, ok := strings.CutPrefix(c.Source, sourceAddress); ok {
		object, address = "", network
	}
	action := "session.many_failed"
	var err error
	if models.IsAPIKeyID(object) {
		action = "api_key.many_addresses"
		by.AccountID, err = models.AccountOfKey(tx, object)
	} else {
		by.AccountID, err = accountOf(tx, object)
	}
	if err != nil {
		return err
	}
	by.IP = address
	return s.audit(tx, by, action, object, map[string]string{
		"count": strconv.FormatInt(c.Count, 10), "from": c.Minute.UTC().Format(time.RFC3339),
	})
}

// strangerID returns a name for an email address that no user has: equal addresses have equal
// names, and without the installation's key a name does not reveal the address.
func (s *Service) strangerID(email string) string {
	h := hmac.New(sha256.New, s.Vault.Key("addresses in the audit log"))
	h.Write([]byte(email))
	return "email_" + hex.EncodeToString(h.Sum(nil))[:20]
}
