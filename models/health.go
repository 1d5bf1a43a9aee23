package models

import (
	"context"
	"time"
)

// HealthCountsTo is the limit of the counts of Health.
const HealthCountsTo = 10_000

// ReceivedLately describes what an environment's institution did since the given time.
type ReceivedLately struct {
	Payments    int
	LastPayment *time.Time // nil if there was none
	Unanswered  int        // number of API calls that got no answer from the institution
}

// Waiting is the amount of waiting work, and its age.
type Waiting struct {
	Count  int        // at most HealthCountsTo
	Oldest *time.Time // nil if nothing is waiting
}

// Health is the state of an installation, for its staff.
type Health struct {
	Began      time.Time // when the installation did
	Live, Test ReceivedLately
	Deliveries Waiting     // deliveries that are due
	Mails      Waiting     // mails not yet sent
	Books      Examination // of new rows
	AllBooks   Examination // of the whole history
	Pass       SavedPass   // over the whole history, if one is in progress
	Proof      LedgerProof // the newest proof
	Audit      Examination
}

// InstallationHealth reads payments and calls since a time, and the work that is waiting now.
func InstallationHealth(ctx context.Context, q Reader, since, now time.Time) (h Health, err error) {
	rows := []struct {
		environment Environment
		into        *ReceivedLately
	}{{Live, &h.Live}, {Test, &h.Test}}
	for _, row := range rows {
		err := q.QueryRow(ctx, `SELECT p.*, r.* FROM
			(SELECT count(*), max(recorded_at) FROM payments WHERE livemode = $1 AND recorded_at >= $2) p,
			(SELECT count(*) FROM api_requests WHERE livemode = $1 AND at >= $2 AND status = 503) r`,
			row.environment, since).Scan(&row.into.Payments, &row.into.LastPayment, &row.into.Unanswered)
		if err != nil {
			return h, err
		}
	}
	err = q.QueryRow(ctx, `SELECT d.*, m.* FROM
		(SELECT count(*), min(next_attempt_at) FROM (SELECT next_attempt_at FROM webhook_deliveries
			WHERE status = 'PENDING' AND next_attempt_at <= $1 LIMIT $2) due) d,
		(SELECT count(*), min(created_at) FROM (SELECT created_at FROM mails WHERE sent_at IS NULL
			ORDER BY created_at LIMIT $2) unsent) m`,
		now, HealthCountsTo).Scan(&h.Deliveries.Count, &h.Deliveries.Oldest, &h.Mails.Count, &h.Mails.Oldest)
	if err != nil {
		return h, err
	}
	err = q.QueryRow(ctx, "SELECT coalesce(min(created_at), $1) FROM installation", now).Scan(&h.Began)
	if err != nil {
		return h, err
	}
	if h.Books, err = LastExamination(ctx, q, ExaminedBooks); err != nil {
		return h, err
	}
	if h.AllBooks, err = LastExamination(ctx, q, ExaminedAllBooks); err != nil {
		return h, err
	}
	if h.Pass, err = LastPass(ctx, q); err != nil {
		return h, err
	}
	if h.Proof, err = LastProof(ctx, q); err != nil {
		return h, err
	}
	h.Audit, err = LastExamination(ctx, q, ExaminedAudit)
	return h, err
}

// InstitutionSilence counts the API calls since a time that got no answer from an
// environment's institution.
func InstitutionSilence(ctx context.Context, q Querier, environment Environment, since time.Time) (w Queue, err error) {
	err = q.QueryRow(ctx,
		"SELECT count(*), min(at) FROM api_requests WHERE livemode = $1 AND at >= $2 AND status = 503", environment,
		since).Scan(&w.Count, &w.Oldest)
	return w, err
}

// FailingEndpoint is an endpoint about which staff may contact its merchant.
type FailingEndpoint struct {
	Endpoint
	AccountID, AccountName string
}

// FailingEndpoints lists the endpoints of all accounts where an event's third attempt has
// failed since the last success, and those that the gateway turned off, longest failing first,
// at most limit.
func FailingEndpoints(ctx context.Context, q Reader, limit int) (list []FailingEndpoint, err error) {
	rows, err := q.Query(ctx, "SELECT a.id, a.name, "+endpointColumns+` FROM webhook_endpoints e
		JOIN projects p ON p.id = e.project_id JOIN accounts a ON a.id = p.account_id
		WHERE e.deleted_at IS NULL AND (e.active AND e.troubled_at IS NOT NULL OR e.disabled_at IS NOT NULL)
		ORDER BY coalesce(e.troubled_at, e.disabled_at), e.id LIMIT $1`, limit)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var f FailingEndpoint
		if err := rows.Scan(append([]any{&f.AccountID, &f.AccountName}, f.targets()...)...); err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, rows.Err()
}
