package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Endpoint is a URL of the merchant that receives the events of one project and environment.
type Endpoint struct {
	ID          string
	ProjectID   string
	Environment Environment `gorm:"column:livemode"`
	URL         string
	Description string
	Types       []string
	Secret      []byte // sealed by package vault
	Active      bool
	CreatedAt   time.Time
	DeletedAt   *time.Time

	PreviousSecret      []byte     // sealed; nil if the secret was never rotated
	PreviousSecretUntil *time.Time // until then events are signed with PreviousSecret too
	DisabledAt          *time.Time // when the gateway turned the endpoint off; nil otherwise
	DisabledReason      string     // "" if DisabledAt is nil

	// Failures since the last success; zero after a success.
	FailingSince *time.Time // time of the first failed attempt
	TroubledAt   *time.Time // first time that the third attempt of an event failed
	FailedEvents int        // number of events that were given up
}

// Values of DisabledReason.
const (
	DisabledFailing = "failing" // it failed for too long
	DisabledGone    = "gone"    // it answered 410
)

const endpointColumns = `e.id, e.project_id, e.livemode, e.url, e.description, e.types, e.secret, e.active,
	e.created_at, e.deleted_at, e.previous_secret, e.previous_secret_until, e.disabled_at,
	coalesce(e.disabled_reason, ''), e.failing_since, e.troubled_at, e.failed_events`

func (e *Endpoint) targets() []any {
	return []any{&e.ID, &e.ProjectID, &e.Environment, &e.URL, &e.Description, &e.Types, &e.Secret, &e.Active,
		&e.CreatedAt, &e.DeletedAt, &e.PreviousSecret, &e.PreviousSecretUntil, &e.DisabledAt, &e.DisabledReason,
		&e.FailingSince, &e.TroubledAt, &e.FailedEvents}
}

// InsertEndpoint writes a new endpoint.
func InsertEndpoint(tx *Tx, e *Endpoint) error {
	return tx.exec(`INSERT INTO webhook_endpoints (id, project_id, livemode, url, description, types, secret, active,
			created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		e.ID, e.ProjectID, e.Environment, e.URL, e.Description, e.Types, e.Secret, e.Active, e.CreatedAt)
}

// Position is the endpoint's place in lists.
func (e Endpoint) Position() Position { return Position{e.CreatedAt, e.ID} }

// Endpoints lists the scope's endpoints without deleted ones, oldest first, paged by keyset.
func Endpoints(ctx context.Context, q Querier, scope Scope, after *Position, limit int) ([]Endpoint, error) {
	query := where{args: []any{scope.ProjectID, scope.Environment, limit}}
	query.after("e.created_at, e.id", ">", after)
	rows, err := q.Query(ctx, "SELECT "+endpointColumns+` FROM webhook_endpoints e
		WHERE e.project_id = $1 AND e.livemode = $2 AND e.deleted_at IS NULL`+query.sql+
		" ORDER BY e.created_at, e.id LIMIT $3", query.args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (e Endpoint, err error) {
		return e, row.Scan(e.targets()...)
	})
}

// EndpointCount returns the number of the scope's endpoints without deleted ones.
func EndpointCount(tx *Tx, scope Scope) (n int, err error) {
	err = tx.Scan(`SELECT count(*) FROM webhook_endpoints
		WHERE project_id = $1 AND livemode = $2 AND deleted_at IS NULL`, []any{scope.ProjectID, scope.Environment}, &n)
	return n, err
}

// EndpointByID returns an endpoint of the scope, or ErrNotFound. Deleted endpoints are not
// found.
func EndpointByID(ctx context.Context, q Querier, scope Scope, id string) (*Endpoint, error) {
	if !endpointShape.fits(id) {
		return nil, ErrNotFound
	}
	var e Endpoint
	err := q.QueryRow(ctx, "SELECT "+endpointColumns+` FROM webhook_endpoints e
		WHERE e.id = $1 AND e.project_id = $2 AND e.livemode = $3 AND e.deleted_at IS NULL`,
		id, scope.ProjectID, scope.Environment).Scan(e.targets()...)
	if err != nil {
		return nil, notFound(err)
	}
	return &e, nil
}

// LockEndpoint returns an endpoint of the scope and locks its row until tx ends, or returns
// ErrNotFound. Deleted endpoints are not found. The lock does not block events and deliveries
// that refer to the endpoint.
func LockEndpoint(tx *Tx, scope Scope, id string) (*Endpoint, error) {
	if !endpointShape.fits(id) {
		return nil, ErrNotFound
	}
	var e Endpoint
	err := tx.Scan("SELECT "+endpointColumns+` FROM webhook_endpoints e
		WHERE e.id = $1 AND e.project_id = $2 AND e.livemode = $3 AND e.deleted_at IS NULL FOR NO KEY UPDATE`,
		[]any{id, scope.ProjectID, scope.Environment}, e.targets()...)
	if err != nil {
		return nil, err
	}
	return &e, nil
}

// SaveEndpoint writes the secrets of an endpoint that tx has locked, and the fields that a
// member may change.
func SaveEndpoint(tx *Tx, e *Endpoint) error {
	return tx.exec(`UPDATE webhook_endpoints SET url = $2, description = $3, types = $4, secret = $5,
		previous_secret = $6, previous_secret_until = $7 WHERE id = $1`,
		e.ID, e.URL, e.Description, e.Types, e.Secret, e.PreviousSecret, e.PreviousSecretUntil)
}

// SetEndpointActive turns an endpoint of the scope on or off, and resets its failures. It
// reports false if there is no such endpoint or it already had this state.
func SetEndpointActive(tx *Tx, scope Scope, id string, active bool) (changed bool, err error) {
	return tx.execOne(`UPDATE webhook_endpoints SET active = $4, disabled_at = NULL, disabled_reason = NULL,
			failing_since = NULL, troubled_at = NULL, failed_events = 0
		WHERE id = $1 AND project_id = $2 AND livemode = $3 AND deleted_at IS NULL AND active <> $4`,
		id, scope.ProjectID, scope.Environment, active)
}

// DeleteEndpoint deletes an endpoint of the scope; its deliveries stay readable. It reports
// false if there is no such endpoint.
func DeleteEndpoint(tx *Tx, scope Scope, id string, now time.Time) (deleted bool, err error) {
	return tx.execOne(`UPDATE webhook_endpoints SET deleted_at = $4, active = false
		WHERE id = $1 AND project_id = $2 AND livemode = $3 AND deleted_at IS NULL`,
		id, scope.ProjectID, scope.Environment, now)
}

// TroubledEndpoints lists the scope's endpoints that need a person's attention, oldest first:
// those where an event's third attempt has failed since the last success, and those that the
// gateway turned off.
func TroubledEndpoints(ctx context.Context, q Querier, scope Scope) ([]Endpoint, error) {
	rows, err := q.Query(ctx, "SELECT "+endpointColumns+` FROM webhook_endpoints e
		WHERE e.project_id = $1 AND e.livemode = $2 AND e.deleted_at IS NULL
			AND (e.active AND e.troubled_at IS NOT NULL OR e.disabled_at IS NOT NULL)
		ORDER BY e.created_at, e.id`, scope.ProjectID, scope.Environment)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (e Endpoint, err error) {
		return e, row.Scan(e.targets()...)
	})
}

// DisableFailing turns off an endpoint that has failed since the given time or earlier, with
// at least the given number of failed events. It reports whether it did.
func DisableFailing(tx *Tx, id string, now, since time.Time, events int) (disabled bool, err error) {
	return tx.execOne(`UPDATE webhook_endpoints SET active = false, disabled_at = $2, disabled_reason = $3
		WHERE id = $1 AND active AND failing_since <= $4 AND failed_events >= $5`,
		id, now, DisabledFailing, since, events)
}

// DisableGone turns off an endpoint that answered 410 at the given URL, unless it has another URL
// by now. It reports whether it did.
func DisableGone(tx *Tx, id, url string, now time.Time) (disabled bool, err error) {
	return tx.execOne(`UPDATE webhook_endpoints SET active = false, disabled_at = $3, disabled_reason = $4
		WHERE id = $1 AND active AND url = $2`, id, url, now, DisabledGone)
}

// ClaimFailureMail reports whether a mail about the failing endpoint may be sent now. The next
// mail is allowed after every. For a test endpoint it is only allowed after a success since
// the last mail.
func ClaimFailureMail(tx *Tx, id string, now time.Time, every time.Duration) (claimed bool, err error) {
	return tx.execOne(`UPDATE webhook_endpoints SET failure_told_at = $2 WHERE id = $1 AND
		(failure_told_at IS NULL OR failure_told_at <= $3 AND (livemode OR failure_told_at < failing_since))`,
		id, now, now.Add(-every))
}
