package models

import (
	"context"
	"time"
)

const (
	// logInsShown limits the log-ins that LogIns returns.
	logInsShown = 50
	// failuresShown limits the failures that LogIns returns.
	failuresShown = 20
)

// LogIn is a log-in of a person, an attempt that failed, or the number of attempts of a minute that
// had too many.
type LogIn struct {
	At      time.Time
	Action  string // of the audit log
	IP      string
	Way     string // password, code, recovery_code or passkey
	Browser string // "" if unknown
	Count   string // of attempts; "" for one
}

// LogIns returns the latest log-ins of a person since a time, and the latest failures, newest first.
func LogIns(ctx context.Context, q Querier, userID string, since time.Time) ([]LogIn, error) {
	return collect[LogIn](ctx, q, `SELECT at, action, ip, coalesce(detail ->> 'way', '') AS way,
			coalesce(detail ->> 'browser', '') AS browser, coalesce(detail ->> 'count', '') AS count
		FROM (
			(SELECT * FROM audit_log WHERE actor = $1 AND action IN ('session.started', 'session.awaits_code')
				AND at > $2 ORDER BY id DESC LIMIT $3)
			UNION ALL
			(SELECT * FROM audit_log WHERE object_id = $1 AND at > $2 AND action IN ('session.failed',
				'session.code_failed', 'session.proof_failed', 'session.many_failed') ORDER BY id DESC LIMIT $4)
		) AS lines ORDER BY id DESC`, userID, since, logInsShown, failuresShown)
}
