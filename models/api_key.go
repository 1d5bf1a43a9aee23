package models

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// Permission allows a key one operation (contract 5.4).
type Permission string

const (
	PermissionCheckoutCreate    Permission = "CHECKOUT:CREATE"
	PermissionCheckoutRead      Permission = "CHECKOUT:READ"
	PermissionBalanceRead       Permission = "BALANCE:READ"
	PermissionWithdrawalCreate  Permission = "WITHDRAWAL:CREATE"
	PermissionWithdrawalRead    Permission = "WITHDRAWAL:READ"
	PermissionPaymentLinkCreate Permission = "PAYMENT_LINK:CREATE"
	PermissionPaymentLinkRead   Permission = "PAYMENT_LINK:READ"
)

// Permissions lists all permissions, in the contract's order.
var Permissions = []Permission{
	PermissionCheckoutCreate, PermissionCheckoutRead, PermissionBalanceRead, PermissionWithdrawalCreate,
	PermissionWithdrawalRead, PermissionPaymentLinkCreate, PermissionPaymentLinkRead,
}

// APIKey allows a backend to call the API for one project in one environment.
type APIKey struct {
	ID          string
	ProjectID   string
	Environment Environment `gorm:"column:livemode"`
	Name        string
	SecretHash  []byte // SHA-256
	Last4       string
	Permissions []Permission
	Refunds     bool   // the key may refund, which a person has turned on
	Events      bool   // the key may read events and have them sent again, which a person has turned on
	Audit       bool   // the key may read the account's audit log, which the owner has turned on; of live keys alone
	CreatedBy   string // a user id
	CreatorName string // read-only
	CreatedAt   time.Time
	LastUsedAt  *time.Time // to the minute
	LastUsedIP  string     // of that use; "" if unknown
	RevokedAt   *time.Time
	EndsAt      *time.Time     // from then on the key is refused; nil: never
	Networks    []netip.Prefix // from which alone the key may be used; none: from everywhere
}

// Ended reports whether the key's end has come.
func (k *APIKey) Ended(now time.Time) bool { return k.EndsAt != nil && !now.Before(*k.EndsAt) }

// Admits reports whether the key may be used from a client's address.
func (k *APIKey) Admits(ip string) bool {
	if len(k.Networks) == 0 {
		return true
	}
	address, err := netip.ParseAddr(ip)
	return err == nil &&
		slices.ContainsFunc(k.Networks, func(n netip.Prefix) bool { return n.Contains(address.Unmap().WithZone("")) })
}

// Allows reports whether the key has the permission.
func (k *APIKey) Allows(p Permission) bool { return slices.Contains(k.Permissions, p) }

// InsertAPIKey writes a new key.
func InsertAPIKey(tx *Tx, k *APIKey) error {
	return tx.exec(`INSERT INTO api_keys (id, project_id, livemode, name, secret_hash, last4, permissions,
			created_by, created_at, ends_at, networks, refunds, events, audit)
		VALUES ($1, $2, $3, $4, $5, $6, $7, nullif($8, ''), $9, $10, coalesce($11::cidr[], '{}'), $12, $13, $14)`,
		k.ID, k.ProjectID, k.Environment, k.Name, k.SecretHash, k.Last4, k.Permissions,
		k.CreatedBy, k.CreatedAt, k.EndsAt, k.Networks, k.Refunds, k.Events, k.Audit)
}

// WorkingKeyCount returns how many keys of the scope are neither revoked nor ended.
func WorkingKeyCount(tx *Tx, scope Scope, now time.Time) (n int, err error) {
	err = tx.Scan(`SELECT count(*) FROM api_keys WHERE project_id = $1 AND livemode = $2 AND revoked_at IS NULL
		AND (ends_at IS NULL OR ends_at > $3)`, []any{scope.ProjectID, scope.Environment, now}, &n)
	return n, err
}

const apiKeyColumns = `k.id, k.project_id, k.livemode, k.name, k.secret_hash, k.last4, k.permissions,
	k.refunds, k.events, k.audit, coalesce(k.created_by, ''),
	coalesce((SELECT u.name FROM users u WHERE u.id = k.created_by), ''), k.created_at,
	k.last_used_at, k.last_used_ip, k.revoked_at, k.ends_at, k.networks`

func (k *APIKey) targets() []any {
	return []any{&k.ID, &k.ProjectID, &k.Environment, &k.Name, &k.SecretHash, &k.Last4, &k.Permissions,
		&k.Refunds, &k.Events, &k.Audit, &k.CreatedBy, &k.CreatorName, &k.CreatedAt, &k.LastUsedAt, &k.LastUsedIP,
		&k.RevokedAt, &k.EndsAt, &k.Networks}
}

// KeyHolder is a key with the account that it belongs to.
type KeyHolder struct {
	Key     APIKey
	Account Account
}

// Scope returns the project and environment of the key.
func (h *KeyHolder) Scope() Scope {
	return Scope{ProjectID: h.Key.ProjectID, Environment: h.Key.Environment}
}

// KeyHolderByHash returns the key whose secret has this SHA-256, or ErrNotFound. Revoked keys
// are not found.
func KeyHolderByHash(ctx context.Context, q Querier, secretHash []byte) (*KeyHolder, error) {
	var h KeyHolder
	err := q.QueryRow(ctx, "SELECT "+apiKeyColumns+`, `+accountColumns+`
		FROM api_keys k JOIN projects p ON p.id = k.project_id JOIN accounts a ON a.id = p.account_id
		WHERE k.secret_hash = $1 AND k.revoked_at IS NULL`,
		secretHash).Scan(append(h.Key.targets(), h.Account.targets()...)...)
	if err != nil {
		return nil, notFound(err)
	}
	return &h, nil
}

// TouchAPIKey records the time and address of a use of the key, at most once a minute.
func TouchAPIKey(ctx context.Context, q Querier, id, ip string, now time.Time) error {
	_, err := q.Exec(ctx, `UPDATE api_keys SET last_used_at = $2::timestamptz, last_used_ip = $3
		WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2::timestamptz - interval '1 minute')`, id, now, ip)
	return err
}

// APIKeys lists the scope's keys, newest first, revoked keys last.
func APIKeys(ctx context.Context, q Querier, scope Scope) ([]APIKey, error) {
	rows, err := q.Query(ctx, "SELECT "+apiKeyColumns+` FROM api_keys k WHERE k.project_id = $1 AND k.livemode = $2
		ORDER BY k.revoked_at IS NOT NULL, k.created_at DESC, k.id`, scope.ProjectID, scope.Environment)
	if err != nil {
		return nil, err
	}
	return scanKeys(rows)
}

func scanKeys(rows pgx.Rows) ([]APIKey, error) {
	defer rows.Close()
	var keys []APIKey
	for rows.Next() {
		var k APIKey
		if err := rows.Scan(k.targets()...); err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, rows.Err()
}

// APIKeyByID returns one key of the scope, or ErrNotFound.
func APIKeyByID(ctx context.Context, q Querier, scope Scope, id string) (*APIKey, error) {
	if !apiKeyShape.fits(id) {
		return nil, ErrNotFound
	}
	var k APIKey
	err := q.QueryRow(ctx, "SELECT "+apiKeyColumns+
		" FROM api_keys k WHERE k.id = $1 AND k.project_id = $2 AND k.livemode = $3",
		id, scope.ProjectID, scope.Environment).Scan(k.targets()...)
	if err != nil {
		return nil, notFound(err)
	}
	return &k, nil
}

// LockAPIKey returns one key of the scope, and locks it until tx ends, or ErrNotFound.
func LockAPIKey(tx *Tx, scope Scope, id string) (*APIKey, error) {
	if !apiKeyShape.fits(id) {
		return nil, ErrNotFound
	}
	return within(tx, func(ctx context.Context, q Querier) (*APIKey, error) {
		_, err := q.Exec(ctx, "SELECT FROM api_keys WHERE id = $1 AND project_id = $2 AND livemode = $3 FOR UPDATE",
			id, scope.ProjectID, scope.Environment)
		if err != nil {
			return nil, err
		}
		return APIKeyByID(ctx, q, scope, id)
	})
}

// EndAPIKey gives a key that tx has locked an end.
func EndAPIKey(tx *Tx, id string, at time.Time) error {
	return tx.exec("UPDATE api_keys SET ends_at = $2 WHERE id = $1", id, at)
}

// EndingKeys lists the keys in use of all accounts that end after now and not after a time, the first to end
// first.
func EndingKeys(ctx context.Context, q Querier, now, until time.Time) ([]APIKey, error) {
	rows, err := q.Query(ctx, "SELECT "+apiKeyColumns+` FROM api_keys k
		WHERE k.revoked_at IS NULL AND k.ends_at > $1 AND k.ends_at <= $2 ORDER BY k.ends_at, k.id`, now, until)
	if err != nil {
		return nil, err
	}
	return scanKeys(rows)
}

// RevokeAPIKey revokes a key of the scope. It reports false if there is no such key, or if the
// key was revoked before.
func RevokeAPIKey(tx *Tx, scope Scope, id string, now time.Time) (revoked bool, err error) {
	return tx.execOne(`UPDATE api_keys SET revoked_at = $4
		WHERE id = $1 AND project_id = $2 AND livemode = $3 AND revoked_at IS NULL`,
		id, scope.ProjectID, scope.Environment, now)
}
