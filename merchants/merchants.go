// Package merchants is who may do what: people and their sessions, accounts and
// projects, the keys that backends call with, and the endpoints that receive
// events. Each exported method of Service is one operation and one transaction,
// and what it changes stands in the audit log.
package merchants

import (
	"time"

	"garoupa/models"
	"garoupa/vault"
)

// Options are what a Service is made of. All are required.
type Options struct {
	DB           *models.DB
	Vault        *vault.Vault
	AllowPrivate bool // endpoints may be on private addresses, for development
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

// Actor is who does something in the dashboard, and from where.
type Actor struct {
	UserID    string
	AccountID string
	IP        string
}

func (s *Service) audit(tx *models.Tx, by Actor, action, objectID string, detail map[string]string) error {
	return models.InsertAudit(tx, models.AuditEntry{
		At: s.now(), Actor: by.UserID, AccountID: by.AccountID, Action: action, ObjectID: objectID, Detail: detail, IP: by.IP,
	})
}
