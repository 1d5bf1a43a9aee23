package merchants

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"garoupa/fault"
	"garoupa/models"
)

// Prefixes of key secrets (contract 5.2).
const (
	PrefixTest = "svc_test_"
	PrefixLive = "svc_live_"
)

// secretLength is how many base62 characters follow a secret's prefix.
const secretLength = 32

// CheckoutIntegration is what a new key may do unless its maker says otherwise
// (contract 5.5).
var CheckoutIntegration = []models.Permission{
	models.PermissionCheckoutCreate, models.PermissionCheckoutRead, models.PermissionBalanceRead,
	models.PermissionPaymentLinkCreate, models.PermissionPaymentLinkRead,
}

// NewKey is a key that a member asks for.
type NewKey struct {
	Name        string
	Permissions []models.Permission
}

// CreateKey makes a key for the scope and returns its secret, which cannot be
// read again: only its SHA-256 is stored. It fails with Invalid.
func (s *Service) CreateKey(ctx context.Context, by Actor, scope models.Scope, in NewKey) (key *models.APIKey, secret string, err error) {
	in.Name = strings.TrimSpace(in.Name)
	problems := Invalid{}
	problems.length("name", in.Name, 1, 100)
	if len(in.Permissions) == 0 {
		problems["permissions"] = Missing
	}
	for _, p := range in.Permissions {
		if !slices.Contains(models.Permissions, p) {
			problems["permissions"] = Unknown
		}
	}
	if err := problems.orNil(); err != nil {
		return nil, "", err
	}

	secret = PrefixTest + randomBase62(secretLength)
	if scope.Livemode {
		secret = PrefixLive + randomBase62(secretLength)
	}
	hash := sha256.Sum256([]byte(secret))
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		key = &models.APIKey{
			ID: models.NewAPIKeyID(), ProjectID: scope.ProjectID, Livemode: scope.Livemode, Name: in.Name, SecretHash: hash[:],
			Last4: secret[len(secret)-4:], Permissions: in.Permissions, CreatedBy: by.UserID, CreatedAt: s.now(),
		}
		if err := models.InsertAPIKey(tx, key); err != nil {
			return err
		}
		made := change{after: map[string]string{"name": key.Name, "permissions": joined(key.Permissions)}}
		return s.auditChange(tx, by, "api_key.created", key.ID, made, nil)
	})
	if err != nil {
		return nil, "", fmt.Errorf("merchants: create key: %w", err)
	}
	return key, secret, nil
}

func joined(permissions []models.Permission) string {
	var names []string
	for _, p := range permissions {
		names = append(names, string(p))
	}
	return strings.Join(names, " ")
}

// RevokeKey ends a key of the scope. Every instance stops accepting it within a
// second. Revoking a key twice is no error; an unknown one is models.ErrNotFound.
func (s *Service) RevokeKey(ctx context.Context, by Actor, scope models.Scope, id string) error {
	_, err := models.APIKeyByID(ctx, s.DB.Pool, scope, id)
	if err == nil {
		err = s.DB.InTx(ctx, func(tx *models.Tx) error {
			revoked, err := models.RevokeAPIKey(tx, scope, id, s.now())
			if err != nil || !revoked {
				return err
			}
			return s.audit(tx, by, "api_key.revoked", id, nil)
		})
		s.keys.clear()
	}
	if err != nil {
		return fmt.Errorf("merchants: revoke key: %w", err)
	}
	return nil
}

// Authenticate returns the key with this secret, used from the address, and the
// account that it acts for. The fault is Unauthorized for a secret that is malformed, unknown or revoked
// (contract 5). Answers are kept for keyFresh.
func (s *Service) Authenticate(ctx context.Context, secret, ip string) (*models.KeyHolder, error) {
	refusal := fault.New(fault.Unauthorized, "The API key is missing, malformed, unknown or revoked. Send it as: Authorization: Bearer <API_KEY>.")
	random, test := strings.CutPrefix(secret, PrefixTest)
	if !test {
		var live bool
		if random, live = strings.CutPrefix(secret, PrefixLive); !live {
			return nil, refusal
		}
	}
	if len(random) != secretLength {
		return nil, refusal
	}

	hash := sha256.Sum256([]byte(secret))
	now := s.Now()
	if h := s.keys.load(hash, now); h != nil {
		return h, nil
	}
	h, err := models.KeyHolderByHash(ctx, s.DB.Pool, hash[:])
	if errors.Is(err, models.ErrNotFound) {
		return nil, refusal
	} else if err != nil {
		return nil, fmt.Errorf("merchants: authenticate: %w", err)
	}
	if subtle.ConstantTimeCompare(h.Key.SecretHash, hash[:]) != 1 || h.Key.Livemode == test {
		return nil, refusal
	}
	if h.Key.LastUsedAt == nil || now.Sub(*h.Key.LastUsedAt) > time.Minute {
		if err := models.TouchAPIKey(ctx, s.DB.Pool, h.Key.ID, ip, now); err != nil {
			return nil, fmt.Errorf("merchants: note the use of a key: %w", err)
		}
	}
	s.keys.store(hash, h, now)
	return h, nil
}

// keyFresh is how long a key is trusted without asking the database again. It
// bounds how long a revoked key still works, and a switch still does not.
const keyFresh = 900 * time.Millisecond

// keyCache remembers keys for keyFresh.
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
