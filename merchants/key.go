package merchants

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"garoupa/internal/input"
	"garoupa/internal/refusal"
	"garoupa/models"
)

// Prefixes of key secrets (contract 5.2).
const (
	PrefixTest = "svc_test_"
	PrefixLive = "svc_live_"
)

// secretLength is the number of base62 characters after a secret's prefix.
const secretLength = 32

// CheckoutIntegration lists the default permissions of a new key (contract 5.5).
var CheckoutIntegration = []models.Permission{
	models.PermissionCheckoutCreate, models.PermissionCheckoutRead, models.PermissionBalanceRead,
	models.PermissionPaymentLinkCreate, models.PermissionPaymentLinkRead,
}

// NewKey describes a key to create.
type NewKey struct {
	Name        string
	Permissions []models.Permission
	Form        string // the key of the form; "" without a form
}

// CreateKey creates a key for the scope and returns its secret, which cannot be read again:
// only its SHA-256 is stored. A form creates one key, however often it is sent: later calls
// fail with ErrMade. It fails with Invalid, where permissions outside the KeyRights of the
// actor's role are Denied, and with refusal.Forbidden if the role cannot Integrate. A key
// keeps its permissions when its creator's role changes or ends: members see who created it,
// and may revoke it.
func (s *Service) CreateKey(
	ctx context.Context, by models.Actor, scope models.Scope, in NewKey,
) (key *models.APIKey, secret string, err error) {
	in.Name = input.TrimLine(in.Name)
	problems := Invalid{}
	problems.line("name", in.Name, 1, 100)
	if len(in.Permissions) == 0 {
		problems["permissions"] = Missing
	}
	if !within(in.Permissions, models.Permissions) {
		problems["permissions"] = Unknown
	}
	if err := problems.orNil(); err != nil {
		return nil, "", err
	}

	secret = PrefixTest + randomBase62(secretLength)
	if scope.Environment == models.Live {
		secret = PrefixLive + randomBase62(secretLength)
	}
	hash := sha256.Sum256([]byte(secret))
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		role, err := lockMaker(tx, by, scope, models.Integrate)
		if err != nil {
			return err
		}
		if !within(in.Permissions, role.KeyRights()) {
			return Invalid{"permissions": Denied}
		}
		id := models.NewAPIKeyID()
		if err := s.claimForm(tx, scope, models.OperationKey, in.Form, id); err != nil {
			return err
		}
		key = &models.APIKey{
			ID: id, ProjectID: scope.ProjectID, Environment: scope.Environment, Name: in.Name, SecretHash: hash[:],
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

// within reports whether all permissions are allowed.
func within(permissions, allowed []models.Permission) bool {
	return !slices.ContainsFunc(permissions, func(p models.Permission) bool { return !slices.Contains(allowed, p) })
}

func joined(permissions []models.Permission) string {
	var names []string
	for _, p := range permissions {
		names = append(names, string(p))
	}
	return strings.Join(names, " ")
}

// AllowRefunds says whether a key of the scope may refund; no permission includes that. Every instance knows
// it within a second. It fails with models.ErrNotFound, or with refusal.Forbidden if the actor's role
// cannot MoveMoney.
func (s *Service) AllowRefunds(ctx context.Context, by models.Actor, scope models.Scope, id string,
	allowed bool) error {
	_, err := models.APIKeyByID(ctx, s.DB.Pool, scope, id)
	if err == nil {
		err = s.DB.InTx(ctx, func(tx *models.Tx) error {
			if _, err := lockMaker(tx, by, scope, models.MoveMoney); err != nil {
				return err
			}
			changed, err := models.AllowKeyRefunds(tx, scope, id, allowed)
			if err != nil || !changed {
				return err
			}
			made := change{after: map[string]string{"refunds": strconv.FormatBool(allowed)}}
			return s.auditChange(tx, by, "api_key.refunds_changed", id, made, nil)
		})
	}
	if err != nil {
		return fmt.Errorf("merchants: let the key %s refund: %w", id, err)
	}
	return nil
}

// EventKeyGate returns the capability that a member needs to let a key of the environment read events. It is
// higher in live, because a live key reads events about withdrawals.
func EventKeyGate(environment models.Environment) models.Capability {
	if environment == models.Live {
		return models.MoveMoney
	}
	return models.Integrate
}

// AllowEvents says whether a key of the scope may read events and have them sent again; no permission
// includes that. Every instance knows it within a second. It fails with models.ErrNotFound, or with
// refusal.Forbidden if the actor's role lacks the EventKeyGate.
func (s *Service) AllowEvents(ctx context.Context, by models.Actor, scope models.Scope, id string,
	allowed bool) error {
	_, err := models.APIKeyByID(ctx, s.DB.Pool, scope, id)
	if err == nil {
		err = s.DB.InTx(ctx, func(tx *models.Tx) error {
			if _, err := lockMaker(tx, by, scope, EventKeyGate(scope.Environment)); err != nil {
				return err
			}
			changed, err := models.AllowKeyEvents(tx, scope, id, allowed)
			if err != nil || !changed {
				return err
			}
			made := change{after: map[string]string{"events": strconv.FormatBool(allowed)}}
			return s.auditChange(tx, by, "api_key.events_changed", id, made, nil)
		})
		s.keys.clear()
	}
	if err != nil {
		return fmt.Errorf("merchants: let the key %s read events: %w", id, err)
	}
	return nil
}

// RevokeKey revokes a key of the scope. Every instance stops accepting it within a second.
// Revoking a key twice is no error. It fails with models.ErrNotFound, or with
// refusal.Forbidden if the actor's role cannot Integrate.
func (s *Service) RevokeKey(ctx context.Context, by models.Actor, scope models.Scope, id string) error {
	_, err := models.APIKeyByID(ctx, s.DB.Pool, scope, id)
	if err == nil {
		err = s.DB.InTx(ctx, func(tx *models.Tx) error {
			if _, err := lockMaker(tx, by, scope, models.Integrate); err != nil {
				return err
			}
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

// Authenticate returns the key with this secret and its account, and records the use from ip.
// It refuses a secret that is malformed, unknown or revoked with Unauthorized (contract 5).
// Results are cached for keyFresh.
func (s *Service) Authenticate(ctx context.Context, secret, ip string) (*models.KeyHolder, error) {
	refusal := refusal.New(refusal.Unauthorized,
		"The API key is missing, malformed, unknown or revoked. Send it as: Authorization: Bearer <API_KEY>.")
	environment := models.Test
	random, ok := strings.CutPrefix(secret, PrefixTest)
	if !ok {
		environment = models.Live
		random, ok = strings.CutPrefix(secret, PrefixLive)
	}
	if !ok || len(random) != secretLength {
		return nil, refusal
	}

	hash := sha256.Sum256([]byte(secret))
	now := s.Now()
	if h := s.keys.load(hash, now); h != nil {
		return h, nil
	}
	h, err := models.KeyHolderByHash(ctx, s.DB.Reserved, hash[:])
	if errors.Is(err, models.ErrNotFound) {
		return nil, refusal
	} else if err != nil {
		return nil, fmt.Errorf("merchants: authenticate: %w", err)
	}
	if subtle.ConstantTimeCompare(h.Key.SecretHash, hash[:]) != 1 || h.Key.Environment != environment {
		return nil, refusal
	}
	if h.Key.LastUsedAt == nil || now.Sub(*h.Key.LastUsedAt) > time.Minute {
		id, ip := h.Key.ID, strings.Clone(ip)
		s.noteUse(ctx, func(ctx context.Context) error { return models.TouchAPIKey(ctx, s.DB.Pool, id, ip, now) })
	}
	s.keys.store(hash, h, now)
	return h, nil
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
