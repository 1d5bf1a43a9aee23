package models

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// APIRequest is one call of the API and its answer.
type APIRequest struct {
	ID        int64 // in the order of writing
	ProjectID string
	Livemode  bool
	RequestID string // the client's own, if it sent one: not unique
	At        time.Time
	Method    string
	Path      string // without its query
	Status    int
	Duration  time.Duration
	KeyID     string
	ErrorCode string // "" if it succeeded
	ObjectID  string // of the checkout, payment link or withdrawal that it made or was about; "" for others
	Request   string // the bodies, masked and cut; "" if there was none, or none to keep
	Answer    string

	KeyName, KeyLast4 string // read only
}

// InsertAPIRequests writes calls in one statement. Their IDs are the database's.
func InsertAPIRequests(ctx context.Context, q Querier, calls []APIRequest) error {
	n := len(calls)
	project, live, request, at := make([]string, n), make([]bool, n), make([]string, n), make([]time.Time, n)
	method, path, status, duration := make([]string, n), make([]string, n), make([]int16, n), make([]int32, n)
	key, code, object := make([]string, n), make([]string, n), make([]string, n)
	body, answer := make([]string, n), make([]string, n)
	for i, c := range calls {
		project[i], live[i], request[i], at[i] = c.ProjectID, c.Livemode, c.RequestID, c.At
		method[i], path[i], status[i], duration[i] = c.Method, c.Path, int16(c.Status), int32(min(c.Duration, time.Hour/2).Microseconds())
		key[i], code[i], object[i], body[i], answer[i] = c.KeyID, c.ErrorCode, c.ObjectID, c.Request, c.Answer
	}
	_, err := q.Exec(ctx, `INSERT INTO api_requests (project_id, livemode, request_id, at, method, path, status, duration, key_id, error_code, object_id, request, answer)
		SELECT * FROM unnest($1::text[], $2::boolean[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::smallint[], $8::integer[],
			$9::text[], $10::text[], $11::text[], $12::text[], $13::text[])`,
		project, live, request, at, method, path, status, duration, key, code, object, body, answer)
	return err
}

// IsAPIObject reports whether a text is the id of something that calls are about.
func IsAPIObject(text string) bool {
	return wellFormed(text, "chk_", 20) || wellFormed(text, "plink_", 16) || wellFormed(text, "wdr_", 20)
}

// APIRequestFilter narrows a list of calls. Its zero fields do not.
type APIRequestFilter struct {
	Failed     bool
	Class      int // of the status: 2, 4 or 5
	Method     string
	KeyID      string
	PathPrefix string
	RequestID  string
	ObjectID   string
	Before     int64 // the ID of the last call of the page before
	Limit      int
}

// lookedThrough is how many calls a page looks through for those that a filter
// without an index of its own lets pass.
const lookedThrough = 20_000

// APIRequests lists calls of the scope without their bodies, newest first. It looks
// through a bounded number of them: next is the ID to go on before, zero at the end
// of the list, and there may be further calls though the page is not full.
func APIRequests(ctx context.Context, q Querier, scope Scope, f APIRequestFilter) (calls []APIRequest, next int64, err error) {
	query := &eventQuery{args: []any{scope.ProjectID, scope.Livemode}}
	within := " FROM api_requests r WHERE r.project_id = $1 AND r.livemode = $2"
	if f.Class == 5 {
		within += " AND r.status >= 500" // for the index
	} else if f.Failed || f.Class == 4 {
		within += " AND r.status >= 400"
	}
	if f.RequestID != "" {
		within += " AND r.request_id = " + query.arg(f.RequestID)
	}
	if f.ObjectID != "" {
		within += " AND r.object_id <> '' AND r.object_id = " + query.arg(f.ObjectID) // for the index
	}
	if f.Before > 0 {
		within += " AND r.id < " + query.arg(f.Before)
	}
	var last int64
	err = q.QueryRow(ctx, "SELECT coalesce((SELECT r.id"+within+" ORDER BY r.id DESC OFFSET "+strconv.Itoa(lookedThrough)+" LIMIT 1), 0)", query.args...).Scan(&last)
	if err != nil {
		return nil, 0, err
	}
	rows, err := q.Query(ctx, "SELECT "+apiRequestColumns+", '', ''"+strings.Replace(within, "r WHERE", apiRequestKey+" WHERE", 1)+
		query.passes(f)+" AND r.id > "+query.arg(last)+" ORDER BY r.id DESC LIMIT "+query.arg(f.Limit+1), query.args...)
	if err != nil {
		return nil, 0, err
	}
	calls, err = pgx.CollectRows(rows, scanAPIRequest)
	if len(calls) > f.Limit {
		calls = calls[:f.Limit]
		return calls, calls[f.Limit-1].ID, err
	}
	if last > 0 {
		next = last + 1
	}
	return calls, next, err
}

const apiRequestColumns = `r.id, r.project_id, r.livemode, r.request_id, r.at, r.method, r.path, r.status, r.duration, r.key_id, r.error_code, r.object_id,
	coalesce(k.name, ''), coalesce(k.last4, '')`

const apiRequestKey = "r LEFT JOIN api_keys k ON k.id = r.key_id"

func scanAPIRequest(row pgx.CollectableRow) (c APIRequest, err error) {
	var micros int64
	err = row.Scan(&c.ID, &c.ProjectID, &c.Livemode, &c.RequestID, &c.At, &c.Method, &c.Path, &c.Status, &micros, &c.KeyID, &c.ErrorCode, &c.ObjectID,
		&c.KeyName, &c.KeyLast4, &c.Request, &c.Answer)
	c.Duration = time.Duration(micros) * time.Microsecond
	return c, err
}

// passes are the conditions that have no index of their own.
func (q *eventQuery) passes(f APIRequestFilter) string {
	var sql strings.Builder
	if f.Class > 0 {
		sql.WriteString(" AND r.status / 100 = " + q.arg(f.Class))
	}
	if f.Method != "" {
		sql.WriteString(" AND r.method = " + q.arg(f.Method))
	}
	if f.KeyID != "" {
		sql.WriteString(" AND r.key_id = " + q.arg(f.KeyID))
	}
	if f.PathPrefix != "" {
		sql.WriteString(" AND starts_with(r.path, " + q.arg(f.PathPrefix) + ")")
	}
	return sql.String()
}

// APIRequestByID returns one call of the scope with its bodies, or ErrNotFound.
func APIRequestByID(ctx context.Context, q Querier, scope Scope, id int64) (*APIRequest, error) {
	rows, err := q.Query(ctx, "SELECT "+apiRequestColumns+", r.request, r.answer FROM api_requests "+apiRequestKey+`
		WHERE r.id = $1 AND r.project_id = $2 AND r.livemode = $3`, id, scope.ProjectID, scope.Livemode)
	if err != nil {
		return nil, err
	}
	call, err := pgx.CollectExactlyOneRow(rows, scanAPIRequest)
	if err != nil {
		return nil, notFound(err)
	}
	return &call, nil
}

// APIRequestThatMade returns the call of the scope that made an object, without its
// bodies, or ErrNotFound: the dashboard made it, or nobody kept the call.
func APIRequestThatMade(ctx context.Context, q Querier, scope Scope, objectID string) (*APIRequest, error) {
	rows, err := q.Query(ctx, "SELECT "+apiRequestColumns+", '', '' FROM api_requests "+apiRequestKey+`
		WHERE r.object_id <> '' AND r.object_id = $1 AND r.project_id = $2 AND r.livemode = $3 AND r.method = 'POST' AND r.status = 201
		ORDER BY r.id LIMIT 1`, objectID, scope.ProjectID, scope.Livemode)
	if err != nil {
		return nil, err
	}
	call, err := pgx.CollectExactlyOneRow(rows, scanAPIRequest)
	if err != nil {
		return nil, notFound(err)
	}
	return &call, nil
}

// DeleteAPIRequests deletes the oldest calls if they are from before a time, and
// reports whether there may be more of them.
func DeleteAPIRequests(ctx context.Context, q Querier, before time.Time) (more bool, err error) {
	tag, err := q.Exec(ctx, `DELETE FROM api_requests WHERE at < $1 AND id IN (SELECT id FROM api_requests ORDER BY id LIMIT $2)`, before, deletedAtOnce)
	return tag.RowsAffected() == deletedAtOnce, err
}
