// Package merchants contains the operations on people and their rights: users and their
// sessions, accounts and projects, API keys, and webhook endpoints. Each exported method of
// Service is one operation and one transaction, and records its changes in the audit log.
package merchants

import (
	"runtime"
	"time"

	"garoupa/internal/auth/oidc"
	"garoupa/internal/auth/passkey"
	"garoupa/internal/auth/vault"
	"garoupa/internal/money"
	"garoupa/internal/refusal"
	"garoupa/models"
)

// Options configure a Service. All except Passkeys, SSO and HashMemory are required.
type Options struct {
	DB            *models.DB
	Vault         *vault.Vault
	Passkeys      *passkey.Site  // nil means no passkeys; their methods must not be called
	SSO           *oidc.Provider // nil means none
	SSOOnly       bool           // people log in at SSO alone
	AllowPrivate  bool           // allows endpoints on private addresses, for development
	WithdrawalFee money.Fee      // of accounts that have none of their own
	HashMemory    uint32         // KiB for the hash of a password; 0 means 19 MiB, and tests take less
	Now           func() time.Time
}

// Service runs the operations. It is safe for concurrent use.
type Service struct {
	Options
	keys      keyCache
	hashes    hashGate
	patience  time.Duration // of SealAudit with open transactions
	uses      chan struct{} // one element for each use that is being recorded
	addresses keyAddresses
}

// New returns a Service.
func New(o Options) *Service {
	return &Service{Options: o, hashes: newHashGate(runtime.GOMAXPROCS(0)), patience: waitForWriters,
		uses: make(chan struct{}, usesAtOnce), addresses: keyAddresses{slots: make(chan struct{}, addressesAtOnce)}}
}

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// ErrChanged reports that an object has changed since the actor saw it, because another person
// acted first.
var ErrChanged = refusal.Changed

// change holds the facts before and after an operation.
type change struct{ before, after map[string]string }

// differing returns the change without facts that are equal before and after.
func differing(before, after map[string]string) change {
	c := change{map[string]string{}, map[string]string{}}
	for name := range after {
		if before[name] != after[name] {
			c.before[name], c.after[name] = before[name], after[name]
		}
	}
	return c
}

func (s *Service) audit(tx *models.Tx, by models.Actor, action, objectID string, detail map[string]string) error {
	return models.InsertAudit(tx, s.entry(by, action, objectID, detail))
}

// auditChange is audit for a change of facts. It writes nothing if no fact differs.
func (s *Service) auditChange(
	tx *models.Tx, by models.Actor, action, objectID string, c change, detail map[string]string,
) error {
	entry := s.entry(by, action, objectID, detail)
	entry.Before, entry.After = c.before, c.after
	return models.InsertAudit(tx, entry)
}

func (s *Service) entry(by models.Actor, action, objectID string, detail map[string]string) models.AuditEntry {
	return models.AuditEntry{
		At: s.now(), Actor: by.ID(), AccountID: by.AccountID, Action: action, ObjectID: objectID, Detail: detail,
		IP: by.IP, RequestID: by.RequestID,
	}
}
