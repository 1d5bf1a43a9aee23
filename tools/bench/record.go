package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"garoupa/models"
)

// recording holds the statements that the product sent to PostgreSQL for one request of
// each kind, with one key. pgbench repeats them.
type recording struct {
	checkoutID string // the id of the recorded creation
	create     statement
	read       statement
	first      statement // the list's first page
	deep       statement // a page after a cursor
	balance    statement
	confirm    []statement // one transaction, including the query before it
}

// checkoutPage is the part of a list that we read.
type checkoutPage struct {
	Data []struct {
		ID string `json:"id"`
	} `json:"data"`
	NextCursor string `json:"nextCursor"`
}

// record serves for a moment with PostgreSQL logging all statements and their values, and
// makes a request of each kind with the test and the live key. So the SQL is always the
// product's current SQL.
func record(ctx context.Context, s *site) (recorded map[models.Environment]*recording, err error) {
	logged := s.postgres.URL() + "&options=-c%20log_statement%3Dall%20-c%20log_error_verbosity%3Ddefault"
	v, err := s.serve(ctx, s.program, logged)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, v.stop()) }()
	conn, err := dial(s.listen)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	recorded = map[models.Environment]*recording{}
	for _, environment := range []models.Environment{models.Live, models.Test} {
		r := recorder{site: s, conn: conn}
		if recorded[environment], err = r.all(s.secret(environment)); err != nil {
			return nil, fmt.Errorf("record the product's statements: %w", err)
		}
	}
	return recorded, nil
}

// secret is the merchant's key for an environment.
func (s *site) secret(environment models.Environment) string {
	if environment == models.Live {
		return s.merchant.Keys.Live
	}
	return s.merchant.Keys.Test
}

type recorder struct {
	site *site
	conn *connection
}

func (r recorder) all(secret string) (*recording, error) {
	random := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	create := r.site.creations(secret, random)
	out := &recording{}
	var made struct {
		ID string `json:"id"`
	}
	var page checkoutPage
	for range 2 { // a page of one needs another checkout for a cursor
		if _, err := r.conn.ask(create()); err != nil {
			return nil, err
		}
	}
	var err error
	if out.create, err = r.one(create(), &made); err != nil {
		return nil, err
	}
	out.checkoutID = made.ID
	if out.read, err = r.one(r.site.get(secret, "/v1/checkouts/"+made.ID), &made); err != nil {
		return nil, err
	}
	if out.first, err = r.one(r.site.get(secret, "/v1/checkouts"), &page); err != nil {
		return nil, err
	}
	if _, err = r.one(r.site.get(secret, "/v1/checkouts?limit=1"), &page); err != nil {
		return nil, err
	}
	if out.deep, err = r.one(r.site.get(secret, "/v1/checkouts?cursor="+page.NextCursor), &page); err != nil {
		return nil, err
	}
	if made.ID != out.checkoutID || len(page.Data) == 0 {
		return nil, errors.New("the product's answers contradict each other")
	}
	var balance struct{}
	if out.balance, err = r.one(r.site.get(secret, "/v1/balance"), &balance); err != nil {
		return nil, err
	}
	out.confirm, _, err = r.caused(r.site.payment(made.ID), made.ID)
	return out, err
}

// aside matches the statements that belong to no single request: writing the request log
// and notifying streams, both for many requests at a time and after their answers, and noting from which
// addresses a key is used, once an hour.
var aside = regexp.MustCompile(`\b(api_requests|api_key_networks|audit_counts|audit_log)\b|` +
	`^SELECT set_config\('synchronous_commit', 'off', true\), pg_notify`)

// one makes a request and returns the only statement that it caused.
func (r recorder) one(request []byte, answer any) (statement, error) {
	found, body, err := r.caused(request)
	if err != nil {
		return statement{}, err
	}
	if len(found) != 1 {
		return statement{},
			fmt.Errorf("the request %.60q caused %d statements about the merchant; want one",
				request, len(found))
	}
	return found[0], json.Unmarshal(body, answer)
}

// caused makes a request and returns its answer and the statements that it caused.
func (r recorder) caused(request []byte, about ...string) (found []statement, body []byte, err error) {
	path := filepath.Join(r.site.dir, "postgres.log")
	before, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	if body, err = r.conn.ask(request); err != nil {
		return nil, nil, err
	}
	after, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	all, err := parseLog(string(after[len(before):]))
	if err != nil {
		return nil, nil, err
	}
	found, err = concerning(all, append(about, r.site.merchant.ProjectID, r.site.merchant.AccountID))
	return found, body, err
}

// concerning returns the statements whose values include one of the ids, or the id or the TxID
// of a payment that another such statement writes. The look-up of the key and the sweeps have
// none of these.
func concerning(all []statement, ids []string) (found []statement, err error) {
	for known := 0; known < len(ids); { // the lock of a checkout comes before the payment's TxID
		known, found = len(ids), nil
		for _, s := range all {
			if aside.MatchString(s.sql) || !s.mentions(ids) {
				continue
			}
			if s, err = s.plain(); err != nil {
				return nil, err
			}
			found = append(found, s)
			for _, value := range s.values {
				if value != nil && (paymentShape.MatchString(*value) || txIDShape.MatchString(*value)) &&
					!slices.Contains(ids, *value) {
					ids = append(ids, *value)
				}
			}
		}
	}
	return found, nil
}
