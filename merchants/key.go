package merchants

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"garoupa/internal/input"
	"garoupa/models"
)

// CheckoutIntegration lists the default permissions of a new key (contract 5.5).
var CheckoutIntegration = []models.Permission{
	models.PermissionCheckoutCreate, models.PermissionCheckoutRead, models.PermissionBalanceRead,
	models.PermissionPaymentLinkCreate, models.PermissionPaymentLinkRead,
}

// NewKey describes a key to create.
type NewKey struct {
	Name        string
	Permissions []models.Permission
	EndsAt      *time.Time // from then on the key is refused; nil: never
	Networks    string     // from which alone the key may be used, as ParseNetworks reads them; "": from everywhere
	Form        string     // the key of the form; "" without a form
}

// MaxKeys is how many keys of a project and environment may work at the same time.
const MaxKeys = 100

// ErrManyKeys reports a project of which MaxKeys keys of the environment work.
var ErrManyKeys = errors.New("merchants: the project has as many keys as it may have")

// CreateKey creates a key for the scope and returns its secret, which cannot be read again:
// only its SHA-256 is stored. A form creates one key, however often it is sent: later calls
// fail with ErrMade. It fails with Invalid, where permissions outside the KeyRights of the
// actor's role are Denied, with ErrManyKeys, and with refusal.Forbidden if the role cannot Integrate. A key
// keeps its permissions when its creator's role changes or ends, because it belongs to the
// project: members see who created it, and may revoke it.
func (s *Service) CreateKey(
	ctx context.Context, by models.Actor, scope models.Scope, in NewKey,
) (key *models.APIKey, secret string, err error) {
	key, err = s.readNewKey(in)
	if err != nil {
		return nil, "", err
	}
	secret = newKeySecret(scope.Environment)
	err = s.DB.InTx(ctx, func(tx *models.Tx) error {
		role, err := lockMaker(tx, by, scope, models.Integrate)
		if err != nil {
			return err
		}
		if !within(key.Permissions, role.KeyRights()) {
			return Invalid{"permissions": Denied}
		}
		key.ID = models.NewAPIKeyID()
		if err := s.claimForm(tx, scope, models.OperationKey, in.Form, key.ID); err != nil {
			return err
		}
		if err := s.roomForKey(tx, scope); err != nil {
			return err
		}
		return s.insertKey(tx, by, scope, key, secret, nil)
	})
	if err != nil {
		return nil, "", fmt.Errorf("merchants: create key: %w", err)
	}
	return key, secret, nil
}

// roomForKey fails unless one more key of the scope may work. The result holds until tx ends.
func (s *Service) roomForKey(tx *models.Tx, scope models.Scope) error {
	if err := models.LockProject(tx, scope.ProjectID); err != nil {
		return err
	}
	n, err := models.WorkingKeyCount(tx, scope, s.now())
	if err == nil && n >= MaxKeys {
		return ErrManyKeys
	}
	return err
}

// readNewKey checks what does not depend on the actor.
func (s *Service) readNewKey(in NewKey) (*models.APIKey, error) {
	key := &models.APIKey{Name: input.TrimLine(in.Name), Permissions: in.Permissions}
	problems := Invalid{}
	problems.line("name", key.Name, 1, 100)
	if len(in.Permissions) == 0 {
		problems["permissions"] = Missing
	}
	if !within(in.Permissions, models.Permissions) {
		problems["permissions"] = Unknown
	}
	key.EndsAt = problems.end(in.EndsAt, s.now())
	var problem Problem
	if key.Networks, problem = ParseNetworks(in.Networks); problem != "" {
		problems["networks"] = problem
	}
	return key, problems.orNil()
}

// insertKey writes a key that has its id, with its line of the audit log.
func (s *Service) insertKey(tx *models.Tx, by models.Actor, scope models.Scope, key *models.APIKey, secret string,
	detail map[string]string) error {
	hash := sha256.Sum256([]byte(secret))
	key.ProjectID, key.Environment = scope.ProjectID, scope.Environment
	key.CreatedBy, key.CreatedAt = by.UserID, s.now()
	key.SecretHash, key.Last4 = hash[:], secret[len(secret)-4:]
	if err := models.InsertAPIKey(tx, key); err != nil {
		return err
	}
	facts := map[string]string{"name": key.Name, "permissions": joined(key.Permissions)}
	if key.EndsAt != nil {
		facts["ends"] = key.EndsAt.Format(time.RFC3339)
	}
	if len(key.Networks) > 0 {
		facts["networks"] = FormatNetworks(key.Networks)
	}
	for _, of := range models.KeySwitches {
		if key.Has(of) {
			facts[string(of)] = "true"
		}
	}
	return s.auditChange(tx, by, "api_key.created", key.ID, change{after: facts}, detail)
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
