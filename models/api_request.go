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
	ID          int64 // in the order of writing
	ProjectID   string
	Environment Environment `gorm:"column:livemode"`
	RequestID   string      // sent by the client or generated; not unique
	At          time.Time
	Method      string
	Path        string // without its query
	Status      int
	Duration    time.Duration
	KeyID       string
	ErrorCode   string // "" on success
	ObjectID    string // of the checkout, payment link or withdrawal that the call created or concerned; "" otherwise
	Request     string // the bodies, masked and cut; "" if absent or not stored
	Answer      string

	KeyName, KeyLast4 string // read-only
}

// Position is the call's place in lists.
func (r APIRequest) Position() Position { return numbered(r.At, r.ID) }

// InsertAPIRequests writes calls in one statement. The database assigns their IDs.
func InsertAPIRequests(ctx context.Context, q Querier, calls []APIRequest) error {
	n := len(calls)
	project, live, request, at := make([]string, n), make([]bool, n), make([]string, n), make([]time.Time, n)
	method, path, status, duration := make([]string, n), make([]string, n), make([]int16, n), make([]int32, n)
	key, code, object := make([]string, n), make([]string, n), make([]string, n)
	body, answer := make([]string, n), make([]string, n)
	for i, c := range calls {
		project[i], live[i], request[i], at[i] = c.ProjectID, bool(c.Environment), c.RequestID, c.At
		method[i], path[i], status[i], duration[i] = c.Method, c.Path, int16(c.Status), int32(min(c.Duration,
			time.Hour/2).Microseconds())
		key[i], code[i], object[i], body[i], answer[i] = c.KeyID, c.ErrorCode, c.ObjectID, c.Request, c.Answer
	}
	_, err := q.Exec(ctx,
		`INSERT INTO api_requests (project_id, livemode, request_id, at, method, path, status, duration, key_id,
			error_code, object_id, request, answer)
		SELECT * FROM unnest($1::text[], $2::boolean[], $3::text[], $4::timestamptz[], $5::text[], $6::text[],
			$7::smallint[], $8::integer[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[])`,
		project, live, request, at, method, path, status, duration, key, code, object, body, answer)
	return err
}

// IsAPIObject reports whether text has the form of an ObjectID.
func IsAPIObject(text string) bool {
	return checkoutShape.fits(text) || paymentLinkShape.fits(text) || withdrawalShape.fits(text)
}

// APIRequestFilter narrows a list of calls. A zero field does not.
type APIRequestFilter struct {
	Failed     bool
	Class      int // first digit of the status: 2, 4 or 5
	Method     string
	KeyID      string
	PathPrefix string
	RequestID  string
	ObjectID   string
	Before     int64 // the ID of the last call of the previous page
	Limit      int
}

// lookedThrough is the number of calls that one page examines for a filter without an index.
const lookedThrough = 20_000

// APIRequests lists calls of the scope without their bodies, newest first. It examines a
// limited number of them, so a page may be short although more calls follow.
func APIRequests(ctx context.Context, q Reader, scope Scope, f APIRequestFilter) (Page[APIRequest], error) {
	query := where{args: []any{scope.ProjectID, scope.Environment}}
	const within = " FROM api_requests r WHERE r.project_id = $1 AND r.livemode = $2"
	if f.Class == 5 {
		query.and("r.status >= 500") // for the index
	} else if f.Failed || f.Class == 4 {
		query.and("r.status >= 400")
	}
	if f.RequestID != "" {
		query.and("r.request_id = %s", f.RequestID)
	}
	if f.ObjectID != "" {
		query.and("r.object_id <> '' AND r.object_id = %s", f.ObjectID) // for the index
	}
	if f.Before > 0 {
		query.and("r.id < %s", f.Before)
	}
	var last int64
	err := q.QueryRow(ctx, "SELECT coalesce((SELECT r.id"+within+query.sql+
		" ORDER BY r.id DESC OFFSET "+strconv.Itoa(lookedThrough)+" LIMIT 1), 0)", query.args...).Scan(&last)
	if err != nil {
		return Page[APIRequest]{}, err
	}
	f.narrow(&query)
	query.and("r.id > %s", last)
	page, err := ReadPage(f.Limit, func(limit int) ([]APIRequest, error) {
		most := query.arg(limit)
		rows, err := q.Query(ctx, "SELECT "+apiRequestColumns+", '', ''"+
			strings.Replace(within, "r WHERE", apiRequestKey+" WHERE", 1)+
			query.sql+" ORDER BY r.id DESC LIMIT "+most, query.args...)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, scanAPIRequest)
	})
	if page.Next == nil && last > 0 {
		next := numbered(time.Time{}, last+1)
		page.Next = &next
	}
	return page, err
}

const apiRequestColumns = `r.id, r.project_id, r.livemode, r.request_id, r.at, r.method, r.path, r.status, r.duration,
	r.key_id, r.error_code, r.object_id, coalesce(k.name, ''), coalesce(k.last4, '')`

const apiRequestKey = "r LEFT JOIN api_keys k ON k.id = r.key_id"

func scanAPIRequest(row pgx.CollectableRow) (c APIRequest, err error) {
	var micros int64
	err = row.Scan(&c.ID, &c.ProjectID, &c.Environment, &c.RequestID, &c.At, &c.Method, &c.Path, &c.Status, &micros,
		&c.KeyID, &c.ErrorCode, &c.ObjectID,
		&c.KeyName, &c.KeyLast4, &c.Request, &c.Answer)
	c.Duration = time.Duration(micros) * time.Microsecond
	return c, err
}

// narrow adds the conditions that no index serves.
func (f APIRequestFilter) narrow(query *where) {
	if f.Class > 0 {
		query.and("r.status / 100 = %s", f.Class)
	}
	if f.Method != "" {
		query.and("r.method = %s", f.Method)
	}
	if f.KeyID != "" {
		query.and("r.key_id = %s", f.KeyID)
	}
	if f.PathPrefix != "" {
		query.and("starts_with(r.path, %s)", f.PathPrefix)
	}
}

// APIRequestByID returns one call of the scope with its bodies, or ErrNotFound.
func APIRequestByID(ctx context.Context, q Querier, scope Scope, id int64) (*APIRequest, error) {
	rows, err := q.Query(ctx, "SELECT "+apiRequestColumns+", r.request, r.answer FROM api_requests "+apiRequestKey+`
		WHERE r.id = $1 AND r.project_id = $2 AND r.livemode = $3`, id, scope.ProjectID, scope.Environment)
	if err != nil {
		return nil, err
	}
	call, err := pgx.CollectExactlyOneRow(rows, scanAPIRequest)
	if err != nil {
		return nil, notFound(err)
	}
	return &call, nil
}

// APIRequestThatMade returns the call of the scope that created an object, without its bodies.
// It returns ErrNotFound if the dashboard created the object, or if the call was not stored.
func APIRequestThatMade(ctx context.Context, q Querier, scope Scope, objectID string) (*APIRequest, error) {
	rows, err := q.Query(ctx, "SELECT "+apiRequestColumns+", '', '' FROM api_requests "+apiRequestKey+`
		WHERE r.object_id <> '' AND r.object_id = $1 AND r.project_id = $2 AND r.livemode = $3
			AND r.method = 'POST' AND r.status = 201
		ORDER BY r.id LIMIT 1`, objectID, scope.ProjectID, scope.Environment)
	if err != nil {
		return nil, err
	}
	call, err := pgx.CollectExactlyOneRow(rows, scanAPIRequest)
	if err != nil {
		return nil, notFound(err)
	}
	return &call, nil
}
