package models

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Endpoint is an address of the merchant's that wants the events of one project
// and environment.
type Endpoint struct {
	ID          string
	ProjectID   string
	Livemode    bool
	URL         string
	Description string
	Types       []string
	Secret      []byte // sealed by package vault
	Active      bool
	CreatedAt   time.Time
	DeletedAt   *time.Time

	PreviousSecret      []byte     // sealed; nil: it was never rotated
	PreviousSecretUntil *time.Time // until then PreviousSecret signs too
	DisabledAt          *time.Time // when the gateway turned it off; nil if a member did
	DisabledReason      string     // "" with DisabledAt nil

	// How it has fared since its last success; zero after one.
	FailingSince *time.Time // the first failed attempt
	TroubledAt   *time.Time // the first time that an event's third attempt failed
	FailedEvents int        // given up
}

// DisabledFailing is the DisabledReason of an endpoint that failed for too long.
const DisabledFailing = "failing"

const endpointColumns = `e.id, e.project_id, e.livemode, e.url, e.description, e.types, e.secret, e.active, e.created_at, e.deleted_at,
	e.previous_secret, e.previous_secret_until, e.disabled_at, coalesce(e.disabled_reason, ''),
	e.failing_since, e.troubled_at, e.failed_events`

func (e *Endpoint) targets() []any {
	return []any{&e.ID, &e.ProjectID, &e.Livemode, &e.URL, &e.Description, &e.Types, &e.Secret, &e.Active, &e.CreatedAt, &e.DeletedAt,
		&e.PreviousSecret, &e.PreviousSecretUntil, &e.DisabledAt, &e.DisabledReason,
		&e.FailingSince, &e.TroubledAt, &e.FailedEvents}
}

// InsertEndpoint writes a new endpoint.
func InsertEndpoint(tx *Tx, e *Endpoint) error {
	return tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `INSERT INTO webhook_endpoints (id, project_id, livemode, url, description, types, secret, active, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`, e.ID, e.ProjectID, e.Livemode, e.URL, e.Description, e.Types, e.Secret, e.Active, e.CreatedAt)
		return err
	})
}

// Endpoints lists the scope's endpoints that were not deleted, oldest first.
func Endpoints(ctx context.Context, q Querier, scope Scope) ([]Endpoint, error) {
	rows, err := q.Query(ctx, "SELECT "+endpointColumns+` FROM webhook_endpoints e
		WHERE e.project_id = $1 AND e.livemode = $2 AND e.deleted_at IS NULL ORDER BY e.created_at, e.id`, scope.ProjectID, scope.Livemode)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (e Endpoint, err error) {
		return e, row.Scan(e.targets()...)
	})
}

// EndpointByID returns one endpoint of the scope that was not deleted, or ErrNotFound.
func EndpointByID(ctx context.Context, q Querier, scope Scope, id string) (*Endpoint, error) {
	if !wellFormed(id, "we_", 20) {
		return nil, ErrNotFound
	}
	var e Endpoint
	err := q.QueryRow(ctx, "SELECT "+endpointColumns+` FROM webhook_endpoints e
		WHERE e.id = $1 AND e.project_id = $2 AND e.livemode = $3 AND e.deleted_at IS NULL`,
		id, scope.ProjectID, scope.Livemode).Scan(e.targets()...)
	if err != nil {
		return nil, notFound(err)
	}
	return &e, nil
}

// LockEndpoint returns one endpoint of the scope that was not deleted and holds it
// until the end of tx, or ErrNotFound.
func LockEndpoint(tx *Tx, scope Scope, id string) (*Endpoint, error) {
	if !wellFormed(id, "we_", 20) {
		return nil, ErrNotFound
	}
	var e Endpoint
	err := tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT "+endpointColumns+` FROM webhook_endpoints e
			WHERE e.id = $1 AND e.project_id = $2 AND e.livemode = $3 AND e.deleted_at IS NULL FOR UPDATE`,
			id, scope.ProjectID, scope.Livemode).Scan(e.targets()...)
	})
	if err != nil {
		return nil, notFound(err)
	}
	return &e, nil
}

// SaveEndpoint writes what a member may change of an endpoint that tx holds, and
// its secrets.
func SaveEndpoint(tx *Tx, e *Endpoint) error {
	return tx.PGX(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `UPDATE webhook_endpoints SET url = $2, description = $3, types = $4, secret = $5,
			previous_secret = $6, previous_secret_until = $7 WHERE id = $1`,
			e.ID, e.URL, e.Description, e.Types, e.Secret, e.PreviousSecret, e.PreviousSecretUntil)
		return err
	})
}

// SetEndpointActive turns an endpoint of the scope on or off, and forgets how it
// fared before. It reports false if there is no such endpoint or it was so already.
func SetEndpointActive(tx *Tx, scope Scope, id string, active bool) (changed bool, err error) {
	done := tx.Exec(`UPDATE webhook_endpoints SET active = ?, disabled_at = NULL, disabled_reason = NULL,
		failing_since = NULL, troubled_at = NULL, failed_events = 0
		WHERE id = ? AND project_id = ? AND livemode = ? AND deleted_at IS NULL AND active <> ?`, active, id, scope.ProjectID, scope.Livemode, active)
	return done.RowsAffected == 1, done.Error
}

// DeleteEndpoint ends an endpoint of the scope; its deliveries stay readable. It
// reports false if there is no such endpoint.
func DeleteEndpoint(tx *Tx, scope Scope, id string, now time.Time) (deleted bool, err error) {
	done := tx.Exec(`UPDATE webhook_endpoints SET deleted_at = ?, active = false WHERE id = ? AND project_id = ? AND livemode = ?
		AND deleted_at IS NULL`, now, id, scope.ProjectID, scope.Livemode)
	return done.RowsAffected == 1, done.Error
}

// TroubledEndpoints lists the scope's endpoints that a person should look at, oldest
// first: those at which an event's third attempt has failed since their last
// success, and those that were turned off for it.
func TroubledEndpoints(ctx context.Context, q Querier, scope Scope) ([]Endpoint, error) {
	rows, err := q.Query(ctx, "SELECT "+endpointColumns+` FROM webhook_endpoints e
		WHERE e.project_id = $1 AND e.livemode = $2 AND e.deleted_at IS NULL
			AND (e.active AND e.troubled_at IS NOT NULL OR e.disabled_at IS NOT NULL)
		ORDER BY e.created_at, e.id`, scope.ProjectID, scope.Livemode)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (e Endpoint, err error) {
		return e, row.Scan(e.targets()...)
	})
}

// DisableFailing turns an endpoint off that has failed since before the time given
// and at least so many events. It reports whether it did.
func DisableFailing(tx *Tx, id string, now, since time.Time, events int) (disabled bool, err error) {
	done := tx.Exec(`UPDATE webhook_endpoints SET active = false, disabled_at = ?, disabled_reason = ?
		WHERE id = ? AND active AND failing_since <= ? AND failed_events >= ?`, now, DisabledFailing, id, since, events)
	return done.RowsAffected == 1, done.Error
}

// ClaimFailureMail reports whether a mail may tell now that an endpoint fails. The
// next one may after every, and of a test endpoint only once it has succeeded since.
func ClaimFailureMail(tx *Tx, id string, now time.Time, every time.Duration) (claimed bool, err error) {
	done := tx.Exec(`UPDATE webhook_endpoints SET failure_told_at = ? WHERE id = ? AND
		(failure_told_at IS NULL OR failure_told_at <= ? AND (livemode OR failure_told_at < failing_since))`, now, id, now.Add(-every))
	return done.RowsAffected == 1, done.Error
}
