package merchants

import (
	"context"
	"strings"
	"sync"
	"time"

	"garoupa/internal/ratelimit"
	"garoupa/internal/requestid"
	"garoupa/models"
)

const (
	// addressFresh is how long the recorded use of a key from an address is not recorded again.
	addressFresh = time.Hour
	// addressAgain is how long a failed record is not tried again.
	addressAgain = time.Minute
)

// keyAddresses remembers from which addresses keys were used lately, so that most uses record nothing.
type keyAddresses struct {
	mu    sync.RWMutex
	until map[keyAddress]time.Time
	slots chan struct{} // one element for each address that is being recorded
}

type keyAddress struct{ keyID, network string }

// take reports whether a use is to be recorded now. Until addressAgain it is not reported again.
func (a *keyAddresses) take(k keyAddress, now time.Time) bool {
	a.mu.RLock()
	until := a.until[k]
	a.mu.RUnlock()
	if now.Before(until) {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if now.Before(a.until[k]) {
		return false
	}
	if a.until == nil || len(a.until) >= 100_000 {
		a.until = map[keyAddress]time.Time{}
	}
	a.until[keyAddress{strings.Clone(k.keyID), strings.Clone(k.network)}] = now.Add(addressAgain)
	return true
}

// set says until when uses are not recorded.
func (a *keyAddresses) set(k keyAddress, until time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.until[k] = until
}

// noteAddress records the use of a key from an address. The first use from a network, or the first
// in 90 days, is a line of the audit log. The request waits for nothing, and does not fail.
func (s *Service) noteAddress(ctx context.Context, h *models.KeyHolder, ip string) {
	now := s.now()
	k := keyAddress{h.Key.ID, ratelimit.AddressKey(ip)}
	if !s.addresses.take(k, now) {
		return
	}
	by := models.Actor{KeyID: h.Key.ID, AccountID: h.Account.ID, IP: strings.Clone(ip), RequestID: requestid.Of(ctx)}
	started := note(ctx, s.addresses.slots, func(ctx context.Context) error {
		err := s.DB.InTx(ctx, func(tx *models.Tx) error { return s.recordAddress(tx, by, k.network, now) })
		if err == nil {
			s.addresses.set(k, now.Add(addressFresh))
		}
		return err
	})
	if !started {
		s.addresses.set(k, now) // the next use is recorded
	}
}

func (s *Service) recordAddress(tx *models.Tx, by models.Actor, network string, now time.Time) error {
	first, err := models.NoteKeyNetwork(tx, by.KeyID, network, now)
	if err != nil || !first {
		return err
	}
	recorded, err := s.mayRecord(tx, by.KeyID)
	if err != nil || !recorded {
		return err
	}
	return s.audit(tx, by, "api_key.used_from_new_address", by.KeyID, nil)
}
