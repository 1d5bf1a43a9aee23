package payments

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"garoupa/fault"
	"garoupa/models"
)

// Actor is a person who does something in the dashboard or the console, or an API
// key, and from where.
type Actor struct {
	UserID    string // or the key's id
	IP        string
	RequestID string // of the page or call
}

// system does what nobody in particular does.
var system = Actor{UserID: "system"}

func (s *Service) audit(tx *models.Tx, by Actor, accountID, action, objectID string, detail map[string]string) error {
	return models.InsertAudit(tx, models.AuditEntry{
		At: s.now(), Actor: by.UserID, AccountID: accountID, Action: action, ObjectID: objectID, Detail: detail, IP: by.IP, RequestID: by.RequestID,
	})
}

// staff lets in people of the installation's staff who are not members of the
// account: nobody decides on money of their own (decisions, 7). The fault is
// Forbidden.
func staff(tx *models.Tx, by Actor, accountID string) error {
	standing, err := models.UserStanding(tx, by.UserID, accountID)
	switch {
	case err != nil:
		return fmt.Errorf("read the standing of %s: %w", by.UserID, err)
	case standing.StaffRole == "":
		return fault.New(fault.Forbidden, "Only staff of the installation may do this.")
	case standing.Role != "":
		return fault.New(fault.Forbidden, "A member of the account may not decide about its money.")
	}
	return nil
}

// maxReason is the longest reason, in characters.
const maxReason = 500

// checkReason trims a reason that people will read. The fault is ReasonRequired.
func checkReason(reason string) (string, error) {
	reason = strings.TrimSpace(reason)
	if n := utf8.RuneCountInString(reason); n == 0 || n > maxReason || !utf8.ValidString(reason) || strings.ContainsRune(reason, 0) {
		return "", fault.New(fault.ReasonRequired, "The reason must have 1 to %d characters.", maxReason)
	}
	return reason, nil
}

// unchanged refuses a decision about a thing that changed since it was looked at.
func unchanged(seen, now int) error {
	if seen != now {
		return fault.New(fault.ChangedMeanwhile, "It was changed since you looked at it. Look again, then decide.")
	}
	return nil
}
