package merchants

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"garoupa/internal/refusal"
	"garoupa/models"
)

// errKey refuses a key. It is one answer for all reasons: who found a key learns neither that it is in use nor
// from where.
var errKey = refusal.New(refusal.Unauthorized, "The API key is missing, malformed, unknown, revoked or ended, or may "+
	"not be used from this address. Send it as: Authorization: Bearer <API_KEY>.")

// Authenticate returns the key with this secret and its account, and records the use from ip.
// It refuses a secret that is malformed, unknown, revoked or ended, or that may not be used from ip, with
// Unauthorized (contract 5). What is read of a key is cached for keyFresh; its end and its networks are judged at
// every use.
func (s *Service) Authenticate(ctx context.Context, secret, ip string) (*models.KeyHolder, error) {
	now := s.Now()
	h, known, err := s.holder(ctx, secret, now)
	if err != nil {
		return nil, err
	}
	if h.Key.Ended(now) || !h.Key.Admits(ip) {
		return nil, errKey
	}
	s.noteAddress(ctx, h, ip)
	if !known && (h.Key.LastUsedAt == nil || now.Sub(*h.Key.LastUsedAt) > time.Minute) {
		id, ip := h.Key.ID, strings.Clone(ip)
		s.noteUse(ctx, func(ctx context.Context) error { return models.TouchAPIKey(ctx, s.DB.Pool, id, ip, now) })
	}
	return h, nil
}

// holder returns the key with this secret, and reports whether it was cached.
func (s *Service) holder(ctx context.Context, secret string, now time.Time) (h *models.KeyHolder, known bool,
	err error) {
	environment := models.Test
	random, ok := strings.CutPrefix(secret, PrefixTest)
	if !ok {
		environment = models.Live
		random, ok = strings.CutPrefix(secret, PrefixLive)
	}
	if !ok || len(random) != secretLength {
		return nil, false, errKey
	}

	hash := sha256.Sum256([]byte(secret))
	if h := s.keys.load(hash, now); h != nil {
		return h, true, nil
	}
	h, err = models.KeyHolderByHash(ctx, s.DB.Reserved, hash[:])
	if errors.Is(err, models.ErrNotFound) {
		return nil, false, errKey
	} else if err != nil {
		return nil, false, fmt.Errorf("merchants: authenticate: %w", err)
	}
	if subtle.ConstantTimeCompare(h.Key.SecretHash, hash[:]) != 1 || h.Key.Environment != environment {
		return nil, false, errKey
	}
	s.keys.store(hash, h, now)
	return h, false, nil
}

// keyFresh is how long a key is cached: the longest time for which a revoked key still works
// and a switch has no effect.
const keyFresh = 900 * time.Millisecond

// keyCache caches keys for keyFresh.
type keyCache struct {
	mu      sync.RWMutex
	entries map[[32]byte]cachedKey
}

type cachedKey struct {
	holder *models.KeyHolder
	at     time.Time
}

func (c *keyCache) load(hash [32]byte, now time.Time) *models.KeyHolder {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if e, ok := c.entries[hash]; ok && now.Sub(e.at) < keyFresh {
		return e.holder
	}
	return nil
}

func (c *keyCache) store(hash [32]byte, h *models.KeyHolder, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil || len(c.entries) >= 10_000 {
		c.entries = map[[32]byte]cachedKey{}
	}
	c.entries[hash] = cachedKey{h, now}
}

func (c *keyCache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries = nil
}
