// Package merchants is who may do what: people and their sessions, accounts and
// projects, the keys that backends call with, and the endpoints that receive
// events. Each exported method of Service is one operation and one transaction,
// and what it changes stands in the audit log.
package merchants

import (
	"time"

	"garoupa/fault"
	"garoupa/models"
	"garoupa/passkey"
	"garoupa/vault"
)

// Options are what a Service is made of. All but Passkeys are required.
type Options struct {
	DB           *models.DB
	Vault        *vault.Vault
	Passkeys     *passkey.Site // nil: there are none, and what is about them is not called
	AllowPrivate bool          // endpoints may be on private addresses, for development
	Now          func() time.Time
}

// Service runs the operations. It is safe for concurrent use.
type Service struct {
	Options
	keys keyCache
}

// New returns a Service.
func New(o Options) *Service { return &Service{Options: o} }

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// Actor is who does something, and from where.
type Actor struct {
	UserID    string
	AccountID string // the account it is done to
	IP        string
	RequestID string // of the page
}

// ErrChanged reports that something is no longer as it was when the actor looked at
// it: somebody else was first.
var ErrChanged = fault.New(fault.ChangedMeanwhile, "It was changed since you looked at it. Look again, then decide.")

// change is what an act took away and put in its place, fact by fact.
type change struct{ before, after map[string]string }

// differing is a change without the facts that stayed as they were.
func differing(before, after map[string]string) change {
	c := change{map[string]string{}, map[string]string{}}
	for name := range after {
		if before[name] != after[name] {
			c.before[name], c.after[name] = before[name], after[name]
		}
	}
	return c
}

func (s *Service) audit(tx *models.Tx, by Actor, action, objectID string, detail map[string]string) error {
	return models.InsertAudit(tx, s.entry(by, action, objectID, detail))
}

// auditChange is audit for something that was one way before and another after.
func (s *Service) auditChange(tx *models.Tx, by Actor, action, objectID string, c change, detail map[string]string) error {
	entry := s.entry(by, action, objectID, detail)
	entry.Before, entry.After = c.before, c.after
	return models.InsertAudit(tx, entry)
}

func (s *Service) entry(by Actor, action, objectID string, detail map[string]string) models.AuditEntry {
	return models.AuditEntry{
		At: s.now(), Actor: by.UserID, AccountID: by.AccountID, Action: action, ObjectID: objectID, Detail: detail,
		IP: by.IP, RequestID: by.RequestID,
	}
}
